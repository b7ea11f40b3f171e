import sql, { empty, join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { TransactionQuery } from './query.ts';
import { everyBit, hiddenBy, listedKind } from '../db/transaction-counts.ts';
import { isOrNull } from '../db/rows.ts';
import { earliestDate, latestDate, toInstant } from '@coffer/core/dates';

/** The last row of a page. The rows after it are older, or of the same day with a smaller id. */
export interface RowKey {
  readonly date: string;
  readonly id: number;
}

/** True if there are counts of what the query selects: rows of some kinds within a date range. */
export function isCounted(query: TransactionQuery): boolean {
  return (
    filterConditions(query).length === 0 &&
    query.tag_id === undefined &&
    query.category_id === undefined
  );
}

/** Returns the date range of a query. Missing ends become the first and last day of the calendar. */
export function dateRange(query: TransactionQuery): { start_date: string; end_date: string } {
  return { start_date: query.start_date ?? earliestDate, end_date: query.end_date ?? latestDate };
}

/** Returns a name for a filter. Queries with the same name select the same rows of a book in the same order. */
export function filterName(query: TransactionQuery): string {
  const filter = Object.entries(query).filter(([name]) => name !== 'limit' && name !== 'offset');
  return JSON.stringify(filter.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns a SELECT of the keys (`date`, `id`) of the matching rows, newest first, after `after` (exclusive).
 *
 * Each branch reads one index that starts with the book and the filter, and is already in the order of the list. The
 * engine merges several branches, as for the members of a category group, without sorting. `more`: conditions on `t`.
 */
export function selectKeys(
  bookId: number,
  query: TransactionQuery,
  categories: readonly number[] | null,
  after: RowKey | null,
  more: readonly Sql[] = [],
): Sql {
  const conditions = [
    ...more,
    ...dateConditions(query, after),
    ...visibilityConditions(query),
    ...filterConditions(query),
  ];
  const branches = (categories ?? [null]).map((category) =>
    selectBranch(bookId, query, category, conditions),
  );
  return sql`${join(branches, ' UNION ALL ')} ORDER BY date DESC, id DESC`;
}

function selectBranch(
  bookId: number,
  query: TransactionQuery,
  category: number | null,
  conditions: readonly Sql[],
): Sql {
  const byCategory = category === null ? empty : sql`AND t.category_id = ${category}`;
  const uncategorized = query.category_id === 0 ? sql`AND t.category_id IS NULL` : empty;
  const where = sql`${byCategory} ${uncategorized} AND ${join(conditions, ' AND ')}`;
  if (query.tag_id === undefined) {
    return sql`SELECT t.date AS date, t.id AS id FROM transactions t WHERE t.book_id = ${bookId} ${where}`;
  }
  return sql`SELECT k.date AS date, k.transaction_id AS id
    FROM transaction_tags k CROSS JOIN transactions t
    WHERE t.book_id = k.book_id AND t.id = k.transaction_id
      AND k.book_id = ${bookId} AND k.tag_id = ${query.tag_id} ${where}`;
}

function dateConditions(query: TransactionQuery, after: RowKey | null): Sql[] {
  const { start_date, end_date } = dateRange(query);
  // The tag table has a copy of the date in its key.
  const [date, id] =
    query.tag_id === undefined ? [sql`t.date`, sql`t.id`] : [sql`k.date`, sql`k.transaction_id`];
  if (after === null) return [sql`${date} >= ${start_date}`, sql`${date} <= ${end_date}`];
  // With two upper bounds the engine may use the wrong one to seek in the index. So there is only that of the key.
  return [
    sql`${date} >= ${start_date}`,
    sql`${date} <= ${after.date}`,
    sql`(${date} < ${after.date} OR ${id} < ${after.id})`,
  ];
}

/** The kinds of rows that a query shows: those whose bits in `mask` are `bits`. See `hiddenBy`. */
export interface ShownKinds {
  readonly mask: number;
  readonly bits: number;
}

/** Returns the kinds of rows that a query shows. Same rule as {@link visibilityConditions}. */
export function shownKinds(query: TransactionQuery): ShownKinds {
  const { isPending, isSplitParent, isGroupMember } = hiddenBy;
  const wanted = query.is_pending ?? (query.include_pending ? undefined : false);
  const mask =
    (wanted === undefined ? 0 : isPending) +
    (query.include_split_parents ? 0 : isSplitParent) +
    (query.include_group_children ? 0 : isGroupMember);
  return { mask, bits: wanted === true ? isPending : 0 };
}

/** Whether these are the rows that a plain list shows, and no others. */
export function isOnlyListed({ mask, bits }: ShownKinds): boolean {
  return mask === everyBit && bits === listedKind;
}

/** Whether a query shows the rows that a plain list shows, and no others. */
export function showsListed(query: TransactionQuery): boolean {
  return isOnlyListed(shownKinds(query));
}

/** Conditions for the rows that a plain list hides. */
export function visibilityConditions(query: TransactionQuery): Sql[] {
  if (showsListed(query)) return [sql`t.listed = 1`];
  const conditions: Sql[] = [];
  if (query.is_pending === true) conditions.push(sql`t.is_pending = 1`);
  else if (query.is_pending === false || !query.include_pending)
    conditions.push(sql`t.is_pending = 0`);
  if (!query.include_split_parents) conditions.push(sql`t.is_split_parent = 0`);
  if (!query.include_group_children) conditions.push(sql`t.group_parent_id IS NULL`);
  return conditions;
}

/** Conditions of filters that compare columns of a row, without dates, categories and tags. */
export function filterConditions(query: TransactionQuery): Sql[] {
  const conditions: Sql[] = [];
  if (query.created_since !== undefined)
    conditions.push(sql`t.created_at > ${toInstant(query.created_since)}`);
  if (query.updated_since !== undefined)
    conditions.push(sql`t.updated_at > ${toInstant(query.updated_since)}`);
  if (query.manual_account_id !== undefined) {
    conditions.push(equalsOrNone(sql`t.manual_account_id`, query.manual_account_id));
  }
  if (query.plaid_account_id !== undefined) {
    conditions.push(equalsOrNone(sql`t.plaid_account_id`, query.plaid_account_id));
  }
  if (query.recurring_id !== undefined) {
    conditions.push(equalsOrNone(sql`t.recurring_id`, query.recurring_id));
  }
  if (query.is_group_parent !== undefined) {
    conditions.push(
      query.is_group_parent ? sql`t.is_group_parent = 1` : sql`t.is_group_parent = 0`,
    );
  }
  if (query.status !== undefined) conditions.push(sql`t.status = ${query.status}`);
  if (query.is_reviewed !== undefined)
    conditions.push(query.is_reviewed ? sql`t.status = 'reviewed'` : sql`t.status <> 'reviewed'`);
  if (query.group_parent_id !== undefined)
    conditions.push(sql`t.group_parent_id = ${query.group_parent_id}`);
  return conditions;
}

/** Id 0 means no account or recurring item. */
function equalsOrNone(column: Sql, id: number): Sql {
  return isOrNull(column, id === 0 ? null : id);
}
