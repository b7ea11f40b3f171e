import { formatAmount } from '@coffer/core/money';
import type { Row } from '../../db/table.ts';
import type { plaidAccounts } from '../../db/tables/tables.ts';
import { wireNumber } from '../../operations/schema.ts';
import type { PlaidAccount } from './plaid-schema.ts';

/** Returns a plaid account as in a response. */
export function toWire(row: Row<typeof plaidAccounts>): PlaidAccount {
  return {
    id: row.id,
    plaid_item_id: row.plaid_item_id,
    date_linked: row.date_linked,
    linked_by_name: row.linked_by_name,
    name: row.name,
    display_name: row.display_name,
    type: row.type,
    subtype: row.subtype,
    mask: row.mask,
    institution_name: row.institution_name,
    status: row.status as PlaidAccount['status'],
    allow_transaction_modifications: row.allow_transaction_modifications,
    limit: row.credit_limit === null ? null : wireNumber(row.credit_limit),
    balance: formatAmount(row.balance),
    currency: row.currency,
    to_base: wireNumber(row.to_base),
    balance_last_update: row.balance_last_update,
    import_start_date: row.import_start_date,
    last_import: row.last_import,
    last_fetch: row.last_fetch,
    plaid_last_successful_update: row.plaid_last_successful_update,
  };
}
