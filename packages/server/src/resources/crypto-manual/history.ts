import type { Change } from '../../changes/change.ts';
import type { Steps } from '../../db/engine.ts';

/*
 * Placeholders with the signatures of `resources/balance-history/actions.ts`, until it is merged. Then this file is
 * deleted and removal.ts imports from there.
 */

interface HistorySource {
  readonly kind: 'crypto_manual';
  readonly id: number;
}

/** Returns whether an account has entries. */
export function* hasHistory(_bookId: number, _source: HistorySource): Steps<boolean> {
  return false;
}

/** Keeps the entries of an account as those of a deleted account with these details. */
export function* keepHistory(
  _change: Change,
  _source: HistorySource,
  _details: Readonly<Record<string, string | null>>,
): Steps<void> {
  // There is none.
}

/** Removes the entries of an account. */
export function* dropHistory(_change: Change, _source: HistorySource): Steps<void> {
  // There is none.
}
