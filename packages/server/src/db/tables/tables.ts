import {
  idOf,
  integer,
  text,
  sortedText,
  flag,
  amount,
  digest,
  sealed,
  id,
  userId,
  looseBookId,
  oneOf,
  nullable,
  withDefault,
  reference,
  partOf,
  secret,
  checked,
  sorted,
  unique,
  bookTable,
  serverTable,
  currency,
  anyAmount,
  anyDay,
  json,
  holding,
} from '../table.ts';
import type { Table } from '../table.ts';
import { accountsRecords, accountsTables } from './accounts.ts';
import { budgetsRecords, budgetsTables } from './budgets.ts';
import { cryptoRecords, cryptoTables } from './crypto.ts';
import { filesRecords, filesTables } from './files.ts';
import { historyRecords, historyTables } from './history.ts';
import { idempotencyRecords, idempotencyTables } from './idempotency.ts';
import { importsRecords, importsTables } from './imports.ts';
import { jobsTables } from './jobs.ts';
import { ratesRecords, ratesTables } from './rates.ts';
import { recurringRecords, recurringTables } from './recurring.ts';
import { rulesRecords, rulesTables } from './rules.ts';
import { sessionsTables } from './sessions.ts';
import { syncRecords, syncTables } from './sync.ts';
import { transactions } from './transactions.ts';
import { webhooksTables } from './webhooks.ts';
import { transfersRecords } from './transfers.ts';

export * from './accounts.ts';
export * from './budgets.ts';
export * from './crypto.ts';
export * from './files.ts';
export * from './history.ts';
export * from './idempotency.ts';
export * from './imports.ts';
export * from './jobs.ts';
export * from './rates.ts';
export * from './recurring.ts';
export * from './rules.ts';
export * from './sessions.ts';
export * from './sync.ts';
export * from './transactions.ts';
export * from './transfers.ts';
export * from './webhooks.ts';

/*
 * Every table of the database. A test compares the descriptions with the catalogs of both engines. Times are ISO 8601
 * text in UTC with milliseconds. Amounts are integer ten-thousandths.
 */

const times = { created_at: sortedText, updated_at: sortedText };

export const users = serverTable(
  'users',
  { id, email: sortedText, name: text, created_at: sortedText },
  { sqliteRows: 'id' },
);

export const books = serverTable(
  'books',
  {
    id,
    user_id: userId,
    name: text,
    primary_currency: currency,
    version: withDefault(integer, 1),
    created_at: sortedText,
    changed_at: withDefault(sortedText, '1970-01-01T00:00:00.000Z'),
    /** The change log has the changes after this version. */
    pruned_version: withDefault(integer, 0),
    /** The version up to which `transaction_texts` and `transaction_sums` are kept; an older node does not raise it. */
    derived_version: withDefault(integer, 1),
    /** The version up to which `hidden_counts` is kept; an older node does not raise it. */
    hidden_counts_version: withDefault(integer, 1),
    /** The version up to which `status_counts` and `activity_sums` are kept; an older node does not raise it. */
    activity_version: withDefault(integer, 1),
    /** The version up to which `account_days` is kept; an older node does not raise it. */
    account_days_version: withDefault(integer, 1),
    /** Only for nodes of the first release: the version up to which `transaction_texts` has their texts. */
    texts_version: withDefault(integer, 1),
    /** Until when somebody works on the import of the book; null for a whole book. Lists show whole books only. */
    incomplete_until_ms: nullable(integer),
  },
  { sqliteRows: 'id', noun: 'book' },
);

export const accessTokens = serverTable(
  'access_tokens',
  {
    id,
    user_id: userId,
    book_id: looseBookId,
    token_hash: unique(digest),
    label: nullable(text),
    created_at: sortedText,
    last_used_at: nullable(text),
    expires_at: nullable(sortedText),
    revoked_at: nullable(text),
  },
  { sqliteRows: 'id' },
);

/** Facts about the database itself. It gets a new `id` when it is created, restored or moved. */
export const databaseIdentity = serverTable(
  'database_identity',
  { name: sortedText, value: text },
  { key: ['name'] },
);

export const manualAccounts = bookTable(
  'manual_accounts',
  {
    id,
    book_id: integer,
    name: text,
    display_name: nullable(text),
    institution_name: nullable(text),
    type: text,
    subtype: nullable(text),
    currency,
    balance: anyAmount,
    to_base: withDefault(anyAmount, 0),
    balance_as_of: text,
    status: withDefault(sorted(oneOf<string>('active', 'closed')), 'active'),
    closed_on: nullable(anyDay),
    external_id: nullable(sortedText),
    custom_metadata: nullable(json),
    exclude_from_transactions: withDefault(flag, 0),
    created_by_name: text,
    ...times,
  },
  {
    noun: 'manual account',
    sqliteRows: 'id',
    movements: { columns: ['balance', 'to_base'], at: 'balance_as_of' },
  },
);

