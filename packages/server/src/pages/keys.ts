import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { padded } from '../db/blocks.ts';
import type { Dialect } from '../db/dialect.ts';
import { dateRange, filterConditions, visibilityConditions } from './filter.ts';
import type { RowKey, TransactionQuery } from './filter.ts';
import { tableBy } from './paths.ts';
import type { FilterOf, Path } from './paths.ts';

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
