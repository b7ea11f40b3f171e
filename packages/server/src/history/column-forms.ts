import { formatAmount } from '@coffer/core/money';
import type { BookTable, Values } from '../db/table.ts';
import { internalTables } from '../book/history.ts';
import { actionsToWire, conditionsToWire } from '../ledger/rules/stored.ts';

/** How the values of columns are shown in a history; null stays null. */
const forms = {
  /** As they are stored: texts, dates, times, ids and other integers. */
  plain: (value: unknown) => value,
  flag: Boolean,
  /** Ten-thousandths, as a text with four decimals. */
  amount: (value: unknown) => formatAmount(value as number),
  /** JSON. */
  json: (value: unknown) => JSON.parse(value as string) as unknown,
  conditions: (value: unknown) =>
    conditionsToWire(JSON.parse(value as string) as Parameters<typeof conditionsToWire>[0]),
  actions: (value: unknown) =>
    actionsToWire(JSON.parse(value as string) as Parameters<typeof actionsToWire>[0]),
  /** Never shown. */
  hidden: () => undefined,
} as const satisfies Record<string, (value: unknown) => unknown>;
type Form = keyof typeof forms;

/** The columns of a table by their form, separated by blanks. */
type Columns = Readonly<Partial<Record<Form, string>>>;

const times = 'created_at updated_at';

/**
 * The form of every column of every table of a book, except `book_id` and the internal tables, which are never shown. A
 * test fails for a column without a form, so that somebody decides whether it may be shown.
 */
const columnsOfTables: Readonly<Record<string, Columns>> = {
  connections: {
    plain: `id provider status name created_by_name ${times} last_read problems`,
    hidden: 'sealed_credentials',
  },
  manual_accounts: {
    plain: `id name display_name institution_name type subtype currency balance_as_of status closed_on external_id
      created_by_name ${times}`,
    amount: 'balance to_base',
    flag: 'exclude_from_transactions',
    json: 'custom_metadata',
  },
  plaid_accounts: {
    plain: `id name display_name institution_name type subtype mask currency status plaid_item_id linked_by_name
      date_linked import_start_date balance_last_update last_import last_fetch plaid_last_successful_update
      connection_id remote_id`,
    amount: 'balance to_base credit_limit',
    flag: 'allow_transaction_modifications',
  },
  categories: {
    plain: `id name description group_id sort_order archived_at ${times}`,
    flag: 'is_income exclude_from_budget exclude_from_totals is_group collapsed',
  },
  tags: { plain: `id name description text_color background_color archived_at ${times}` },
  recurring_items: {
    plain: `id description status source start_date end_date granularity quantity anchor_date payee currency
      manual_account_id plaid_account_id override_payee override_notes override_category_id created_by ${times}`,
    amount: 'amount amount_tolerance to_base',
  },
  transactions: {
    plain: `id date currency payee original_name notes category_id manual_account_id plaid_account_id recurring_id
      external_id status split_parent_id group_parent_id source own_payee own_notes own_category_id remote_id import_id
      ${times}`,
    amount: 'amount to_base',
    flag: 'is_pending is_split_parent is_group_parent',
    json: 'tag_ids plaid_metadata custom_metadata',
  },
  transaction_files: {
    plain: 'id transaction_id uploaded_by name type size notes created_at',
    hidden: 'storage_key',
  },
  budgets: { plain: 'category_id start_date currency notes', amount: 'amount to_base' },
  budget_settings: {
    plain: 'number granularity quantity anchor_date income_option',
    flag: 'hide_no_activity use_last_day_of_month rollover_left_to_budget',
  },
  rules: {
    plain: `id position name ${times}`,
    flag: 'stop',
    conditions: 'conditions',
    actions: 'actions',
  },
  crypto_synced_accounts: {
    plain: `id provider status display_name created_by_name ${times} last_import`,
    hidden: 'sealed_credentials',
  },
  crypto_synced_balances: {
    plain: 'account_id symbol name quantity coingecko_id price_as_of read_at',
    amount: 'to_base',
  },
  crypto_manual_accounts: {
    plain: `id name display_name institution_name symbol coingecko_id quantity price_as_of balance_as_of created_by_name
      ${times}`,
    amount: 'to_base',
  },
  deleted_accounts: {
    plain: 'id name institution_name display_name account_type subtype mask symbol',
  },
  balance_history: {
    plain: `id manual_account_id plaid_account_id crypto_manual_id crypto_synced_id symbol deleted_account_id month
      currency crypto_balance`,
    amount: 'balance to_base',
  },
};

const formsOfTables = new Map(
  Object.entries(columnsOfTables).map(([table, columns]) => [
    table,
    new Map(
      (Object.entries(columns) as [Form, string][]).flatMap(([form, names]) =>
        names.split(/\s+/).map((name) => [name, form] as const),
      ),
    ),
  ]),
);

/** Whether records of a table are shown. */
export function isShown(table: string): boolean {
  return !internalTables.has(table);
}

/** Returns the form of a column; undefined for one that nobody has decided about. It is not shown. */
export function formOf(table: string, column: string): Form | undefined {
  return formsOfTables.get(table)?.get(column);
}

/** Returns columns of a row as they are shown, in the order of the table; without those that are hidden. */
export function shownColumns({ name, columns }: BookTable, row: Values): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const column of Object.keys(columns)) {
    const form = formOf(name, column);
    const value = row[column];
    if (form === undefined || form === 'hidden' || value === undefined) continue;
    shown[column] = value === null ? null : forms[form](value);
  }
  return shown;
}
