import { listedKind, countedStatuses } from '../db/derived-counts.ts';
import sql, { join, type Sql } from 'sql-template-tag';
import { padded } from '../db/blocks.ts';
import { rows, type Steps } from '../db/engine.ts';
import { isOnlyListed, type ShownKinds } from './filter.ts';

/** The number of rows in a period: a month as in 202412, or a day as in 20241231. */
interface PeriodCount {
  readonly period: number;
  readonly count: number;
}

/** An entry of a cache without its arrays. */
const fixedBytes = 400;

/** Counts of periods as running totals: finds the rank of a period and the period of a rank by binary search. */
export class PeriodRanks {
  /** Newest first. */
  readonly #periods: Int32Array;
  /** The rows of all newer periods; one more at the end, with the total. */
  readonly #newer: Float64Array;

  /** `counts` are newest first. */
  constructor(counts: readonly PeriodCount[]) {
    this.#periods = Int32Array.from(counts, ({ period }) => period);
    this.#newer = new Float64Array(counts.length + 1);
    for (const [place, { count }] of counts.entries())
      this.#newer[place + 1] = this.#newer[place]! + count;
  }

  get total(): number {
    return this.#newer.at(-1)!;
  }

  /** The number of rows in one period. */
  countOf(period: number): number {
    return this.after(period - 1) - this.after(period);
  }

  /** The number of rows in newer periods. */
  after(period: number): number {
    return this.#newer[
      firstPlace(this.#periods.length, (place) => this.#periods[place]! <= period)
    ]!;
  }

  /** The period of the row with this rank: 0 for the newest row, less than the total. */
  at(rank: number): number {
    return this.#periods[
      firstPlace(this.#periods.length, (place) => this.#newer[place + 1]! > rank)
    ]!;
  }

  /** The approximate size in memory. */
  get bytes(): number {
    return fixedBytes + this.#periods.byteLength + this.#newer.byteLength;
  }
}

