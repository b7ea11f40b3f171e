import { transactionCounts, statusCounts, primaryCurrencies } from '../derived-counts.ts';
import {
  accountDays,
  activitySums,
  transactionTags,
  transactionSums,
  transactionPayees,
} from '../derived-tables.ts';
import {
  checked,
  sorted,
  local,
  integer,
  text,
  sortedText,
  flag,
  anyAmount,
  amount,
  positive,
  anyDay,
  day,
  currency,
  json,
  id,
  oneOf,
  nullable,
  withDefault,
  idOf,
  reference,
  looseReference,
  requiredReference,
  partOf,
  naming,
  bookTable,
  serverTable,
} from '../table.ts';
import type { NamedRecord, NewIdOf } from '../table.ts';

/* Transactions, and what sorts, plans and changes them. */

const times = { created_at: sortedText, updated_at: sortedText };

/**
 * The primary currency of a book that was changed when the book had amounts, as a record with a history. Other books
 * have none. The row of the book always has the same currency.
 */
export const bookSettings = bookTable(
  'book_settings',
  {
    book_id: integer,
    // Always 1, because a record has an integer in its key, and a book has one record.
    number: checked(integer, '@ = 1'),
    primary_currency: currency,
    /** The primary currency before the record was created. */
    first_currency: currency,
  },
  { noun: 'book settings', key: ['number'], derived: [primaryCurrencies] },
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

/**
 * Recurring items. `amount` and `amount_tolerance` are ten-thousandths: a transaction may differ from the amount by the
 * tolerance. The `override_` columns are shown for linked transactions.
 */
export const recurringItems = bookTable(
  'recurring_items',
  {
    id,
    book_id: integer,
    description: nullable(text),
    status: oneOf('suggested', 'reviewed', 'dismissed'),
    source: oneOf('manual', 'transaction', 'system'),
    start_date: nullable(anyDay),
    end_date: nullable(anyDay),
    granularity: oneOf('day', 'week', 'month', 'year'),
    quantity: positive,
    anchor_date: day,
    payee: nullable(text),
    amount,
    amount_tolerance: withDefault(checked(anyAmount, '@ BETWEEN 0 AND 9007199254740991'), 0),
    to_base: amount,
    currency,
    manual_account_id: looseReference('manual_accounts'),
    plaid_account_id: looseReference('plaid_accounts'),
    override_payee: nullable(text),
    override_notes: nullable(text),
    override_category_id: reference('categories'),
    created_by: integer,
    created_at: text,
    updated_at: text,
  },
  { noun: 'recurring item', exclusive: [['manual_account_id', 'plaid_account_id']] },
);

const tagsIn = (ids: string): NamedRecord[] =>
  ids === '[]' ? [] : (JSON.parse(ids) as number[]).map((each) => ['tags', each]);

const withTags = (ids: string, idOf: NewIdOf): string =>
  JSON.stringify((JSON.parse(ids) as number[]).map((each) => idOf('tags', each)));

const sources = [
  'api',
  'csv',
  'manual',
  'merge',
  'plaid',
  'recurring',
  'rule',
  'split',
  'user',
] as const;

/** The `own_` columns keep the row's own values while those of a recurring item are shown instead. */
export const transactions = bookTable(
  'transactions',
  {
    id: integer,
    book_id: integer,
    date: sorted(day),
    amount,
    currency,
    to_base: amount,
    payee: text,
    original_name: nullable(text),
    notes: nullable(text),
    category_id: reference('categories'),
    manual_account_id: looseReference('manual_accounts'),
    plaid_account_id: looseReference('plaid_accounts'),
    recurring_id: looseReference('recurring_items'),
    external_id: nullable(sortedText),
    tag_ids: withDefault(naming(['tags'], tagsIn, withTags), '[]'),
    status: sorted(oneOf<string>('reviewed', 'unreviewed', 'delete_pending')),
    is_pending: withDefault(flag, 0),
    is_split_parent: withDefault(flag, 0),
    split_parent_id: looseReference('transactions'),
    is_group_parent: withDefault(flag, 0),
    group_parent_id: looseReference('transactions'),
    source: nullable(oneOf<string>(...sources)),
    plaid_metadata: nullable(json),
    custom_metadata: nullable(json),
    own_payee: nullable(text),
    own_notes: nullable(text),
    own_category_id: looseReference('categories'),
    // The id at the bank, only of transactions in synced accounts.
    remote_id: nullable(sortedText),
    // The import that created it, if it is known.
    import_id: nullable(idOf('imports')),
    ...times,
  },
  {
    noun: 'transaction',
    generated: ['listed', 'json'],
    sqliteRows: 'id',
    uniqueTogether: [
      ['remote_id', 'plaid_account_id'],
      ['external_id', 'manual_account_id'],
    ],
    exclusive: [['manual_account_id', 'plaid_account_id']],
    derived: [
      transactionCounts,
      statusCounts,
      transactionTags,
      transactionPayees,
      transactionSums,
      activitySums,
      accountDays,
    ],
  },
);

/**
 * Files attached to transactions, without their bytes. `size` is in kilobytes. `storage_key` is the key of the bytes in
 * the file store; null for a record whose bytes were never stored here.
 */
export const transactionFiles = bookTable(
  'transaction_files',
  {
    id,
    book_id: integer,
    transaction_id: partOf('transactions'),
    uploaded_by: integer,
    name: text,
    type: text,
    size: integer,
    notes: nullable(text),
    created_at: sortedText,
    storage_key: local(nullable(text)),
  },
  { noun: 'attached file', sqliteRows: 'id' },
);

/**
 * What the bytes under a key must be: their number, and their SHA-256 in hexadecimal digits. They never change. No row
 * for a file that a development version stored, until the job adds it.
 */
export const storedFiles = serverTable(
  'stored_files',
  {
    book_id: integer,
    storage_key: sortedText,
    bytes: checked(integer, '@ >= 0'),
    sha256: checked(text, 'length(@) = 64'),
  },
  { key: ['book_id', 'storage_key'] },
);

/** How a transfer was found: by the number of an own account in a file, by what its rows say, or by a user. */
export const transferSources = ['account_number', 'rows', 'user'] as const;

/**
 * Pairs of transactions that are one movement of money between two own accounts. What the pair moves, its rate and its
 * fee follow from the two rows, so they are not stored. The ids are no references: a pair hinders neither the removal
 * of a transaction nor an undo, and counts only while both rows can be one: see
 * `ledger/transactions/transfers/pairs.ts`.
 */
export const transfers = bookTable(
  'transfers',
  {
    id,
    book_id: integer,
    /** The transaction with which money leaves an account. */
    sent_id: idOf('transactions'),
    /** The transaction with which it arrives. */
    received_id: idOf('transactions'),
    found_by: oneOf(...transferSources),
    created_at: sortedText,
  },
  { noun: 'transfer', sqliteRows: 'id', uniqueTogether: [['sent_id'], ['received_id']] },
);

/** What is budgeted for a category in the period that starts on a date. Amounts are ten-thousandths. */
export const budgets = bookTable(
  'budgets',
  {
    book_id: integer,
    category_id: requiredReference('categories'),
    start_date: sorted(day),
    amount,
    currency,
    to_base: amount,
    notes: nullable(text),
  },
  { noun: 'budget', key: ['category_id', 'start_date'] },
);

/** The periods of a book's budgets, and preferences. Without a record the book has the default settings. */
export const budgetSettings = bookTable(
  'budget_settings',
  {
    book_id: integer,
    // Always 1, because a record has an integer in its key, and a book has one record.
    number: checked(integer, '@ = 1'),
    granularity: oneOf('day', 'week', 'month', 'year', 'twice a month'),
    quantity: positive,
    anchor_date: day,
    hide_no_activity: flag,
    use_last_day_of_month: flag,
    income_option: oneOf('max', 'budgeted', 'activity'),
    rollover_left_to_budget: flag,
  },
  { noun: 'budget settings', key: ['number'] },
);

/** How budgets and screens treat a category: whether what is left of its budgets carries over, and how it looks. */
export const categorySettings = bookTable(
  'category_settings',
  {
    book_id: integer,
    category_id: requiredReference('categories'),
    rollover: flag,
    icon: nullable(text),
    colour: nullable(text),
  },
  { noun: 'category settings', key: ['category_id'] },
);

/** What the JSON of a rule can name, by the names of its properties. */
const tableOf: Readonly<Record<string, string>> = {
  category_id: 'categories',
  manual_account_id: 'manual_accounts',
  plaid_account_id: 'plaid_accounts',
};

function namedIn(json: string): NamedRecord[] {
  const {
    tag_ids = [],
    split = [],
    ...rest
  } = JSON.parse(json) as {
    readonly tag_ids?: readonly number[];
    readonly split?: readonly object[];
  };
  const pairs = [rest, ...split].flatMap((each) =>
    Object.entries<number>(each as Record<string, number>),
  );
  return [
    ...tag_ids.map((id): NamedRecord => ['tags', id]),
    ...pairs.flatMap(([name, id]): NamedRecord[] =>
      name in tableOf ? [[tableOf[name]!, id]] : [],
    ),
  ];
}

function relabel(json: string, idOf: NewIdOf): string {
  const relabelled: unknown = JSON.parse(json, (name, value: unknown) => {
    if (name === 'tag_ids') return (value as number[]).map((id) => idOf('tags', id));
    return Object.hasOwn(tableOf, name) ? idOf(tableOf[name]!, value as number) : value;
  });
  return JSON.stringify(relabelled);
}

/**
 * `conditions` and `actions` are JSON, with amounts in ten-thousandths. `position` sorts the rules of a book; gaps are
 * allowed.
 */
export const rules = bookTable(
  'rules',
  {
    id,
    book_id: integer,
    position: integer,
    name: text,
    conditions: naming(Object.values(tableOf), namedIn, relabel),
    actions: naming(['tags', tableOf['category_id']!], namedIn, relabel),
    stop: withDefault(flag, 0),
    enabled: withDefault(flag, 1),
    created_at: text,
    updated_at: text,
  },
  { noun: 'rule' },
);