export const plaidAccounts = bookTable(
  'plaid_accounts',
  {
    id,
    book_id: integer,
    name: text,
    display_name: nullable(text),
    institution_name: text,
    type: text,
    subtype: text,
    mask: text,
    currency,
    balance: anyAmount,
    to_base: withDefault(anyAmount, 0),
    credit_limit: nullable(anyAmount),
    status: withDefault(sortedText, 'active'),
    // The database does not check this flag.
    allow_transaction_modifications: withDefault(checked(flag, ''), 1),
    plaid_item_id: nullable(text),
    linked_by_name: text,
    date_linked: anyDay,
    import_start_date: nullable(anyDay),
    balance_last_update: nullable(text),
    last_import: nullable(text),
    last_fetch: nullable(text),
    plaid_last_successful_update: nullable(text),
    connection_id: nullable(idOf('connections')),
    remote_id: nullable(sortedText),
  },
  { noun: 'plaid account', sqliteRows: 'id', uniqueTogether: [['remote_id', 'connection_id']] },
);

export const categories = bookTable(
  'categories',
  {
    id,
    book_id: integer,
    name: text,
    description: nullable(text),
    is_income: withDefault(flag, 0),
    exclude_from_budget: withDefault(flag, 0),
    exclude_from_totals: withDefault(flag, 0),
    is_group: withDefault(flag, 0),
    group_id: reference('categories'),
    sort_order: nullable(integer),
    collapsed: withDefault(flag, 0),
    archived_at: nullable(text),
    ...times,
  },
  { noun: 'category', unique: ['name'] },
);

export const tags = bookTable(
  'tags',
  {
    id,
    book_id: integer,
    name: text,
    description: nullable(text),
    text_color: nullable(text),
    background_color: nullable(text),
    archived_at: nullable(text),
    ...times,
  },
  { noun: 'tag', unique: ['name'] },
);

export const cryptoAccounts = bookTable('crypto_synced_accounts', {
  id,
  book_id: integer,
  provider: oneOf('kraken', 'coinbase', 'ethereum'),
  status: oneOf('active', 'unsupported', 'relink', 'initializing'),
  display_name: nullable(text),
  // A restored account has credentials that cannot be decrypted: it must be linked again.
  sealed_credentials: secret(sealed, Buffer.of(0)),
  created_by_name: text,
  ...times,
  last_import: nullable(text),
});

/** Lower-case letters and digits. */
const cryptoSymbol = checked(sortedText, {
  sqlite: "length(@) BETWEEN 1 AND 25 AND @ NOT GLOB '*[^0-9a-z]*'",
  postgres: "@ ~ '^[0-9a-z]{1,25}$'",
});

/**
 * Decimal text with exactly 18 places: `0.100020003000400050`. A GLOB pattern cannot count, so SQLite checks the point,
 * the places and the integer part one by one. The length in bytes detects text after a NUL, where other functions stop.
 */
const cryptoQuantity = checked(holding('quantity', text), {
  sqlite: `octet_length(@) = length(@)
    AND substr(@, -19, 1) = '.'
    AND substr(@, -18) NOT GLOB '*[^0-9]*'
    AND substr(@, 1, length(@) - 19) NOT GLOB '*[^0-9]*'
    AND (@ GLOB '[1-9]*' OR @ GLOB '0.*')`,
  postgres: "@ ~ '^(0|[1-9][0-9]*)[.][0-9]{18}$'",
});

export const cryptoBalances = bookTable(
  'crypto_synced_balances',
  {
    book_id: integer,
    account_id: partOf('crypto_synced_accounts'),
    symbol: cryptoSymbol,
    name: checked(text, 'length(@) BETWEEN 1 AND 45'),
    quantity: cryptoQuantity,
    coingecko_id: nullable(text),
    to_base: nullable(amount),
    price_as_of: nullable(text),
    read_at: text,
  },
  {
    noun: 'crypto balance',
    key: ['account_id', 'symbol'],
    checks: ['(to_base IS NULL) = (price_as_of IS NULL)'],
  },
);

/** The tables of a book's records. A table comes after those that it refers to. */
export const bookTables: readonly Table<'book'>[] = [
  ...syncRecords,
  manualAccounts,
  plaidAccounts,
  ...accountsRecords,
  categories,
  tags,
  ...recurringRecords,
  transactions,
  ...filesRecords,
  ...transfersRecords,
  ...budgetsRecords,
  ...rulesRecords,
  cryptoAccounts,
  cryptoBalances,
  ...cryptoRecords,
  ...historyRecords,
  ...ratesRecords,
  ...idempotencyRecords,
  ...importsRecords,
];

/** The tables whose records are shown: those of the others only help imports. */
export const shownTables = bookTables.filter(({ isInternal }) => !isInternal);

/** Tables that hold no records of a book, besides those above. A move copies them. */
export const serverTables: readonly Table<'server'>[] = [
  ...ratesTables,
  ...accountsTables,
  ...recurringTables,
  ...budgetsTables,
  ...rulesTables,
  ...filesTables,
  ...cryptoTables,
  ...historyTables,
  ...syncTables,
  ...idempotencyTables,
  ...importsTables,
  ...jobsTables,
  ...webhooksTables,
  ...sessionsTables,
];
