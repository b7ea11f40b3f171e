import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { plaidAccounts } from '../../db/tables/tables.ts';
import type { BalanceSource } from './balance-source.ts';

export type PlaidAccountRow = Row<typeof plaidAccounts>;

/** Returns the plaid accounts of a book by id. */
export function* listPlaidAccounts(bookId: number): Steps<PlaidAccountRow[]> {
  return yield* select(plaidAccounts, { book_id: bookId });
}

/** Returns the plaid accounts of a book with the balances that were last read. */
export function* plaidBalances(bookId: number): Steps<BalanceSource[]> {
  const accounts = yield* listPlaidAccounts(bookId);
  return accounts.map(({ id, status, balance, currency, to_base: toBase, ...account }) => {
    // The day of closing is not known, so a closed account has no balance of any month.
    const value = { balance: status === 'closed' ? null : balance, currency, toBase };
    const times = { openedOn: account.date_linked, closedOn: null };
    return { kind: 'plaid', id, symbol: null, ...value, quantity: null, ...times };
  });
}