/** Returns the first place from 0 for which the condition holds, as for all after it; `length` if there is none. */
function firstPlace(length: number, holds: (place: number) => boolean): number {
  let from = 0;
  let to = length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Dates `YYYY-MM-DD`, both inclusive. */
export interface DateRange {
  readonly start_date: string;
  readonly end_date: string;
}

/** What a list shows of a book that has counts: the rows of some kinds in a date range, of any or one status. */
export interface CountedList {
  readonly bookId: number;
  readonly kinds: ShownKinds;
  readonly status: string | undefined;
  readonly range: DateRange;
}

/** Where a page starts: after `skip` shown rows of `date`. `total` is the number of rows in the range. */
export interface PageStart {
  readonly total: number;
  /** The day on which the page starts; null if the offset is at or past the end. */
  readonly date: string | null;
  readonly skip: number;
}

/** The counts of a list, of one state of a book: of its months by the name 0, and of a month's days by the month. */
export interface Counts {
  get(month: number): PeriodRanks | undefined;
  set(month: number, ranks: PeriodRanks): unknown;
}

/** The name of the counts of all months. */
const allMonths = 0;

/**
 * Finds where the page at `offset` starts in a list, from the counts only. The rows to skip are fewer than the rows of
 * that day.
 *
 * It reads the counts that `known` lacks and adds them: those of all months, and those of the days of at most three
 * months. Null if the days of a month do not add up to it, or if there may be no counts: see {@link selectCounts}.
 */
export function* findPageStart(
  list: CountedList,
  offset: number,
  known: Counts,
): Steps<PageStart | null> {
  for (;;) {
    const start = pageStart(known, list.range, offset);
    if (typeof start !== 'number') return start;
    const ranks = yield* readCounts(list, start);
    if (start !== allMonths && ranks.total !== known.get(allMonths)?.countOf(start)) return null;
    if (ranks.total === 0 && !isAlwaysCounted(list)) return null;
    known.set(start, ranks);
  }
}

/** Finds where a page starts; returns the name of counts that are missing. */
function pageStart(
  counts: Counts,
  { start_date, end_date }: DateRange,
  offset: number,
): PageStart | number {
  const months = counts.get(allMonths);
  if (months === undefined) return allMonths;
  const [first, last] = [numberOf(start_date), numberOf(end_date)];
  const missing = [last, first - 1].find((date) => rowsAfter(counts, months, date) === null);
  if (missing !== undefined) return monthOf(missing);
  const newer = rowsAfter(counts, months, last)!;
  const total = rowsAfter(counts, months, first - 1)! - newer;
  if (offset >= total) return { total, date: null, skip: 0 };
  const month = months.at(newer + offset);
  const days = counts.get(month);
  if (days === undefined) return month;
  const rank = newer + offset - months.after(month);
  const day = days.at(rank);
  return { total, date: dateOf(day), skip: rank - days.after(day) };
}

/** Returns the number of rows after a date, whose day can be 0; null if the counts of its days are missing. */
function rowsAfter(counts: Counts, months: PeriodRanks, date: number): number | null {
  const month = monthOf(date);
  const newer = months.after(month);
  const inMonth = months.countOf(month);
  if (inMonth === 0 || date % 100 === 31) return newer;
  if (date % 100 === 0) return newer + inMonth;
  const days = counts.get(month);
  return days === undefined ? null : newer + days.after(date);
}

/** Reads the counts of all months, or of the days of one. */
function* readCounts(list: CountedList, month: number): Steps<PeriodRanks> {
  const text = dateOf(month * 100).slice(0, 7);
  const [granularity, first, last] =
    month === allMonths ? ['month', '', '9999-12'] : ['day', `${text}-01`, `${text}-31`];
  const where = sql`book_id = ${list.bookId} AND granularity = ${granularity} AND period BETWEEN ${first} AND ${last}`;
  const counts = yield* rows<{ readonly period: string; readonly number: number }>(
    selectCounts(list, where),
  );
  return new PeriodRanks(
    counts.map(({ period, number }) => ({ period: numberOf(period), count: number })),
  );
}

/** Whether older nodes keep the counts of a list, too. */
export function isAlwaysCounted({ kinds, status }: Pick<CountedList, 'kinds' | 'status'>): boolean {
  return isOnlyListed(kinds) && status === undefined;
}

/** Returns a SELECT of the counts of periods, newest first; none if a needed table lacks a change of an older node. */
function selectCounts(list: CountedList, where: Sql): Sql {
  const { bookId, kinds, status } = list;
  const listed = sql`SELECT period, listed AS number FROM transaction_counts WHERE ${where}`;
  if (isAlwaysCounted(list)) return sql`${listed} ORDER BY period DESC`;
  const { mask, bits } = kinds;
  const ofKinds = sql`${where} AND (kind & ${mask}) = ${bits}`;
  const hidden = sql`SELECT period, number FROM hidden_counts WHERE ${ofKinds}`;
  const shown = bits === listedKind ? sql`${listed} UNION ALL ${hidden}` : hidden;
  const byStatus = sql`SELECT period, number FROM status_counts WHERE ${ofKinds} AND status = ${status}`;
  const counted = countedStatuses.map((each) => sql`status = ${each}`);
  // The other rows are of the status that has no counts.
  const others = sql`${shown} UNION ALL
    SELECT period, -number FROM status_counts WHERE ${ofKinds} AND (${join(counted, ' OR ')})`;
  const isCounted = status !== undefined && countedStatuses.includes(status);
  const found = status === undefined ? shown : isCounted ? byStatus : others;
  return sql`SELECT period, CAST(sum(number) AS BIGINT) AS number FROM (${found}) counts
    WHERE (SELECT ${join(upToDate(list, isCounted), ' AND ')} FROM books WHERE id = ${bookId})
    GROUP BY period HAVING sum(number) > 0 ORDER BY period DESC`;
}

/** Conditions on a book: it has the counts of a list. */
function upToDate({ kinds, status }: CountedList, isCounted: boolean): Sql[] {
  const conditions: Sql[] = [];
  if (status !== undefined) conditions.push(sql`version = activity_version`);
  if (!isOnlyListed(kinds) && !isCounted) conditions.push(sql`version = hidden_counts_version`);
  return conditions;
}

/** Where a page starts in a list: after `skip` rows on or before a day. */
export interface ListStart {
  /** `YYYY-MM-DD`, inclusive. */
  readonly end_date: string;
  readonly skip: number;
}

/**
 * Finds the month in which the page at `offset` starts among the listed rows of some categories, up to the end of a
 * month `YYYY-MM`, inclusive. 0 is no category. Past the end, it is the oldest month, and `skip` is more than its rows.
 * Null if the book has no such rows or lacks their number: see {@link activitySums}.
 */
export function* startInCategories(
  bookId: number,
  categories: readonly number[],
  lastMonth: string,
  offset: number,
): Steps<ListStart | null> {
  const wanted = join(padded(categories, categories[0]!));
  // Month by month, because those of a category are not next to each other in the key of `activity_sums`.
  const counts = yield* rows<{ readonly period: string; readonly number: number }>(sql`
    SELECT m.period, CAST(sum(s.listed) AS BIGINT) AS number FROM transaction_counts m CROSS JOIN activity_sums s
    WHERE m.book_id = ${bookId} AND m.granularity = 'month' AND m.period <= ${lastMonth}
      AND s.book_id = m.book_id AND s.month = m.period AND s.category_id IN (${wanted})
      AND (SELECT version = activity_version FROM books WHERE id = ${bookId})
    GROUP BY m.period ORDER BY m.period DESC`);
  if (counts.length === 0) return null;
  const ranks = new PeriodRanks(
    counts.map(({ period, number }) => ({ period: numberOf(period), count: number })),
  );
  const month = ranks.at(Math.min(offset, ranks.total - 1));
  return { end_date: dateOf(month * 100 + 31), skip: offset - ranks.after(month) };
}

/** `2024-12-31` is 20241231, and `2024-12` is 202412. */
function numberOf(period: string): number {
  return Number(period.replaceAll('-', ''));
}

function monthOf(date: number): number {
  return Math.trunc(date / 100);
}

function dateOf(date: number): string {
  const digits = String(date).padStart(8, '0');
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}
