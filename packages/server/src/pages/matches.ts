import { toInstant } from '@coffer/core/dates';
import type { Row } from '../db/table.ts';
import type { transactions } from '../db/tables/tables.ts';
import { dateRange } from './filter.ts';
import type { TransactionQuery } from './query.ts';

type Transaction = Row<typeof transactions>;

/** The columns of a transaction that filters compare. */
export type FilteredRow = Pick<
  Transaction,
  | ('id' | 'date' | 'category_id' | 'manual_account_id' | 'plaid_account_id' | 'recurring_id')
  | ('tag_ids' | 'status' | 'is_pending' | 'is_split_parent' | 'is_group_parent')
  | ('group_parent_id' | 'created_at' | 'updated_at')
>;

/**
 * Returns a function that decides whether a query lists a row, for rows that are not in the database. Same rules as
 * `selectKeys`. `categories` are those of a category filter; null without one, or if it is 0.
 */
export function matcher(
  query: TransactionQuery,
  categories: readonly number[] | null,
): (row: FilteredRow) => boolean {
  const range = dateRange(query);
  const created = query.created_since === undefined ? '' : (toInstant(query.created_since) ?? '');
  const updated = query.updated_since === undefined ? '' : (toInstant(query.updated_since) ?? '');
  return (row) =>
    range.start_date <= row.date &&
    row.date <= range.end_date &&
    row.created_at > created &&
    row.updated_at > updated &&
    isShown(query, row) &&
    isOf(query.manual_account_id, row.manual_account_id) &&
    isOf(query.plaid_account_id, row.plaid_account_id) &&
    isOf(query.recurring_id, row.recurring_id) &&
    isIn(query, categories, row.category_id) &&
    isEqual(query.status, row.status) &&
    isEqual(query.is_reviewed, row.status === 'reviewed') &&
    isEqual<number | null>(query.group_parent_id, row.group_parent_id) &&
    isEqual(query.is_group_parent, row.is_group_parent) &&
    (query.tag_id === undefined || (JSON.parse(row.tag_ids) as number[]).includes(query.tag_id));
}

function isShown(query: TransactionQuery, row: FilteredRow): boolean {
  const { is_pending: wanted = query.include_pending ? undefined : false } = query;
  if (!isEqual(wanted, row.is_pending)) return false;
  if (row.is_split_parent && !query.include_split_parents) return false;
  return row.group_parent_id === null || query.include_group_children;
}

function isIn(
  query: TransactionQuery,
  categories: readonly number[] | null,
  id: number | null,
): boolean {
  if (categories === null) return isOf(query.category_id, id);
  return id !== null && categories.includes(id);
}

function isEqual<T>(wanted: T | undefined, value: T): boolean {
  return wanted === undefined || wanted === value;
}

/** Id 0 means no account, category or recurring item. */
function isOf(wanted: number | undefined, id: number | null): boolean {
  return wanted === undefined || (wanted === 0 ? null : wanted) === id;
}
