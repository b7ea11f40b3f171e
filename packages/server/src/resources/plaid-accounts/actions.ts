import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { plaidAccounts } from '../../db/tables.ts';
import type { BalanceSource } from '../balance-history/actions.ts';

export type PlaidAccountRow = Row<typeof plaidAccounts>;

/** Returns the plaid accounts of a book by id. */
export function* listPlaidAccounts(bookId: number): Steps<PlaidAccountRow[]> {
  return yield* select(plaidAccounts, { book_id: bookId });
}

/** Returns the plaid accounts of a book with the balances that were last read. */
export function* plaidBalances(bookId: number): Steps<BalanceSource[]> {
  const accounts = yield* listPlaidAccounts(bookId);
  return accounts.map((account) => {
    const { id, balance, currency, to_base: toBase, date_linked: openedOn } = account;
    // The day of closing is not known.
    const closedOn = account.status === 'closed' ? openedOn : null;
    const value = { balance, currency, toBase, quantity: null };
    return { kind: 'plaid', id, symbol: null, ...value, openedOn, closedOn };
  });
}
