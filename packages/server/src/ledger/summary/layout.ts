import { firstPeriodFrom, periodAfter, periodBefore, periodOf } from '@coffer/core/budget-periods';
import type { Period, PeriodSettings } from '@coffer/core/budget-periods';
import { addDays, daysApart, latestDate } from '@coffer/core/dates';
import { Problem } from '../../operations/problem.ts';
import type { SummaryQuery } from './schema.ts';
import type { DateRange } from './sql.ts';

/** Most periods in the range of a summary with occurrences, inclusive. */
const mostPeriods = 400;
const pastPeriods = 3;
/** A hundred years, because recurring items expect transactions in all of them. */
const mostDays = 36_600;

/** A budget period of a summary. */
export interface Occurrence extends Period {
  /** Whether it is completely in the requested range. */
  readonly isInRange: boolean;
}

/** A range of dates that is in the requested range or not, and in one occurrence or in none. */
export interface Segment extends DateRange {
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
      ...{ start, end: next === undefined ? last : addDays(next, -1) },
      isInRange: range.start <= start && start <= range.end,
      occurrence: isInOccurrence ? at : -1,
    };
  });
}
