import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { manualCryptoAccounts } from '../../db/tables/tables.ts';
import { dropHistory, hasHistory, keepHistory } from '../../ledger/balance-history/actions.ts';
import type { ManualCryptoRow } from './actions.ts';

/**
 * Deletes a manual crypto account, and keeps or drops its balance history. Returns false, and deletes nothing, if it
 * has a history and `keepsHistory` is undefined.
 */
export function* removeManualCrypto(
  change: Change,
  row: ManualCryptoRow,
  keepsHistory: boolean | undefined,
): Steps<boolean> {
  const source = { kind: 'crypto_manual', id: row.id } as const;
  if (yield* hasHistory(change.bookId, source)) {
    if (keepsHistory === undefined) return false;
    const { name, display_name, institution_name, symbol } = row;
    const details = { name, display_name, institution_name, symbol };
    const all = { ...details, account_type: 'cryptocurrency' };
    yield* keepsHistory ? keepHistory(change, source, all) : dropHistory(change, source);
  }
  yield* change.remove(manualCryptoAccounts, row);
  return true;
}
