import { recordKind, rowsWith } from '../../book/record.ts';
import { cryptoAccounts, cryptoBalances } from '../../db/tables/tables.ts';
import { accountToWire, balanceToWire } from './rules.ts';

/** Accounts with their balances, which change together with them. */
export const cryptoAccountRecord = recordKind(cryptoAccounts, {
  *read(bookId, ids) {
    const accounts = yield* rowsWith(cryptoAccounts, 'id', bookId, ids);
    const balances = yield* rowsWith(cryptoBalances, 'account_id', bookId, ids);
    const ofAccount = Map.groupBy(balances, ({ account_id }) => account_id);
    return accounts.map((account) => ({
      key: String(account.id),
      json: JSON.stringify(accountToWire(account, ofAccount.get(account.id) ?? [])),
    }));
  },
  shows: 'id provider status display_name created_by_name created_at updated_at last_import',
});

export const cryptoBalanceRecord = recordKind(cryptoBalances, {
  toWire: balanceToWire,
  shows: 'account_id symbol name quantity coingecko_id to_base price_as_of read_at',
});
