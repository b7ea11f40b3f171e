import { daysIn } from '@coffer/core/dates';
import { parseDate, type DateOrder } from '../../statement/dates.ts';

const DATE = /^(?:(\d{4})[-/.])?(\d{1,2})[-/.](\d{1,2})$/;

/**
 * A calendar day from `2024-01-31`, `2024/1/31` or `2024.1.31`, or `1/31` with a default year; else the reason. A
 * given order comes first.
 */
export function parseDay(
  text: string,
  defaultYear: number | null,
  order: DateOrder = 'y-m-d',
): { date: string } | string {
  const given = order === 'y-m-d' ? null : parseDate(text, order);
  if (given !== null) return { date: given };
  const match = DATE.exec(text);
  if (match === null) return 'Not a date';
  const year = match[1] === undefined ? defaultYear : Number(match[1]);
  if (year === null) return 'Date has no year: write a line such as "Y2024" above it';
  const [month, day] = [Number(match[2]), Number(match[3])];
  if (year < 1 || day < 1 || day > daysIn(year, month)) return 'Not a date';
  const date = [[year, 4] as const, [month, 2] as const, [day, 2] as const];
  return { date: date.map(([part, digits]) => String(part).padStart(digits, '0')).join('-') };
}
