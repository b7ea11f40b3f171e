import { exactSum, sumOf, sumParts } from '../../db/derived-tables.ts';
import type { Category } from '../categories/schema.ts';
import type { Steps } from '../../db/engine.ts';
import { expectedOccurrences } from '../recurring/links.ts';
import { firstPeriodFrom, periodAfter, periodBefore, periodOf } from '@coffer/core/budget-periods';
import type { Period, PeriodSettings } from '@coffer/core/budget-periods';
import { addDays, daysApart, latestDate } from '@coffer/core/dates';
import { Problem } from '../../operations/problem.ts';
import type { SummaryQuery } from './schema.ts';
import sql from 'sql-template-tag';
import { join } from 'sql-template-tag';
import { blocksOf } from '../../db/blocks.ts';
import { rowsAs } from '../../db/rows.ts';
import { flag, integer, nullable, text } from '../../db/table.ts';

/** Most periods in the range of a summary with occurrences, inclusive. */
const mostPeriods = 400;
const pastPeriods = 3;
/** A hundred years, because recurring items expect transactions in all of them. */
const mostDays = 36_600;

/** A budget period of a summary. */
interface Occurrence extends Period {
  /** Whether it is completely in the requested range. */
  readonly isInRange: boolean;
}

/** A range of dates that is in the requested range or not, and in one occurrence or in none. */
interface Segment extends DateRange {
  readonly isInRange: boolean;
  /** The index of the occurrence, or -1. */
  readonly occurrence: number;
}

/** How a summary is divided. */
export interface Layout {
  /** Whether the requested range starts and ends with periods. */
  readonly isAligned: boolean;
  /** Ascending. Without `include_occurrences` there are none. */
  readonly occurrences: readonly Occurrence[];
  /** The requested range and the occurrences, in parts that do not overlap; ascending. */
  readonly segments: readonly Segment[];
}

/** Returns how the summary of a request is divided. Throws a Problem if there are too many days or periods. */
export function layoutOf(settings: PeriodSettings, query: SummaryQuery): Layout {
  const range = { start: query.start_date, end: query.end_date };
  if (daysApart(range.start, range.end) >= mostDays)
    throw tooLong(range, `${mostDays} days: request a shorter one`);
  const isAligned =
    periodOf(settings, range.start).start === range.start &&
    periodOf(settings, range.end).end === range.end;
  const occurrences = query.include_occurrences
    ? [
        ...(query.include_past_budget_dates ? periodsBefore(settings, range.start) : []),
        ...periodsIn(settings, range),
      ]
    : [];
  return { isAligned, occurrences, segments: segmentsOf(range, occurrences) };
}

/** The periods that are completely in a range. */
function periodsIn(settings: PeriodSettings, range: DateRange): Occurrence[] {
  const found: Occurrence[] = [];
  let period = firstPeriodFrom(settings, range.start);
  while (period !== null && period.end <= range.end) {
    found.push({ ...period, isInRange: true });
    if (found.length > mostPeriods)
      throw tooLong(
        range,
        `${mostPeriods} budget periods: request a shorter one, or no occurrences`,
      );
    period = periodAfter(settings, period);
  }
  return found;
}

/** The last periods that start before a date, ascending. */
function periodsBefore(settings: PeriodSettings, date: string): Occurrence[] {
  const found: Occurrence[] = [];
  const containing = periodOf(settings, date);
  let period = containing.start < date ? containing : periodBefore(settings, containing);
  while (period !== null && found.length < pastPeriods) {
    found.unshift({ ...period, isInRange: false });
    period = periodBefore(settings, period);
  }
  return found;
}

function tooLong({ start, end }: DateRange, most: string): Problem {
  const errMsg = `The range from ${start} to ${end} has more than ${most}`;
  return new Problem('invalidRequest', { details: [{ errMsg, instancePath: '/query/end_date' }] });
}

/** Cuts the range and the occurrences where any of them starts or ends. */
function segmentsOf(range: DateRange, occurrences: readonly Occurrence[]): Segment[] {
  const all = [range, ...occurrences];
  const last = all.map(({ end }) => end).reduce((a, b) => (a > b ? a : b));
  const afterEnds = all.filter(({ end }) => end !== latestDate).map(({ end }) => addDays(end, 1));
  const starts = [...new Set([...all.map(({ start }) => start), ...afterEnds])].toSorted();
  const used = starts.filter((start) => start <= last);
  let at = 0;
  return used.map((start, index) => {
    const next = used[index + 1];
    while (at < occurrences.length && occurrences[at]!.end < start) at += 1;
    const isInOccurrence = at < occurrences.length && occurrences[at]!.start <= start;
    return {
      start,
      end: next === undefined ? last : addDays(next, -1),
      isInRange: range.start <= start && start <= range.end,
      occurrence: isInOccurrence ? at : -1,
    };
  });
}

