import { daysIn } from '@coffer/core/dates';
import type { Conventions } from './convention.ts';

/** The order of the parts of a date, with any separator. */
export type DateOrder = 'y-m-d' | 'd/m/y' | 'm/d/y';

const MAX_DATE_LENGTH = 64;
const TIME = '(?:(?:T| +)\\d{1,2}[:.]\\d{2}.*)?$';
const NUMERIC = new RegExp(`^(\\d{1,4})([-/.])(\\d{1,2})\\2(\\d{1,4})${TIME}`);
const COMPACT = new RegExp(`^((?:19|20)\\d{2})(\\d{2})(\\d{2})${TIME}`);
const NAMED = new RegExp(`^(\\d{1,2})([-/. ])([A-Za-z]{3,9})\\2(\\d{4}|\\d{2})${TIME}`);
const SHORT_FIRST = /^\d{1,2}[-/.]\d/;

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july'],
  ...['august', 'september', 'october', 'november', 'december'],
];

/**
 * Parses a date in the given order; null if the text is not a date of the calendar.
 * Parts are separated by `-`, `/` or `.`; day and month have one or two digits, the year four or two (00–69 are 2000
 * to 2069, 70–99 are 1970 to 1999). A time after a space or `T` is ignored.
 * `20240131` is accepted in the order y-m-d, and a day with an English month name, such as `12-Dec-2019`, in every
 * order.
 * Source: ISO 8601; the two-digit years are those of POSIX strptime.
 */
export function parseDate(text: string, order: DateOrder): string | null {
  if (text.length > MAX_DATE_LENGTH) return null;
  const named = NAMED.exec(text);
  if (named !== null) return calendarDate(named[4]!, String(monthOf(named[3]!)), named[1]!);
  if (order === 'y-m-d') return parseYearFirst(text);
  const parts = NUMERIC.exec(text);
  if (parts === null) return null;
  const [, first, , second, year] = parts as unknown as string[];
  return order === 'd/m/y'
    ? calendarDate(year!, second!, first!)
    : calendarDate(year!, first!, second!);
}

function parseYearFirst(text: string): string | null {
  const parts = NUMERIC.exec(text);
  if (parts !== null) return calendarDate(parts[1]!, parts[3]!, parts[4]!);
  const compact = COMPACT.exec(text);
  return compact === null ? null : calendarDate(compact[1]!, compact[2]!, compact[3]!);
}

/** Date orders to detect. A leading year of two digits is accepted only if the order is given. */
export const DATES: Conventions<DateOrder, string> = {
  all: ['y-m-d', 'd/m/y', 'm/d/y'],
  read: (text, order) =>
    order === 'y-m-d' && SHORT_FIRST.test(text) ? null : parseDate(text, order),
  fault: () => 'Not a date',
  label: (order) => order,
  print: (date) => date,
  advice: 'specify the date format',
};

/** Date orders, if the caller gives one. */
export const GIVEN_DATES: Conventions<DateOrder, string> = { ...DATES, read: parseDate };

/** Whether a cell holds a date in any order. */
export function looksLikeDate(text: string): boolean {
  return DATES.all.some((order) => DATES.read(text, order) !== null);
}

function monthOf(name: string): number {
  const lower = name.toLowerCase();
  return 1 + MONTHS.findIndex((month) => month === lower || month.slice(0, 3) === lower);
}

function calendarDate(yearText: string, monthText: string, dayText: string): string | null {
  if (yearText.length !== 4 && yearText.length !== 2) return null;
  if (monthText.length > 2 || dayText.length > 2) return null;
  const short = Number(yearText);
  const year = yearText.length === 4 ? short : short + (short < 70 ? 2000 : 1900);
  const month = Number(monthText);
  const day = Number(dayText);
  if (year < 1 || day < 1 || day > daysIn(year, month)) return null;
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

function pad(part: number, digits: number): string {
  return String(part).padStart(digits, '0');
}
