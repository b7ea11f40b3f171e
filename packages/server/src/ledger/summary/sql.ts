import sql, { join } from 'sql-template-tag';
import { blocksOf } from '../../db/blocks.ts';
import { exactSum, sumOf, sumParts } from '../../db/derived-tables.ts';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { flag, integer, nullable, text } from '../../db/table.ts';

/** A range of dates, both inclusive. */
export interface DateRange {
  readonly start: string;
  readonly end: string;
}

/** The sum of listed transactions of one kind: posted, parts of splits, and groups instead of their members. */
export interface ActivitySum {
  /** The index of the range. */
  readonly range: number;
  readonly categoryId: number | null;
  readonly isRecurring: boolean;
  /** For transactions without a category: whether they are credits. Otherwise false. */
  readonly isInflow: boolean;
  /** In ten-thousandths of the primary currency; money out is positive. */
  readonly toBase: bigint;
  readonly count: number;
}

const sums = exactSum('t.to_base');

/**
 * Returns the sums of transactions in ranges of dates that do not overlap, in one statement; at most 500 ranges.
 *
 * Each range has its own part of the statement, because PostgreSQL does not seek the ranges of a join. All columns are
 * in the index `transactions_to_sum`.
 */
export function* activitySums(bookId: number, ranges: readonly DateRange[]): Steps<ActivitySum[]> {
  const selects = ranges.map(
    ({ start, end }, index) => sql`
      SELECT CAST(${index} AS BIGINT) AS range_number, t.category_id,
        CASE WHEN t.recurring_id IS NULL THEN 0 ELSE 1 END AS is_recurring,
        CASE WHEN t.category_id IS NULL AND t.to_base < 0 THEN 1 ELSE 0 END AS is_inflow,
        ${sums}, count(*) AS total
      FROM transactions t
      WHERE t.book_id = ${bookId} AND t.date BETWEEN ${start} AND ${end}
        AND t.is_pending = 0 AND t.is_split_parent = 0 AND t.group_parent_id IS NULL
      GROUP BY 2, 3, 4`,
  );
  const found = yield* rowsAs(
    {
      range_number: integer,
      category_id: nullable(integer),
      is_recurring: flag,
      is_inflow: flag,
      ...sumParts,
      total: integer,
    },
    join(selects, ' UNION ALL '),
  );
  return found.map(({ range_number, category_id, is_recurring, is_inflow, total, ...row }) => ({
    range: range_number,
    categoryId: category_id,
    isRecurring: is_recurring,
    isInflow: is_inflow,
    toBase: sumOf(row),
    count: total,
  }));
}

/** The sum of listed transactions of one day. */
export interface DaySum {
  readonly date: string;
  /** In ten-thousandths of the primary currency; money out is positive. */
  readonly toBase: bigint;
}

/** Returns the sums of the transactions of some categories in a range of dates, by day; days may repeat. */
export function* daySums(
  bookId: number,
  categoryIds: readonly number[],
  { start, end }: DateRange,
): Steps<DaySum[]> {
  const days: DaySum[] = [];
  for (const block of blocksOf(categoryIds)) {
    const found = yield* rowsAs(
      { date: text, ...sumParts },
      sql`SELECT t.date, ${sums} FROM transactions t
        WHERE t.book_id = ${bookId} AND t.category_id IN (${join(block)})
          AND t.date BETWEEN ${start} AND ${end} AND t.listed = 1
        GROUP BY t.date`,
    );
    for (const row of found) days.push({ date: row.date, toBase: sumOf(row) });
  }
  return days;
}
