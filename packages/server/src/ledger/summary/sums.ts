import {
  selectActivity,
  activityKind,
  exactSum,
  sumOf,
  sumParts,
} from '../../db/derived-tables.ts';
import { monthOf } from '../recurring/rules.ts';
import { sideOf } from '../../pages/sides.ts';
import type { Category } from '../categories/schema.ts';
import type { Steps } from '../../db/engine.ts';
import { expectedOccurrences } from '../recurring/links.ts';
import { firstPeriodFrom, periodAfter, periodBefore, periodOf } from '@coffer/core/budget-periods';
import type { Period, PeriodSettings } from '@coffer/core/budget-periods';
import { addDays, daysApart, latestDate } from '@coffer/core/dates';
import { Problem } from '../../operations/problem.ts';
import type { SummaryQuery } from './schema.ts';
import sql, { join, type Sql } from 'sql-template-tag';
import { blocksOf } from '../../db/blocks.ts';
import { rowAs, rowsAs } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';

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
  const sumsOf = (id: number | null, isInflow: boolean): SideSums | null => {
    const side = sideOf(byId.get(id ?? 0), isInflow);
    return side === null ? null : side === 'income' ? sides.inflow : sides.outflow;
  };
  for (const each of activity) {
    const side = sumsOf(each.categoryId, each.isInflow);
    if (side === null || !segments[each.range]!.isInRange) continue;
    add(each.categoryId === null ? side.uncategorized : side, each);
    if (each.categoryId === null) side.uncategorizedCount += each.count;
  }
  for (const each of expected) {
    const side = sumsOf(each.categoryId, each.isIncome);
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

/** A range of dates whose sums are asked for, by its index. */
interface NumberedRange extends DateRange {
  readonly index: number;
}

/** Ranges in one statement: each has up to three parts, and SQLite joins up to 500. */
const rangesAtOnce = 150;

/**
 * Returns the sums of transactions in ranges of dates that do not overlap.
 *
 * Whole months have stored sums. The rows of other days are read, and those of all days if an older node has written
 * since the sums were kept.
 */
export function* activitySums(bookId: number, ranges: readonly DateRange[]): Steps<ActivitySum[]> {
  const isKept = yield* keepsActivity(bookId);
  const parts = ranges.map((range, index) => ({ index, ...partsOf(range, isKept) }));
  const sums: ActivitySum[] = [];
  for (let at = 0; at < parts.length; at += rangesAtOnce) {
    const selects = parts
      .slice(at, at + rangesAtOnce)
      .flatMap(({ index, months, days }) => [
        ...(months === null ? [] : [selectMonths(bookId, { index, ...months })]),
        ...days.map((each) => selectDays(bookId, { index, ...each })),
      ]);
    sums.push(...(yield* readSums(join(selects, ' UNION ALL '))));
  }
  return sums;
}

function* readSums(selects: Sql): Steps<ActivitySum[]> {
  const numbers = { range_number: integer, category_id: integer, kind: integer, total: integer };
  const found = yield* rowsAs(
    { ...numbers, ...sumParts },
    sql`SELECT range_number, category_id, kind, CAST(sum(high) AS BIGINT) AS high, CAST(sum(low) AS BIGINT) AS low,
        CAST(sum(listed) AS BIGINT) AS total
      FROM (${selects}) sums GROUP BY range_number, category_id, kind`,
  );
  return found.map(({ range_number, category_id, kind, total, ...row }) => ({
    range: range_number,
    categoryId: category_id === 0 ? null : category_id,
    isRecurring: (kind & activityKind.isRecurring) !== 0,
    isInflow: (kind & activityKind.isInflow) !== 0,
    toBase: sumOf(row),
    count: total,
  }));
}

function* keepsActivity(bookId: number): Steps<boolean> {
  const book = yield* rowAs(
    { version: integer, activity_version: integer },
    sql`SELECT version, activity_version FROM books WHERE id = ${bookId}`,
  );
  return book !== undefined && book.version === book.activity_version;
}

/** The whole months of a range, and its other days before and after them. */
interface RangeParts {
  readonly months: DateRange | null;
  readonly days: readonly DateRange[];
}

/** Divides a range; `isKept`: whether months have stored sums. */
function partsOf(range: DateRange, isKept: boolean): RangeParts {
  const { start, end } = range;
  const isInMonth = start.slice(0, 7) === end.slice(0, 7) && !isWholeMonths(range);
  if (!isKept || isInMonth) return { months: null, days: [range] };
  const first = start.endsWith('-01') ? start : addDays(monthOf(start).end_date, 1);
  const last = monthOf(end).end_date === end ? end : addDays(monthOf(end).start_date, -1);
  if (first > last) return { months: null, days: [range] };
  const before = { start, end: addDays(first, -1) };
  const after = { start: addDays(last, 1), end };
  return {
    months: { start: first, end: last },
    days: [...(start < first ? [before] : []), ...(last < end ? [after] : [])],
  };
}

/** Whether a range begins and ends with months. */
export function isWholeMonths({ start, end }: DateRange): boolean {
  return start.endsWith('-01') && monthOf(end).end_date === end;
}

function selectMonths(bookId: number, { index, start, end }: NumberedRange): Sql {
  return sql`SELECT CAST(${index} AS BIGINT) AS range_number, category_id, kind, high, low, listed
    FROM activity_sums
    WHERE book_id = ${bookId} AND month BETWEEN ${start.slice(0, 7)} AND ${end.slice(0, 7)}`;
}

/** All columns are in the index `transactions_to_sum`. */
function selectDays(bookId: number, { index, start, end }: NumberedRange): Sql {
  const where = sql`t.book_id = ${bookId} AND t.date BETWEEN ${start} AND ${end}`;
  return sql`SELECT CAST(${index} AS BIGINT) AS range_number, category_id, kind, high, low, listed
    FROM (${selectActivity(where)}) days`;
}

/** The sum of listed transactions of one day, or of a month that begins on it. */
export interface DaySum {
  readonly date: string;
  /** In ten-thousandths of the primary currency; money out is positive. */
  readonly toBase: bigint;
}

/** Returns the sums of some categories in a range by day; days may repeat. `byMonth`: whole months are not divided. */
export function* daySums(
  bookId: number,
  categoryIds: readonly number[],
  range: DateRange,
  { byMonth }: { readonly byMonth: boolean },
): Steps<DaySum[]> {
  const { months, days } = partsOf(range, byMonth && (yield* keepsActivity(bookId)));
  const sums: DaySum[] = [];
  for (const block of blocksOf(categoryIds)) {
    const isOf = sql`book_id = ${bookId} AND category_id IN (${join(block)})`;
    const ofDays = days.map(
      ({ start, end }) => sql`SELECT t.date AS date, ${exactSum('t.to_base')} FROM transactions t
        WHERE ${isOf} AND t.date BETWEEN ${start} AND ${end} AND t.listed = 1 GROUP BY t.date`,
    );
    const ofMonths = sql`SELECT month || '-01' AS date, high, low FROM activity_sums
      WHERE ${isOf} AND month BETWEEN ${months?.start.slice(0, 7)} AND ${months?.end.slice(0, 7)}`;
    const selects = months === null ? ofDays : [...ofDays, ofMonths];
    const found = yield* rowsAs({ date: text, ...sumParts }, join(selects, ' UNION ALL '));
    for (const row of found) sums.push({ date: row.date, toBase: sumOf(row) });
  }
  return sums;
}
