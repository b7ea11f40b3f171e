import {
  checked,
  sorted,
  unique,
  holding,
  integer,
  text,
  sortedText,
  flag,
  anyAmount,
  amount,
  anyDay,
  day,
  currency,
  json,
  sealed,
  id,
  oneOf,
  nullable,
  withDefault,
  idOf,
  reference,
  looseReference,
  partOf,
  secret,
  bookTable,
  serverTable,
} from '../table.ts';

/* Accounts: manual and synced ones, those of crypto, and what they had. */

const times = { created_at: sortedText, updated_at: sortedText };

/** A connection to banks by a bridge. Its accounts are the synced accounts with its id. */
export const connections = bookTable('connections', {
  id,
  book_id: integer,
  /** A BankProvider. */
  provider: text,
  status: oneOf('active', 'relink', 'error'),
  name: text,
  // A restored connection has credentials that cannot be decrypted: it must be added again.
  sealed_credentials: secret(sealed, Buffer.of(0)),
  created_by_name: text,
  created_at: sortedText,
  updated_at: sortedText,
  /** The last reading that succeeded. */
  last_read: nullable(text),
  /** What the bank or the bridge reported with the last reading, a sentence for each line. */
  problems: nullable(text),
});

/** Requests to read a book's connections soon, one for each book. */
export const syncRequests = serverTable(
  'sync_requests',
  {
    book_id: integer,
    requested_at_ms: integer,
    first_date: nullable(text),
    last_date: nullable(text),
    plaid_account_id: nullable(integer),
    is_done: integer,
  },
  { key: ['book_id'] },
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

/** Who says what an account had at the end of a day. */
export const anchorSources = ['statement', 'user', 'bank', 'api'] as const;

/**
 * The balances of accounts that are known for a day: see docs/decisions/093-balances-follow-from-anchors.md. An anchor
 * has one account. It is no reference, so that an anchor never keeps an account from an undo; it goes with its account.
 */
export const balanceAnchors = bookTable(
  'balance_anchors',
  {
    id,
    book_id: integer,
    manual_account_id: nullable(idOf('manual_accounts')),
    plaid_account_id: nullable(idOf('plaid_accounts')),
    day: sorted(day),
    source: sorted(oneOf(...anchorSources)),
    /** What the account has at the end of the day; debts are negative, whatever the type of the account is. */
    balance: anyAmount,
    currency,
    /** What the balance has of transactions after the day: a write counts at once, whatever its date is. */
    ahead: withDefault(anyAmount, 0),
    /** The import that has read it in a file. */
    import_id: nullable(idOf('imports')),
    /** When it got its balance. Of two anchors of one day the later one counts. */
    set_at: sortedText,
  },
  {
    noun: 'balance anchor',
    uniqueTogether: [
      ['manual_account_id', 'day', 'source'],
      ['plaid_account_id', 'day', 'source'],
    ],
    exclusive: [['manual_account_id', 'plaid_account_id']],
    movements: { columns: ['balance', 'ahead'], at: 'set_at' },
  },
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

/**
 * Balances of crypto assets that users enter. `quantity` is a decimal with 18 places, with a minus sign below zero.
 * `to_base` and the time of its price are null without a price.
 */
export const manualCryptoAccounts = bookTable(
  'crypto_manual_accounts',
  {
    id,
    book_id: integer,
    name: text,
    display_name: nullable(text),
    institution_name: nullable(text),
    symbol: sortedText,
    coingecko_id: sortedText,
    quantity: holding('quantity', text),
    to_base: nullable(anyAmount),
    price_as_of: nullable(sortedText),
    balance_as_of: sortedText,
    created_by_name: text,
    created_at: sortedText,
    updated_at: sortedText,
  },
  {
    noun: 'manual crypto account',
    checks: ['(to_base IS NULL) = (price_as_of IS NULL)'],
  },
);

/** Assets that users added to the built-in catalogue, for all books. */
export const cryptocurrencies = serverTable('cryptocurrencies', {
  id,
  coingecko_id: unique(sortedText),
  symbol: unique(sortedText),
  full_name: text,
  created_at: sortedText,
});

/** The last known price of one unit of an asset: a number literal such as `65000.12` or `12e-9`. */
export const cryptocurrencyPrices = serverTable(
  'cryptocurrency_prices',
  { coingecko_id: sortedText, currency: sortedText, price: text, as_of: sortedText },
  { key: ['coingecko_id', 'currency'] },
);

/** What is known of accounts that were deleted, but whose history was kept. */
export const deletedAccounts = bookTable('deleted_accounts', {
  id,
  book_id: integer,
  name: nullable(text),
  institution_name: nullable(text),
  display_name: nullable(text),
  account_type: nullable(text),
  subtype: nullable(text),
  mask: nullable(text),
  symbol: nullable(text),
});

const accountColumns = [
  'manual_account_id',
  'plaid_account_id',
  'crypto_manual_id',
  'crypto_synced_id',
  'deleted_account_id',
];

const isSet = (column: string): string => `CASE WHEN ${column} IS NULL THEN 0 ELSE 1 END`;

/**
 * The balance of an account at the end of a month, `YYYY-MM`. Exactly one of the five accounts is set; `symbol` only
 * with `crypto_synced_id`. `crypto_balance` is a quantity with 18 decimals.
 */
export const balanceHistory = bookTable(
  'balance_history',
  {
    id,
    book_id: integer,
    manual_account_id: looseReference('manual_accounts'),
    plaid_account_id: looseReference('plaid_accounts'),
    crypto_manual_id: looseReference('crypto_manual_accounts'),
    crypto_synced_id: looseReference('crypto_synced_accounts'),
    symbol: nullable(sortedText),
    deleted_account_id: reference('deleted_accounts'),
    month: holding('month', sortedText),
    balance: anyAmount,
    currency,
    to_base: anyAmount,
    crypto_balance: nullable(holding('quantity', text)),
  },
  {
    noun: 'balance history entry',
    // For a moment an undo leaves a row without an account.
    checks: [`${accountColumns.map(isSet).join(' + ')} <= 1`],
    uniqueTogether: [
      ['manual_account_id', 'month'],
      ['plaid_account_id', 'month'],
      ['crypto_manual_id', 'month'],
      ['crypto_synced_id', 'symbol', 'month'],
      ['deleted_account_id', 'month'],
    ],
  },
);

/** The last month, `YYYY-MM`, at whose end the balances of a book were recorded. */
export const recordedMonths = serverTable(
  'recorded_months',
  { book_id: integer, month: holding('month', sortedText) },
  { noun: 'last month of book', key: ['book_id'] },
);
