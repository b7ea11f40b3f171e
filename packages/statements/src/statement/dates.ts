import { DATE_ORDERS, type DateOrder } from './statement.ts';
import { daysIn } from '@coffer/core/dates';
import type { Conventions } from './convention.ts';
import { monthOf } from '../words/meanings.ts';
import { withAsciiDigits } from '../words/fold.ts';

const MAX_DATE_LENGTH = 64;
const TIME = '(?:(?:T|,? +)\\d{1,2}[:.]\\d{2}.*)?$';
const NUMERIC = new RegExp(`^(\\d{1,4})([-/.])(\\d{1,2})\\2(\\d{1,4})${TIME}`);
const COMPACT = new RegExp(
  `^((?:19|20)\\d{2})(\\d{2})(\\d{2})(?:\\d{6}(?:\\.\\d{1,6})?(?:\\[[^\\]]{0,12}\\])?$|${TIME})`,
);
const SHORT_FIRST = /^\d{1,2}[-/.]\d/;
const POINTED = /^\d{1,2}\. ?\d{1,2}\./;
// With the name of a month: its day first, the month first, or the year first.
const DAY = '(\\d{1,2})(?:st|nd|rd|th|er|º|ª)?';
const MONTH = "(?:de |d'|of )?(\\p{L}[\\p{L}\\p{M}]*)\\.?";
const GAP = '[-/., ]{0,2}';
const DAY_FIRST = new RegExp(`^${DAY}${GAP}${MONTH}${GAP}(?:de |del )?(\\d{4}|\\d{2})${TIME}`, 'u');
const MONTH_FIRST = new RegExp(`^${MONTH}${GAP}${DAY}[-/., ]{1,2}(\\d{4})${TIME}`, 'u');
const YEAR_FIRST = new RegExp(`^(\\d{4})${GAP}${MONTH}${GAP}${DAY}${TIME}`, 'u');

/**
 * Parses a date in the given order; null if the text is not a date of the calendar.
 * Parts are separated by `-`, `/` or `.`; day and month have one or two digits, the year four or two (00–69 are 2000
 * to 2069, 70–99 are 1970 to 1999). A time after a space or `T` is ignored.
 * `20240131` is accepted in the order y-m-d, and a date with the name of a month, such as `12-Dec-2019`, `Apr 19, 2019`
 * or `19 avr. 2019`, in every order. Spaces after points and a point at the end are ignored.
 * Source: ISO 8601; the two-digit years are those of POSIX strptime.
 */
export function parseDate(text: string, order: DateOrder): string | null {
  if (text.length > MAX_DATE_LENGTH) return null;
  if (order === 'y-m-d') return parseYearFirst(text);
  const parts = NUMERIC.exec(text);
  if (parts === null) return parseWritten(text, order);
  const [, first, , second, year] = parts as unknown as string[];
  return order === 'd/m/y'
    ? calendarDate(year!, second!, first!)
    : calendarDate(year!, first!, second!);
}

/** Parses a date; null if the text is none. */
export type ReadDate = (text: string) => string | null;

/** A parser of dates in one order, which remembers the last one: statements repeat dates, row after row. */
export function dateReader(order: DateOrder): ReadDate {
  let lastText = '';
  let lastDate: string | null = null;
  return (text) => {
    if (text === lastText) return lastDate;
    lastText = text;
    lastDate = parseDate(text, order);
    return lastDate;
  };
}

function parseYearFirst(text: string): string | null {
  const parts = NUMERIC.exec(text);
  if (parts !== null) return calendarDate(parts[1]!, parts[3]!, parts[4]!);
  const compact = COMPACT.exec(text);
  if (compact !== null) return calendarDate(compact[1]!, compact[2]!, compact[3]!);
  return parseWritten(text, 'y-m-d');
}

/** Dates with spaces, marks or the name of a month: few files have them. */
function parseWritten(text: string, order: DateOrder): string | null {
  const plain = plainDate(text);
  if (plain !== text && plain !== '') return parseDate(plain, order);
  return parseNamed(text) ?? parseNamed(text.replace(/^\p{L}+\.?,? (?=[\d\p{L}])/u, ''));
}

