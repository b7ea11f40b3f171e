import { addDays } from '@coffer/core/dates';
import { addMonths, lastDayOf } from '../formats/dates.ts';
import { weekdayOf } from './recurring.ts';

const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
};

/** Returns the day to which a key leads in a calendar; null for keys that are not of it. */
export function dayAfterKey(key: string, date: string, firstWeekday: number): string | null {
  const step = steps[key];
  if (step !== undefined) return addDays(date, step);
  const inWeek = (weekdayOf(date) - firstWeekday + 7) % 7;
  if (key === 'Home') return addDays(date, -inWeek);
  if (key === 'End') return addDays(date, 6 - inWeek);
  if (key === 'PageUp') return inMonth(date, -1);
  if (key === 'PageDown') return inMonth(date, 1);
  return null;
}

/** Returns the same day of another month, or its last day if it is shorter. */
export function inMonth(date: string, months: number): string {
  const month = addMonths(date.slice(0, 7), months);
  const [day, last] = [`${month}${date.slice(7)}`, lastDayOf(month)];
  return day < last ? day : last;
}
