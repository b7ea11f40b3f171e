import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { insertMany, rows, run } from './engine.ts';
import type { Operation } from './engine.ts';

/** How many listed rows a period has; `period` is `YYYY-MM` or `YYYY-MM-DD`. */
interface PeriodCount {
  readonly period: string;
  readonly listed: number;
}

/** Where a page begins: `skip` listed rows into `date`, of `total` rows in the range. */
export interface PageStart {
  readonly total: number;
  /** The day on which the page begins; null when the offset is at or past the end. */
  readonly date: string | null;
  readonly skip: number;
}

export const earliestDate = '0001-01-01';
export const latestDate = '9999-12-31';

/**
 * Finds where the page at `offset` begins among the listed rows of a date range, by counts alone.
 *
 * Both bounds are inclusive. Its cost is two or three short index ranges, whatever the offset: month counts give the
 * month, that month's day counts give the day, and fewer rows than that day has are left to skip.
 */
export function* findPageStart(
  bookId: number,
  range: { startDate: string; endDate: string },
  offset: number,
): Operation<PageStart> {
  const months = yield* monthCounts(bookId, range);
  let total = 0;
  let before = 0;
  let month: string | null = null;
  for (const count of months) {
    if (month === null && offset < total + count.listed) {
      month = count.period;
      before = total;
    }
    total += count.listed;
  }
  if (month === null) return { total, date: null, skip: 0 };
  return { total, ...(yield* findDay(bookId, month, range, offset - before)) };
}

function* findDay(
  bookId: number,
  month: string,
  range: { startDate: string; endDate: string },
  offset: number,
): Operation<{ date: string; skip: number }> {
  let skip = offset;
  for (const day of yield* dayCounts(bookId, month, range)) {
    if (skip < day.listed) return { date: day.period, skip };
    skip -= day.listed;
  }
  throw new Error(
    `The day counts of ${month} in book ${bookId} do not add up to the month's: run the doctor`,
  );
}

/** Counts of the months of a range, newest first; months that the range cuts are counted by their days. */
function* monthCounts(
  bookId: number,
  range: { startDate: string; endDate: string },
): Operation<PeriodCount[]> {
  const first = range.startDate.slice(0, 7);
  const last = range.endDate.slice(0, 7);
  const months = yield* rows<PeriodCount>(sql`
    SELECT period, listed FROM transaction_counts
    WHERE book_id = ${bookId} AND granularity = 'month' AND period BETWEEN ${first} AND ${last}
    ORDER BY period DESC`);
  const cut = new Set<string>();
  if (range.startDate.slice(8) !== '01') cut.add(first);
  if (range.endDate.slice(8) !== '31') cut.add(last);
  if (cut.size === 0) return months;
  const counts: PeriodCount[] = [];
  for (const month of months) {
    counts.push(cut.has(month.period) ? yield* sumOfDays(bookId, month.period, range) : month);
  }
  return counts;
}

function* sumOfDays(
  bookId: number,
  month: string,
  range: { startDate: string; endDate: string },
): Operation<PeriodCount> {
  const days = yield* dayCounts(bookId, month, range);
  return { period: month, listed: days.reduce((sum, day) => sum + day.listed, 0) };
}

/** Counts of the days of one month that lie in the range, newest first. */
function* dayCounts(
  bookId: number,
  month: string,
  range: { startDate: string; endDate: string },
): Operation<PeriodCount[]> {
  const from = range.startDate > `${month}-01` ? range.startDate : `${month}-01`;
  const to = range.endDate < `${month}-31` ? range.endDate : `${month}-31`;
  return yield* rows<PeriodCount>(sql`
    SELECT period, listed FROM transaction_counts
    WHERE book_id = ${bookId} AND granularity = 'day' AND period BETWEEN ${from} AND ${to}
    ORDER BY period DESC`);
}

/** By how much the listed rows of each day change in one transaction. */
export class CountChanges {
  readonly #byDay = new Map<string, number>();