/** Activity in ten-thousandths of the primary currency; money out is positive. */
export interface Activity {
  other: bigint;
  recurring: bigint;
}

/** What recurring items expect, in the same form. */
export interface Expectation {
  remaining: bigint;
  expected: bigint;
}

/** The sums of one category or group, or of all transactions of one side. */
export interface Sums extends Expectation {
  /** In the requested range. */
  readonly range: Activity;
  /** By the index of the occurrence. */
  readonly occurrences: readonly Activity[];
}

/** The sums of one side of all transactions: inflow or outflow. */
export interface SideSums extends Activity, Expectation {
  readonly uncategorized: Activity;
  uncategorizedCount: number;
}

const noActivity = (): Activity => ({ other: 0n, recurring: 0n });

function add(to: Activity, { isRecurring, toBase }: ActivitySum): void {
  if (isRecurring) to.recurring += toBase;
  else to.other += toBase;
}

function addExpected(to: Expectation, { toBase, isMatched }: ExpectedRecurring): void {
  to.expected += BigInt(toBase);
  if (!isMatched) to.remaining += BigInt(toBase);
}

/** Returns the sums of each category by id. A group has the sums of its members. */
export function sumsByCategory(
  categories: readonly Category[],
  { segments, occurrences }: Layout,
  activity: readonly ActivitySum[],
  expected: readonly ExpectedRecurring[],
): ReadonlyMap<number, Sums> {
  const sums = new Map(
    categories.map(({ id }): [number, Sums] => [
      id,
      {
        range: noActivity(),
        occurrences: occurrences.map(noActivity),
        remaining: 0n,
        expected: 0n,
      },
    ]),
  );
  const groups = new Map(categories.map(({ id, group_id }) => [id, group_id]));
  const sumsOf = (id: number | null): Sums[] =>
    [id, groups.get(id ?? 0) ?? null].flatMap((each) => sums.get(each ?? 0) ?? []);
  for (const each of activity) {
    const { isInRange, occurrence } = segments[each.range]!;
    for (const to of sumsOf(each.categoryId)) {
      if (isInRange) add(to.range, each);
      if (occurrence !== -1) add(to.occurrences[occurrence]!, each);
    }
  }
  for (const each of expected) for (const to of sumsOf(each.categoryId)) addExpected(to, each);
  return sums;
}

/**
 * Returns the sums of the requested range by side. A category is inflow if it is income; without a category, credits
 * and expected income are inflow. Categories that are excluded from totals are left out.
 */
export function sumsBySide(
  categories: readonly Category[],
  { segments }: Layout,
  activity: readonly ActivitySum[],
  expected: readonly ExpectedRecurring[],
): Readonly<Record<'inflow' | 'outflow', SideSums>> {
  const byId = new Map(categories.map((category) => [category.id, category]));
  const sides = { inflow: noSums(), outflow: noSums() };
  const sideOf = (id: number | null, isInflow: boolean): SideSums | null => {
    const category = byId.get(id ?? 0);
    if (category?.exclude_from_totals === true) return null;
    return (category?.is_income ?? isInflow) ? sides.inflow : sides.outflow;
  };
  for (const each of activity) {
    const side = sideOf(each.categoryId, each.isInflow);
    if (side === null || !segments[each.range]!.isInRange) continue;
    add(each.categoryId === null ? side.uncategorized : side, each);
    if (each.categoryId === null) side.uncategorizedCount += each.count;
  }
  for (const each of expected) {
    const side = sideOf(each.categoryId, each.isIncome);
    if (side !== null) addExpected(side, each);
  }
  return sides;
}

function noSums(): SideSums {
  return {
    ...noActivity(),
    remaining: 0n,
    expected: 0n,
    uncategorized: noActivity(),
    uncategorizedCount: 0,
  };
}

/** A transaction that a recurring item expects. */
interface ExpectedRecurring {
  /** Null for an item that shows the category of the transaction. */
  readonly categoryId: number | null;
  readonly isIncome: boolean;
  /** In ten-thousandths of the primary currency; money out is positive. */
  readonly toBase: number;
  /** Whether the transaction was found. */
  readonly isMatched: boolean;
}

/** Returns what the recurring items of a book expect in a range of dates, both inclusive. */
export function* expectedRecurring(
  bookId: number,
  from: string,
  to: string,
): Steps<readonly ExpectedRecurring[]> {
  const range = { start_date: from, end_date: to };
  const occurrences = yield* expectedOccurrences(bookId, range);
  return occurrences.map(({ item, isFound }) => ({
    categoryId: item.override_category_id,
    isIncome: item.amount < 0,
    toBase: item.to_base,
    isMatched: isFound,
  }));
}

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
