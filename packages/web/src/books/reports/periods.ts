import { addMonths, lastDayOf } from '../formats/dates.ts';

/** Consecutive months, both inclusive. */
export interface Period {
  readonly first: string;
  readonly last: string;
}

/** The lengths of time that reports offer, in months up to the newest one. */
export const lengths = [3, 6, 12, 24] as const;

/** What somebody chose: some months up to the newest one, or a calendar year. */
export type PeriodChoice =
  { readonly months: (typeof lengths)[number] } | { readonly year: string };

/** Reads the choice from the query of the page: `?months=6` or `?year=2025`; twelve months by default. */
export function readPeriodChoice(search: string): PeriodChoice {
  const given = new URLSearchParams(search);
  const year = given.get('year') ?? '';
  if (/^\d{4}$/.test(year) && year !== '0000') return { year };
  return { months: lengths.find((each) => String(each) === given.get('months')) ?? 12 };
}

/** Writes a choice as the query of the page. */
export function writePeriodChoice(choice: PeriodChoice): string {
  return 'year' in choice ? `year=${choice.year}` : `months=${choice.months}`;
}

/** Returns the months of a choice; `newest` is the last month that counts when no year is chosen. */
export function periodOf(choice: PeriodChoice, newest: string): Period {
  if ('year' in choice) return { first: `${choice.year}-01`, last: `${choice.year}-12` };
  return { first: addMonths(newest, 1 - choice.months), last: newest };
}

/** Returns the months of a period, oldest first. */
export function monthsIn({ first, last }: Period): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = addMonths(month, 1)) months.push(month);
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