  add(date: string, change: number): void {
    this.#byDay.set(date, (this.#byDay.get(date) ?? 0) + change);
  }

  /** Writes the changes to the counts of the book: once a transaction, however many rows it touched. */
  *apply(bookId: number): Operation<void> {
    const byMonth = new Map<string, number>();
    for (const [date, change] of this.#byDay) {
      const month = date.slice(0, 7);
      byMonth.set(month, (byMonth.get(month) ?? 0) + change);
    }
    yield* changeCounts(bookId, 'day', this.#byDay);
    yield* changeCounts(bookId, 'month', byMonth);
  }
}

function* changeCounts(
  bookId: number,
  granularity: string,
  changes: ReadonlyMap<string, number>,
): Operation<void> {
  const grown: Sql[] = [];
  for (const [period, change] of changes) {
    if (change > 0) grown.push(sql`(${bookId}, ${granularity}, ${period}, ${change})`);
    if (change < 0) yield* shrink(bookId, granularity, period, -change);
  }
  while (grown.length > 0) yield* grow(grown.splice(0, grown.length < atOnce ? 1 : atOnce));
}

/** Two shapes of the statement, so that both stay prepared: many at once, and one by one what remains. */
const atOnce = 50;

function* grow(periods: readonly Sql[]): Operation<void> {
  yield* run(sql`
    INSERT INTO transaction_counts (book_id, granularity, period, listed)
    VALUES ${join(periods)}
    ON CONFLICT (book_id, granularity, period) DO UPDATE SET listed = transaction_counts.listed + excluded.listed`);
}

function* shrink(bookId: number, granularity: string, period: string, by: number): Operation<void> {
  const place = sql`book_id = ${bookId} AND granularity = ${granularity} AND period = ${period}`;
  yield* run(sql`DELETE FROM transaction_counts WHERE ${place} AND listed = ${by}`);
  yield* run(sql`UPDATE transaction_counts SET listed = listed - ${by} WHERE ${place}`);
}

/** One place in which the counts and the rows disagree. */
export interface CountDifference {
  readonly book_id: number;
  readonly granularity: string;
  readonly period: string;
  readonly counted: number;
  readonly actual: number;
}

/** Counts every listed row anew and returns where the kept counts differ. */
export function* compareCounts(): Operation<CountDifference[]> {
  return yield* rows<CountDifference>(sql`
    WITH actual (book_id, granularity, period, listed) AS (
      SELECT book_id, 'day', date, CAST(sum(listed) AS BIGINT) FROM transactions
      GROUP BY book_id, date HAVING sum(listed) > 0
      UNION ALL
      SELECT book_id, 'month', substr(date, 1, 7), CAST(sum(listed) AS BIGINT) FROM transactions
      GROUP BY book_id, substr(date, 1, 7) HAVING sum(listed) > 0
    )
    SELECT book_id, granularity, period, CAST(sum(counted) AS BIGINT) AS counted,
      CAST(sum(actual) AS BIGINT) AS actual FROM (
      SELECT book_id, granularity, period, 0 AS counted, listed AS actual FROM actual
      UNION ALL
      SELECT book_id, granularity, period, listed, 0 FROM transaction_counts
    ) counts GROUP BY book_id, granularity, period HAVING sum(counted) <> sum(actual)
    ORDER BY book_id, granularity, period`);
}

/** Replaces the kept counts where they differ from the rows. */
export function* repairCounts(differences: readonly CountDifference[]): Operation<void> {
  for (const { book_id, granularity, period } of differences) {
    yield* run(sql`
      DELETE FROM transaction_counts
      WHERE book_id = ${book_id} AND granularity = ${granularity} AND period = ${period}`);
  }
  yield* insertMany(
    'transaction_counts',
    ['book_id', 'granularity', 'period', 'listed'],
    differences
      .filter(({ actual }) => actual > 0)
      .map(({ book_id, granularity, period, actual }) => [book_id, granularity, period, actual]),
  );
}
