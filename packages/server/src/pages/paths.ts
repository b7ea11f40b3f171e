import { toInstant } from '@coffer/core/dates';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { Dialect } from '../db/dialect.ts';
import { dialectOf, row, type Steps } from '../db/engine.ts';
import { isOrNull } from '../db/rows.ts';
import { dateRange, filterConditions, visibilityConditions } from './filter.ts';
import type { TransactionQuery, RowKey } from './filter.ts';
import { padded } from '../db/blocks.ts';

/** A filter that an index has; `date` is the range of dates, which all lists have. */
type PathFilter = keyof TransactionQuery | 'date';

/** The entries of an index that a path reads. */
interface PathPart {
  /** The name of the index; null for the primary key of `transaction_tags`. */
  readonly index: string | null;
  /** Its condition on row `t`, or on row `k` of `transaction_tags`. */
  readonly own: Sql;
}

/** A way to read a filtered list: by the index entries of one of its filters. */
export interface Path {
  readonly filter: PathFilter;
  readonly parts: readonly PathPart[];
  /** Whether each part is in the order of the list. If not, all of its rows are read and sorted. */
  readonly isInOrder: boolean;
}

/** A query with the categories of its category filter: see `categoriesOf`. */
export interface FilterOf {
  readonly query: TransactionQuery;
  readonly categories: readonly number[] | null;
}

const always = sql`1 = 1`;
const byDate: Path = {
  filter: 'date',
  parts: [{ index: 'transactions_by_date', own: always }],
  isInOrder: true,
};

/** Returns the paths of a query, one for each filter that an index has. The first is best if all have as many rows. */
function pathsOf({ query, categories }: FilterOf): Path[] {
  const paths: Path[] = [];
  const add = (filter: PathFilter, parts: readonly PathPart[], isInOrder = true) =>
    paths.push({ filter, parts, isInOrder });
  const byColumn = (filter: PathFilter, index: string, own: Sql, isInOrder = true) =>
    add(filter, [{ index, own }], isInOrder);
  const { category_id, manual_account_id, plaid_account_id, recurring_id, tag_id } = query;
  const { status, is_reviewed, group_parent_id, created_since, updated_since } = query;
  if (query.is_pending === true)
    byColumn('is_pending', 'transactions_pending', isTrue('is_pending'));
  if (query.is_group_parent === true)
    byColumn('is_group_parent', 'transactions_group_parents', isTrue('is_group_parent'));
  if (group_parent_id !== undefined)
    byColumn(
      'group_parent_id',
      'transactions_by_group_parent',
      sql`t.group_parent_id = ${group_parent_id}`,
      false,
    );
  if (recurring_id)
    byColumn('recurring_id', 'transactions_by_recurring', sql`t.recurring_id = ${recurring_id}`);
  if (tag_id !== undefined) add('tag_id', [{ index: null, own: sql`k.tag_id = ${tag_id}` }]);
  if (category_id !== undefined) add('category_id', partsOfCategories(categories));
  if (manual_account_id !== undefined)
    byColumn(
      'manual_account_id',
      'transactions_by_manual_account',
      isOrNull(sql`t.manual_account_id`, manual_account_id || null),
    );
  if (plaid_account_id)
    byColumn(
      'plaid_account_id',
      'transactions_by_plaid_account',
      sql`t.plaid_account_id = ${plaid_account_id}`,
    );
  if (status !== undefined || is_reviewed !== undefined) add('status', partsOfStatus(query));
  if (updated_since !== undefined) add('updated_since', partsOfUpdate(updated_since), false);
  if (created_since !== undefined) add('created_since', partsOfCreation(created_since), false);
  return paths;
}

function isTrue(column: string): Sql {
  return raw(`t.${column} = 1`);
}

function partsOfCategories(categories: readonly number[] | null): PathPart[] {
  const index = 'transactions_by_category';
  if (categories === null) return [{ index, own: sql`t.category_id IS NULL` }];
  return categories.map((id) => ({ index, own: sql`t.category_id = ${id}` }));
}

function partsOfStatus({ status, is_reviewed }: TransactionQuery): PathPart[] {
  const reviewed = is_reviewed === true ? ['reviewed'] : ['unreviewed', 'delete_pending'];
  const statuses = status === undefined ? reviewed : [status];
  return statuses.map((each) => ({
    index: 'transactions_by_status',
    own: sql`t.status = ${each}`,
  }));
}

/** Rows that never changed have one time for both. */
const neverChanged = sql`t.created_at = t.updated_at`;
const changed = sql`t.created_at <> t.updated_at`;

function partsOfUpdate(since: string): PathPart[] {
  const isLater = sql`t.updated_at > ${toInstant(since)}`;
  return [
    { index: 'transactions_unchanged', own: sql`${neverChanged} AND ${isLater}` },
    { index: 'transactions_by_update', own: sql`${changed} AND ${isLater}` },
  ];
}

function partsOfCreation(since: string): PathPart[] {
  const instant = toInstant(since);
  return [
    { index: 'transactions_unchanged', own: sql`${neverChanged} AND t.updated_at > ${instant}` },
    { index: 'transactions_by_creation', own: sql`${changed} AND t.created_at > ${instant}` },
  ];
}

/** How many rows of each path are counted, until one has fewer. Above the last, all are large. */
const countedRows = [1000, 20_000, 160_000] as const;

/** The path of a list in one state of a book. */
export interface ChosenPath extends Path {
  /** Whether it is known that it has no rows. */
  readonly isEmpty: boolean;
}

