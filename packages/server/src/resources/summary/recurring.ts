import type { Steps } from '../../db/engine.ts';

/** A transaction that a recurring item expects. */
export interface ExpectedRecurring {
  readonly categoryId: number | null;
  readonly isIncome: boolean;
  /** In ten-thousandths of the primary currency; money out is positive. */
  readonly toBase: number;
  /** Whether the transaction was found. */
  readonly isMatched: boolean;
}

/**
 * Returns what the recurring items of a book expect in a range of dates, both inclusive.
 *
 * None: this is the place to connect resources/recurring/actions.ts, which has the items.
 */
export function* expectedRecurring(
  _bookId: number,
  _from: string,
  _to: string,
): Steps<readonly ExpectedRecurring[]> {
  yield* [];
  return [];
}
