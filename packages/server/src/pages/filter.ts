import { hiddenBy, everyBit, listedKind } from '../db/derived-counts.ts';
import { earliestDate, latestDate, toInstant } from '@coffer/core/dates';
import sql, { type Sql } from 'sql-template-tag';
import { isOrNull } from '../db/rows.ts';
import type { Row } from '../db/table.ts';
import type { transactions } from '../db/tables/tables.ts';

/** The last row of a page. The rows after it are older, or of the same day with a smaller id. */
export interface RowKey {
  readonly date: string;
  readonly id: number;
}

/** True if there are counts of what the query selects: rows of some kinds, of any or one status, in a date range. */
export function isCounted({ status: _status, ...query }: TransactionQuery): boolean {
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

type TransactionStatus = 'reviewed' | 'unreviewed' | 'delete_pending';

/**
 * A validated list request, with the names of the API. A row must match every filter.
 *
 * Dates are calendar dates `YYYY-MM-DD`, both bounds inclusive. `created_since` and `updated_since` are dates or
 * instants, exclusive: a row with exactly that time does not match. For account, category and recurring ids, 0 means
 * "none". A category group matches its member categories.
 */
export interface TransactionQuery {
  /** 1 to 2000. */
  readonly limit: number;
  /** 0 to 2^53 - 1. */
  readonly offset: number;
  readonly start_date?: string;
  readonly end_date?: string;
  readonly created_since?: string;
  readonly updated_since?: string;
  readonly manual_account_id?: number;
  readonly plaid_account_id?: number;
  readonly recurring_id?: number;
  readonly category_id?: number;
  readonly tag_id?: number;
  readonly is_group_parent?: boolean;
  readonly status?: TransactionStatus;
  /** True: only with the status `reviewed`; false: only with others. */
  readonly is_reviewed?: boolean;
  /** Members of this group; only with `include_group_children`. */
  readonly group_parent_id?: number;
  /** True: only pending rows; false: no pending rows. If given, `include_pending` has no effect. */
  readonly is_pending?: boolean;
  readonly include_pending: boolean;
  readonly include_split_parents: boolean;
  readonly include_group_children: boolean;
  readonly include_children: boolean;
  readonly include_metadata: boolean;
  readonly include_files: boolean;
}

/** One page as bytes: the elements of the API's `transactions` array as JSON in UTF-8, without brackets. */
export interface TransactionPage {
  readonly json: Buffer;
  readonly hasMore: boolean;
}

type Transaction = Row<typeof transactions>;

/** The columns of a transaction that filters compare. */
type FilteredRow = Pick<
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
