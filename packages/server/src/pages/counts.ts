import sql from 'sql-template-tag';
import { rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';

/** The number of listed rows in a period. `period` is `YYYY-MM` or `YYYY-MM-DD`. */
interface PeriodCount {
  readonly period: string;
  readonly listed: number;
}

/** Where a page starts: after `skip` listed rows of `date`. `total` is the number of rows in the range. */
export interface PageStart {
  readonly total: number;
  /** The day on which the page starts; null if the offset is at or past the end. */
  readonly date: string | null;
  readonly skip: number;
}

/**
 * Finds where the page at `offset` starts among the listed rows of a date range, from the counts only.
 *
 * Both bounds are inclusive. At any offset it reads two or three short index ranges: the month counts give the month,
 * and its day counts give the day. The rows to skip are fewer than the rows of that day.
 */
export function* findPageStart(
  bookId: number,
  range: { start_date: string; end_date: string },
  offset: number,
): Steps<PageStart> {
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
  range: { start_date: string; end_date: string },
  offset: number,
): Steps<{ date: string; skip: number }> {
  let skip = offset;
  for (const day of yield* dayCounts(bookId, month, range)) {
    if (skip < day.listed) return { date: day.period, skip };
    skip -= day.listed;
  }
  throw new Error(
    `The day counts of ${month} in book ${bookId} do not add up to the month count: run "coffer doctor --repair"`,
  );
}

/** Returns the counts of the months of a range, newest first. Partial months are the sum of their days. */
function* monthCounts(
  bookId: number,
  range: { start_date: string; end_date: string },
): Steps<PeriodCount[]> {
  const first = range.start_date.slice(0, 7);
  const last = range.end_date.slice(0, 7);
  const months = yield* rows<PeriodCount>(sql`
    SELECT period, listed FROM transaction_counts
    WHERE book_id = ${bookId} AND granularity = 'month' AND period BETWEEN ${first} AND ${last}
    ORDER BY period DESC`);
  const cut = new Set<string>();
  if (range.start_date.slice(8) !== '01') cut.add(first);
  if (range.end_date.slice(8) !== '31') cut.add(last);
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
  range: { start_date: string; end_date: string },
): Steps<PeriodCount> {
  const days = yield* dayCounts(bookId, month, range);
  return { period: month, listed: days.reduce((sum, day) => sum + day.listed, 0) };
}

/** Returns the counts of the days of one month that are in the range, newest first. */
function* dayCounts(
  bookId: number,
  month: string,
  range: { start_date: string; end_date: string },
): Steps<PeriodCount[]> {
  const from = range.start_date > `${month}-01` ? range.start_date : `${month}-01`;
  const to = range.end_date < `${month}-31` ? range.end_date : `${month}-31`;
  return yield* rows<PeriodCount>(sql`
    SELECT period, listed FROM transaction_counts
    WHERE book_id = ${bookId} AND granularity = 'day' AND period BETWEEN ${from} AND ${to}
    ORDER BY period DESC`);
}
