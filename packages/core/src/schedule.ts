import { dateOfDay, dayNumber, dayOfMonth, monthNumber } from './dates.ts';

/** When transactions are expected. Dates are `YYYY-MM-DD`; `start_date` and `end_date` are inclusive. */
export interface Schedule {
  readonly granularity: 'day' | 'week' | 'month' | 'year';
  /** Units between two dates, at least 1. */
  readonly quantity: number;
  /** One of the dates, from which the others are counted. */
  readonly anchor_date: string;
  readonly start_date: string | null;
  readonly end_date: string | null;
}

/**
 * Returns the dates from `from` to `to`, inclusive, on which a transaction is expected, ascending.
 *
 * The dates are whole steps away from the anchor, before and after it. With months and years, the day is that of the
 * anchor, or the last day of a shorter month: after 31 January come 28 February and 31 March.
 */
export function expectedDates(schedule: Schedule, from: string, to: string): string[] {
  const { granularity, quantity, anchor_date: anchor, start_date, end_date } = schedule;
  const first = start_date !== null && start_date > from ? start_date : from;
  const last = end_date !== null && end_date < to ? end_date : to;
  if (first > last) return [];
  switch (granularity) {
    case 'day':
      return everyDays(anchor, quantity, first, last);
    case 'week':
      return everyDays(anchor, 7 * quantity, first, last);
    case 'month':
      return everyMonths(anchor, quantity, first, last);
    case 'year':
      return everyMonths(anchor, 12 * quantity, first, last);
  }
}

function everyDays(anchor: string, step: number, first: string, last: string): string[] {
  const dates: string[] = [];
  const [start, end] = [dayNumber(first), dayNumber(last)];
  for (let day = start + modulo(dayNumber(anchor) - start, step); day <= end; day += step)
    dates.push(dateOfDay(day));
  return dates;
}

function everyMonths(anchor: string, step: number, first: string, last: string): string[] {
  const dates: string[] = [];
  const [start, end] = [monthNumber(first), monthNumber(last)];
  for (let at = start + modulo(monthNumber(anchor) - start, step); at <= end; at += step) {
    const date = dayOfMonth(at, Number(anchor.slice(8)));
    if (date >= first && date <= last) dates.push(date);
  }
  return dates;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
