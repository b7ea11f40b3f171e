import {
  bookTable,
  flag,
  integer,
  naming,
  nullable,
  reference,
  text,
  withDefault,
} from '../table.ts';
import type { NamedRecord, NewIdOf } from '../table.ts';
import { transactionCounts } from '../transaction-counts.ts';
import { transactionSums } from '../transaction-sums.ts';
import { transactionTags } from '../transaction-tags.ts';
import { transactionTexts } from '../transaction-texts.ts';

const times = { created_at: text, updated_at: text };

const tagsIn = (ids: string): NamedRecord[] =>
  ids === '[]' ? [] : (JSON.parse(ids) as number[]).map((each) => ['tags', each]);

const withTags = (ids: string, idOf: NewIdOf): string =>
  JSON.stringify((JSON.parse(ids) as number[]).map((each) => idOf('tags', each)));

/** The `own_` columns keep the row's own values while those of a recurring item are shown instead. */
export const transactions = bookTable(
  'transactions',
  {
    id: integer,
    book_id: integer,
    date: text,
    amount: integer,
    currency: text,
    to_base: integer,
    payee: text,
    original_name: nullable(text),
    notes: nullable(text),
    category_id: reference('categories'),
    manual_account_id: reference('manual_accounts'),
    plaid_account_id: reference('plaid_accounts'),
    recurring_id: reference('recurring_items'),
    external_id: nullable(text),
    tag_ids: withDefault(naming(['tags'], tagsIn, withTags)),
    status: text,
    is_pending: withDefault(flag),
    is_split_parent: withDefault(flag),
    split_parent_id: reference('transactions'),
    is_group_parent: withDefault(flag),
    group_parent_id: reference('transactions'),
    source: nullable(text),
    plaid_metadata: nullable(text),
    custom_metadata: nullable(text),
    own_payee: nullable(text),
    own_notes: nullable(text),
    own_category_id: reference('categories'),
    // The id at the bank, only of transactions in synced accounts.
    remote_id: nullable(text),
    // The import that created it; null also for rows that were imported before schema 5.
    import_id: nullable(integer),
    ...times,
  },
  {
    generated: ['listed', 'json'],
    uniqueTogether: [
      ['remote_id', 'plaid_account_id'],
      ['external_id', 'manual_account_id'],
    ],
    exclusive: [['manual_account_id', 'plaid_account_id']],
    derived: [transactionCounts, transactionTags, transactionTexts, transactionSums],
  },
);
