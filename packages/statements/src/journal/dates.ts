import { daysIn } from '@coffer/core/dates';

const DATE = /^(?:(\d{4})[-/.])?(\d{1,2})[-/.](\d{1,2})$/;

/** A calendar day from `2024-01-31`, `2024/1/31` or `2024.1.31`, or `1/31` with a default year; else the reason. */
export function parseDay(text: string, defaultYear: number | null): { date: string } | string {
  const match = DATE.exec(text);
  if (match === null) return 'Not a date';
  const year = match[1] === undefined ? defaultYear : Number(match[1]);
  if (year === null) return 'Date has no year, and no "Y" directive gives one';
  const [month, day] = [Number(match[2]), Number(match[3])];
  if (year < 1 || day < 1 || day > daysIn(year, month)) return 'Not a date';
  const date = [[year, 4] as const, [month, 2] as const, [day, 2] as const];
  return { date: date.map(([part, digits]) => String(part).padStart(digits, '0')).join('-') };
}
