import { transactionCounts } from '../derived-counts.ts';
import { statusCounts } from '../derived-counts.ts';
import {
  accountDays,
  activitySums,
  transactionTags,
  transactionSums,
  transactionPayees,
} from '../derived-tables.ts';
import {
  integer,
  text,
  sortedText,
  flag,
  amount,
  day,
  oneOf,
  nullable,
  withDefault,
  reference,
  looseReference,
  naming,
  sorted,
  bookTable,
  idOf,
  currency,
  json,
} from '../table.ts';
import type { NamedRecord, NewIdOf } from '../table.ts';

const times = { created_at: sortedText, updated_at: sortedText };

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