/** With ASCII digits, without invisible characters, spaces after points, a second date, and signs of East Asia. */
function plainDate(text: string): string {
  const [first = ''] = text.split(' as of ', 1);
  return withAsciiDigits(first)
    .replace(/[\p{Cf}]/gu, '')
    .replace(/[／－．]/g, (sign) => sign.normalize('NFKC'))
    .replace(/[\s\u00a0]+/gu, ' ')
    .trim()
    .replace(/^(\d{4}):(\d{2}):(\d{2})(?=$| )/, '$1-$2-$3')
    .replace(/^(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]/u, '$1-$2-$3')
    .replace(/^(\d{1,4})([-/.]) ?(\d{1,2})\2 ?(\d{1,4})\.?(?=$|[ T,])/, '$1$2$3$2$4')
    .replace(
      /^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})[,;|]? *(?:\p{L}{0,3} )?(?=\d{1,2}[:.]\d{2})/u,
      '$1 ',
    );
}

function parseNamed(text: string): string | null {
  const byDay = DAY_FIRST.exec(text);
  if (byDay !== null) return namedDate(byDay[3]!, byDay[2]!, byDay[1]!);
  const byMonth = MONTH_FIRST.exec(text);
  if (byMonth !== null) return namedDate(byMonth[3]!, byMonth[1]!, byMonth[2]!);
  const byYear = YEAR_FIRST.exec(text);
  return byYear === null ? null : namedDate(byYear[1]!, byYear[2]!, byYear[3]!);
}

function namedDate(year: string, name: string, day: string): string | null {
  const month = monthOf(name);
  return month === null ? null : calendarDate(year, String(month), day);
}

/**
 * Date orders to detect. A leading year of two digits, and a month before a day with points, as nobody writes, are
 * accepted only if the order is given.
 */
export const DATES: Conventions<DateOrder, string> = {
  all: DATE_ORDERS,
  read: (text, order) => {
    const isExcluded = order === 'y-m-d' ? SHORT_FIRST : order === 'm/d/y' ? POINTED : null;
    return isExcluded?.test(text) === true ? null : parseDate(text, order);
  },
  fault: () => 'Not a date',
  label: (order) => order,
  print: (date) => date,
  advice: 'specify the date format',
  option: 'dateFormat',
};

/** Whether no part of a date has more than two digits, such as `24/01/13`. */
export function isOfTwoDigits(text: string): boolean {
  return /^\d{2}([-/.])\d{1,2}\1\d{1,2}(?!\d)/.test(text);
}

/** Date orders of East Asia, where the year is first, also with two digits. */
export const EAST_ASIAN_DATES: Conventions<DateOrder, string> = {
  ...DATES,
  read: (text, order) => {
    if (!isOfTwoDigits(text)) return DATES.read(text, order);
    return order === 'y-m-d' ? parseDate(text, order) : null;
  },
};

/** Date orders, if the caller gives one. */
export const GIVEN_DATES: Conventions<DateOrder, string> = { ...DATES, read: parseDate };

/** Whether a cell holds a date in any order. */
export function looksLikeDate(text: string): boolean {
  return DATES.all.some((order) => DATES.read(text, order) !== null);
}

function calendarDate(yearText: string, monthText: string, dayText: string): string | null {
  if (yearText.length !== 4 && yearText.length !== 2) return null;
  if (monthText.length > 2 || dayText.length > 2) return null;
  const short = Number(yearText);
  const year = yearText.length === 4 ? short : short + (short < 70 ? 2000 : 1900);
  const month = Number(monthText);
  const day = Number(dayText);
  if (year < 1 || day < 1 || day > daysIn(year, month)) {
    // A leap day of a Buddhist year.
    if (year < 2400 || month !== 2 || day !== daysIn(year - 543, 2)) return null;
  }
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

function pad(part: number, digits: number): string {
  return String(part).padStart(digits, '0');
}