/**
 * Returns the path by which a list is read: that of the filter with the fewest rows in the range of dates.
 *
 * Rows are only counted if there is a choice, or if they would have to be sorted. That takes less time than reading the
 * rows of the path.
 */
export function* bestPath(bookId: number, filter: FilterOf): Steps<ChosenPath> {
  const [first = byDate, ...others] = pathsOf(filter);
  if (others.length === 0 && first.isInOrder) return { ...first, isEmpty: false };
  const { query } = filter;
  const isRange = query.start_date !== undefined || query.end_date !== undefined;
  const paths = [first, ...others, ...(isRange ? [byDate] : [])];
  for (const most of countedRows) {
    let least = { path: first, rows: most as number };
    for (const path of paths) {
      const count = yield* countOf(bookId, query, path, least.rows);
      if (count < least.rows) least = { path, rows: count };
      if (count === 0) break;
    }
    if (least.rows < most) return { ...least.path, isEmpty: least.rows === 0 };
  }
  return { ...usualPath(filter), isEmpty: false };
}

/** Returns the number of rows of a path in the range of dates, at most `most`. */
function* countOf(
  bookId: number,
  query: TransactionQuery,
  { parts, isInOrder }: Path,
  most: number,
): Steps<number> {
  const dialect = yield* dialectOf();
  const { start_date, end_date } = dateRange(query);
  const selects = parts.map(({ index, own }) => {
    const alias = raw(index === null ? 'k' : 't');
    const dates = isInOrder
      ? sql`AND ${alias}.date >= ${start_date} AND ${alias}.date <= ${end_date}`
      : empty;
    const from = index === null ? raw('transaction_tags k') : tableBy(index, dialect);
    return sql`SELECT 1 AS one FROM ${from} WHERE ${alias}.book_id = ${bookId} AND ${own} ${dates}`;
  });
  const counted = yield* row<{ readonly number: number }>(
    sql`SELECT count(*) AS number FROM (${join(selects, ' UNION ALL ')} LIMIT ${most}) counted`,
  );
  return counted!.number;
}

/** Returns the table of transactions `t`, read by an index. */
function tableBy(index: string, { withIndex }: Dialect): Sql {
  return sql`transactions t ${withIndex(index)}`;
}

/** Returns a path of a query that is in the order of the list, without counting rows. */
export function usualPath(filter: FilterOf): Path {
  return pathsOf(filter).find(({ isInOrder }) => isInOrder) ?? byDate;
}

/** Where a list of keys begins, and what its rows must also match. */
interface KeysFrom {
  /** Exclusive; null for the first row. */
  readonly after: RowKey | null;
  /** Conditions on `t`. */
  readonly more?: readonly Sql[];
}

/**
 * Returns a SELECT of the keys (`date`, `id`) of the matching rows, newest first.
 *
 * Each part of a path reads one index. If it is in the order of the list, the engine merges several parts, as for the
 * members of a category group, without sorting.
 */
export function selectKeys(
  bookId: number,
  filter: FilterOf,
  path: Path,
  { after, more = [] }: KeysFrom,
  dialect: Dialect,
): Sql {
  const { query } = filter;
  const conditions = [
    ...more,
    ...dateConditions(query, after, path),
    ...visibilityConditions(query),
    ...filterConditions(query),
    ...otherConditions(filter, path, dialect),
  ];
  const where = join(conditions, ' AND ');
  const branches = path.parts.map(({ index, own }) =>
    index === null
      ? sql`SELECT k.date AS date, k.transaction_id AS id
          FROM transaction_tags k CROSS JOIN transactions t
          WHERE t.book_id = k.book_id AND t.id = k.transaction_id
            AND k.book_id = ${bookId} AND ${own} AND ${where}`
      : sql`SELECT t.date AS date, t.id AS id FROM ${tableBy(index, dialect)}
          WHERE t.book_id = ${bookId} AND ${own} AND ${where}`,
  );
  const keys = join(branches, ' UNION ALL ');
  return path.isInOrder
    ? sql`${keys} ORDER BY date DESC, id DESC`
    : sql`SELECT date, id FROM (${keys} ${dialect.asItIs}) found ORDER BY date DESC, id DESC`;
}

function dateConditions(query: TransactionQuery, after: RowKey | null, { filter }: Path): Sql[] {
  const { start_date, end_date } = dateRange(query);
  // The tag table has a copy of the date in its key.
  const [date, id] =
    filter === 'tag_id' ? [sql`k.date`, sql`k.transaction_id`] : [sql`t.date`, sql`t.id`];
  if (after === null) return [sql`${date} >= ${start_date}`, sql`${date} <= ${end_date}`];
  // With two upper bounds the engine may use the wrong one to seek in the index. So there is only that of the key.
  return [
    sql`${date} >= ${start_date}`,
    sql`${date} <= ${after.date}`,
    sql`(${date} < ${after.date} OR ${id} < ${after.id})`,
  ];
}

/** Conditions for categories and tags, unless the path has them. */
function otherConditions({ query, categories }: FilterOf, path: Path, dialect: Dialect): Sql[] {
  const conditions: Sql[] = [];
  if (query.category_id !== undefined && path.filter !== 'category_id')
    conditions.push(
      categories === null
        ? sql`t.category_id IS NULL`
        : sql`t.category_id IN (${join(padded(categories, categories[0]!))})`,
    );
  if (query.tag_id !== undefined && path.filter !== 'tag_id')
    conditions.push(sql`EXISTS (SELECT 1 FROM transaction_tags k ${dialect.withIndex('transaction_tags_by_transaction')}
      WHERE k.book_id = t.book_id AND k.transaction_id = t.id AND k.tag_id = ${query.tag_id})`);
  return conditions;
}
