import { daysIn, dayOfMonth, isCalendarDate, monthNumber, monthOfNumber } from '@coffer/core/dates';
import { dayAt, dayOn, lastDay } from './calendar.ts';

/** Which days of the ten years a demo book has, and where in time they are. */
export interface Span {
  /** The index of the book's last day, in the last of its months. */
  readonly last: number;
  /** By how many months all dates are later than in the tables, or earlier. */
  readonly months: number;
}

/** The ten years of the tables, whole and in their place. */
export const wholeSpan: Span = { last: lastDay, months: 0 };

/** The first and the last year in which a book can end: every date of it is one that the service accepts. */
const [firstYear, lastYear] = [2000, 2999];

/**
 * Returns the span of a book that ends on the day `YYYY-MM-DD`: its last month is that of the day. On the last day of a
 * month, the month is whole. Throws a RangeError for another text, and for years before 2000 or after 2999.
 */
export function spanUntil(day: string): Span {
  const year = Number(day.slice(0, 4));
  if (!isCalendarDate(day) || year < firstYear || year > lastYear)
    throw new RangeError(
      `The last day must be a date from ${firstYear}-01-01 to ${lastYear}-12-31, not "${day}"`,
    );
  const [end, month] = [dayAt(lastDay), Number(day.slice(5, 7))];
  const isWhole = Number(day.slice(8)) === daysIn(year, month);
  return {
    last: isWhole ? lastDay : dayOn(`${end.monthName}-${day.slice(8)}`),
    months: (year - end.year) * 12 + month - end.month,
  };
}

/** Returns a date or a month, `YYYY-MM-DD` or `YYYY-MM`, some months later; past the end of a month, its last day. */
export function moved(date: string, months: number): string {
  const month = monthNumber(date) + months;
  return date.length === 7 ? monthOfNumber(month) : dayOfMonth(month, Number(date.slice(8)));
}

/** Moves the first date of something monthly, which keeps its day of the month: past months without that day. */
export function movedAnchor(date: string, months: number): string {
  const place = moved(date, months);
  return place.slice(8) === date.slice(8) ? place : movedAnchor(date, months + 1);
}
