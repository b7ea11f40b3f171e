import { addDays, isCalendarDate } from '@coffer/core/dates';
import type { DateFormat } from './dates.ts';

/** A part of a date in digits. */
export type DatePart = 'day' | 'month' | 'year';

const numeric = {
  calendar: 'gregory',
  numberingSystem: 'latn',
  timeZone: 'UTC',
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
} as const;
const isoOrder: readonly DatePart[] = ['year', 'month', 'day'];
const partNames: readonly string[] = isoOrder;

/** A date in digits, its parts in the order of the format. */
function partsOf(date: string, { locale, dates }: DateFormat): Intl.DateTimeFormatPart[] {
  const tag = dates === 'iso' ? 'sv-SE' : locale === '' ? undefined : locale;
  return new Intl.DateTimeFormat(tag, numeric).formatToParts(Date.parse(date));
}

/** Writes a date (`2026-11-23`) in digits, as it is typed in the format: `23/11/2026`. Other texts stay as they are. */
export function writeTypedDate(date: string, format: DateFormat): string {
  if (!isCalendarDate(date)) return date;
  return partsOf(date, format)
    .map(({ value }) => value)
    .join('');
}

/** How a date is typed in a format, such as `dd/mm/yyyy`, with a text for each part. */
export function typedPattern(
  format: DateFormat,
  letters: Readonly<Record<DatePart, string>>,
): string {
  return partsOf('2026-11-23', format)
    .map(({ type, value }) => (partNames.includes(type) ? letters[type as DatePart] : value))
    .join('');
}

/**
 * Reads a typed date: three numbers in the order of the format, or year, month and day wherever the year comes first.
 *
 * A year has four digits; two are of this century, and only count when nothing more is typed (`isWhole`). Returns null
 * for what is not a date from 1900 to 2999.
 */
export function readTypedDate(text: string, format: DateFormat, isWhole = false): string | null {
  const numbers = text.match(/\d+/g) ?? [];
  const order =
    numbers[0]?.length === 4
      ? isoOrder
      : partsOf('2026-11-23', format).flatMap(({ type }) =>
          partNames.includes(type) ? [type as DatePart] : [],
        );
  const part = (name: DatePart): string => numbers[order.indexOf(name)] ?? '';
  const short = isWhole && part('year').length === 2 ? '20' : '';
  const date = `${short}${part('year')}-${part('month').padStart(2, '0')}-${part('day').padStart(2, '0')}`;
  const isDate = numbers.length === 3 && /^(19|2\d)/.test(date) && isCalendarDate(date);
  return isDate ? date : null;
}

/** The day that an arrow key leads to from a date; null for other keys. */
export function dayByArrow(key: string, date: string): string | null {
  const step = { ArrowUp: 1, ArrowDown: -1 }[key];
  return step === undefined || date === '' ? null : addDays(date, step);
}
