import type { Period } from '@coffer/core/budget-periods';
import { isCalendarDate } from '@coffer/core/dates';
import { addMonths, lastDayOf } from '../formats/dates.ts';

/** The lengths of time that reports offer, in months up to the newest one. */
export const lengths = [3, 6, 12, 24] as const;

/** What somebody chose: some months up to the newest one, a calendar year, all time, or any days. */
export type PeriodChoice =
  | { readonly months: (typeof lengths)[number] }
  | { readonly year: string }
  | { readonly isAll: true }
  | Period;

/** The parameters of a choice in the address of a page. */
export const choiceParameters = ['months', 'year', 'period', 'from', 'to'] as const;

/**
 * Reads the choice from the query of the page: `?months=6`, `?year=2025`, `?period=all` or
 * `?from=2026-02-10&to=2026-03-05`; twelve months by default.
 */
export function readPeriodChoice(search: string): PeriodChoice {
  const given = new URLSearchParams(search);
  const [start, end] = [given.get('from') ?? '', given.get('to') ?? ''];
  if (isCalendarDate(start) && isCalendarDate(end))
    return start <= end ? { start, end } : { start: end, end: start };
  const year = given.get('year') ?? '';
  if (/^\d{4}$/.test(year) && year !== '0000') return { year };
  if (given.get('period') === 'all') return { isAll: true };
  return { months: lengths.find((each) => String(each) === given.get('months')) ?? 12 };
}

/** Writes a choice as the query of the page. */
export function writePeriodChoice(choice: PeriodChoice): string {
  if ('year' in choice) return `year=${choice.year}`;
  if ('isAll' in choice) return 'period=all';
  return 'months' in choice ? `months=${choice.months}` : `from=${choice.start}&to=${choice.end}`;
}

/** Returns the days of a choice. `newest` is the last month that counts when no year is chosen, `oldest` the first. */
export function periodOf(choice: PeriodChoice, newest: string, oldest: string = newest): Period {
  if ('start' in choice) return choice;
  if ('year' in choice) return { start: `${choice.year}-01-01`, end: `${choice.year}-12-31` };
  const first = 'isAll' in choice ? oldest : addMonths(newest, 1 - choice.months);
  return { start: `${first < newest ? first : newest}-01`, end: lastDayOf(newest) };
}

/** Returns the days of a month. */
export function monthPeriod(month: string): Period {
  return { start: `${month}-01`, end: lastDayOf(month) };
}

/** Returns the same days of the year before. */
export function yearBefore({ start, end }: Period): Period {
  const earlier = (date: string): string => {
    const month = addMonths(date.slice(0, 7), -12);
    const last = lastDayOf(month);
    // The last day of February stays the last one.
    return date === lastDayOf(date.slice(0, 7)) || date.slice(8) > last.slice(8)
      ? last
      : `${month}-${date.slice(8)}`;
  };
  const first = `${addMonths(start.slice(0, 7), -12)}${start.slice(7)}`;
  return { start: isCalendarDate(first) ? first : earlier(start), end: earlier(end) };
}

/** A column of a report: a month or a year of its period, with the days of it that are in the period. */
export interface Column extends Period {
  /** `2026-11`, or `2026`. */
  readonly key: string;
}

/** Most months that are shown one by one; a longer period is divided into years. */
const mostMonths = 36;

/** Returns the columns of a period, oldest first. */
export function columnsOf(period: Period): Column[] {
  const months = monthsIn(period);
  const byYear = months.length > mostMonths;
  const keys = byYear ? [...new Set(months.map((month) => month.slice(0, 4)))] : months;
  return keys.map((key) => {
    const start = byYear ? `${key}-01-01` : `${key}-01`;
    const end = byYear ? `${key}-12-31` : lastDayOf(key);
    return {
      key,
      start: start < period.start ? period.start : start,
      end: end > period.end ? period.end : end,
    };
  });
}

/** Returns the months of a period, oldest first. */
export function monthsIn({ start, end }: Period): string[] {
  const months: string[] = [];
  for (let month = start.slice(0, 7); month <= end; month = addMonths(month, 1)) months.push(month);
  return months;
}

/** The month that screens begin with: this one, or the newest with transactions if this one has none yet. */
export function shownMonth(today: string, newestFirst: readonly string[]): string {
  const month = today.slice(0, 7);
  if (newestFirst.includes(month)) return month;
  return newestFirst.find((each) => each <= month) ?? month;
}

/** Money spent on a day. */
export interface DaySpending {
  /** `2026-11-23` */
  readonly date: string;
  /** Ten-thousandths; a refund is negative. */
  readonly units: bigint;
}

/**
 * Returns what was spent from the first of a month up to each of its days, by the index of the day. It ends with
 * `until`, or with the month.
 */
export function cumulative(
  month: string,
  spending: readonly DaySpending[],
  until: string,
): bigint[] {
  const last = lastDayOf(month);
  const end = until < last ? until : last;
  if (end < `${month}-01`) return [];
  const days = Array.from({ length: Number(end.slice(8)) }, () => 0n);
  for (const { date, units } of spending)
    if (date.startsWith(`${month}-`) && date <= end) days[Number(date.slice(8)) - 1]! += units;
  let sum = 0n;
  return days.map((units) => (sum += units));
}
