import { sumParts } from './exact-sum.ts';
import { flag, integer, nullable, serverTable, text } from './table.ts';
import type { Table } from './table.ts';
import { sumKey } from './transaction-sums.ts';

const version = { book_id: integer, version: integer };
const records = { place: integer, record: text, first_id: integer, last_id: integer };

/** The tables that are computed from the transactions of a book, and its change log. */
export const computedTables: readonly Table<'server'>[] = [
  serverTable(
    'transaction_counts',
    { book_id: integer, granularity: text, period: text, listed: integer },
    { key: ['book_id', 'granularity', 'period'] },
  ),
  serverTable(
    'hidden_counts',
    { book_id: integer, granularity: text, period: text, kind: integer, number: integer },
    { key: ['book_id', 'granularity', 'period', 'kind'] },
  ),
  serverTable(
    'transaction_tags',
    { book_id: integer, tag_id: integer, date: text, transaction_id: integer },
    { key: ['book_id', 'tag_id', 'date', 'transaction_id'] },
  ),
  serverTable(
    'transaction_texts',
    { book_id: integer, text, folded: text, is_payee: flag },
    { key: ['book_id', 'text'] },
  ),
  serverTable(
    'transaction_sums',
    {
      ...{ book_id: integer, month: text, category_id: integer },
      ...{ manual_account_id: integer, plaid_account_id: integer },
      ...{ listed: integer, ...sumParts },
    },
    { key: ['book_id', ...sumKey] },
  ),
  serverTable(
    'changes',
    { ...version, at: text, actor: text, operation: text, undoes: nullable(integer) },
    { key: ['book_id', 'version'] },
  ),
  serverTable(
    'changed_records',
    { ...version, ...records, kind: text, diff: nullable(text), repeats: integer },
    { key: ['book_id', 'version', 'place'] },
  ),
];
