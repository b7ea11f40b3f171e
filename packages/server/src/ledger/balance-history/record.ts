import { recordKind } from '../../book/record.ts';
import { balanceHistory, deletedAccounts } from '../../db/tables/tables.ts';
import { deletedToWire, entryToWire, lastDayOf } from './rules.ts';

export const deletedAccountRecord = recordKind(deletedAccounts, {
  toWire: deletedToWire,
  shows: 'id name institution_name display_name account_type subtype mask symbol',
});

/** The balance of an account at the end of a month, with the account: one of the five ids is set. */
export const balanceRecord = recordKind(balanceHistory, {
  toWire: (row) => ({
    ...entryToWire(row),
    manual_account_id: row.manual_account_id,
    plaid_account_id: row.plaid_account_id,
    crypto_manual_id: row.crypto_manual_id,
    crypto_synced_id: row.crypto_synced_id,
    deleted_account_id: row.deleted_account_id,
    symbol: row.symbol,
  }),
  shows: `id manual_account_id plaid_account_id crypto_manual_id crypto_synced_id symbol deleted_account_id month
    balance currency to_base crypto_balance`,
  valueDay: ({ month }) => lastDayOf(month),
});
