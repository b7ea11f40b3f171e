import { accountDayKey, activityKey, sumParts, sumKey } from './derived-tables.ts';
import {
  integer,
  text,
  sortedText,
  flag,
  positive,
  oneOf,
  nullable,
  withDefault,
  requiredReference,
  partOf,
  checked,
  sorted,
  serverTable,
  bytes,
} from './table.ts';
import type { Table } from './table.ts';

const granularity = sorted(oneOf('month', 'day'));
const version = { book_id: integer, version: integer };
const records = { place: integer, record: sortedText, first_id: integer, last_id: integer };

/** The tables that are computed from the transactions of a book, and its change log. */
export const computedTables: readonly Table<'server'>[] = [
  serverTable(
    'transaction_counts',
    { book_id: integer, granularity, period: sortedText, listed: positive },
    { key: ['book_id', 'granularity', 'period'] },
  ),
  serverTable(
    'hidden_counts',
    {
      book_id: integer,
      granularity,
      period: sortedText,
      kind: checked(integer, '@ BETWEEN 1 AND 7'),
      number: positive,
    },
    { key: ['book_id', 'granularity', 'period', 'kind'] },
  ),
  serverTable(
    'status_counts',
    {
      book_id: integer,
      granularity,
      kind: checked(integer, '@ BETWEEN 0 AND 7'),
      status: sorted(oneOf('reviewed', 'delete_pending')),
      period: sortedText,
      number: positive,
    },
    { key: ['book_id', 'granularity', 'status', 'period', 'kind'] },
  ),
  serverTable(
    'transaction_tags',
    {
      book_id: integer,
      tag_id: requiredReference('tags'),
      date: sortedText,
      transaction_id: partOf('transactions'),
    },
    { key: ['book_id', 'tag_id', 'date', 'transaction_id'] },
  ),
  serverTable(
    'transaction_texts',
    { book_id: integer, text: sortedText, folded: sortedText, is_payee: flag },
    { key: ['book_id', 'text'] },
  ),
  serverTable(
    'search_blocks',
    {
      book_id: integer,
      // No row of the block has a smaller id.
      first_id: integer,
      // The range of its dates, as numbers: 20241231.
      first_day: integer,
      last_day: integer,
      // The words of its rows come before the block: SQLite reads the bytes of a row only as far as it must.
      words: bytes,
      block: bytes,
    },
    { key: ['book_id', 'first_id'], sqliteRows: 'row' },
  ),
  serverTable(
    'search_progress',
    {
      book_id: integer,
      // The blocks have the changes up to it; a search reads later ones from the change log.
      version: integer,
      // The last id that the blocks have while they are filled; null when they have all.
      filled_id: nullable(integer),
    },
    { key: ['book_id'] },
  ),
  serverTable(
    'transaction_sums',
    {
      book_id: integer,
      month: sortedText,
      category_id: integer,
      manual_account_id: integer,
      plaid_account_id: integer,
      listed: integer,
      ...sumParts,
    },
    { key: ['book_id', ...sumKey] },
  ),
  serverTable(
    'activity_sums',
    {
      book_id: integer,
      month: sortedText,
      category_id: integer,
      kind: checked(integer, '@ BETWEEN 0 AND 3'),
      listed: integer,
      ...sumParts,
    },
    { key: ['book_id', ...activityKey] },
  ),
  serverTable(
    'account_days',
    {
      book_id: integer,
      manual_account_id: integer,
      plaid_account_id: integer,
      date: sortedText,
      currency: sortedText,
      listed: integer,
      ...sumParts,
    },
    { key: ['book_id', ...accountDayKey] },
  ),
  serverTable(
    'changes',
    { ...version, at: sortedText, actor: text, operation: text, undoes: nullable(integer) },
    { key: ['book_id', 'version'] },
  ),
  serverTable(
    'changed_records',
    {
      ...version,
      ...records,
      kind: sorted(oneOf('made', 'changed', 'removed')),
      diff: nullable(text),
      repeats: withDefault(integer, 0),
    },
    { key: ['book_id', 'version', 'place'] },
  ),
];
