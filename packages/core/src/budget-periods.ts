import {
  addDays,
  dateOfDay,
  dayNumber,
  dayOfMonth,
  earliestDate,
  latestDate,
  monthNumber,
} from './dates.ts';

/** What defines the periods of a book's budgets. */
export interface PeriodSettings {
  readonly granularity: 'day' | 'week' | 'month' | 'year' | 'twice a month';
  /** Units in a period, at least 1. */
  readonly quantity: number;
  /** A day on which a period starts, `YYYY-MM-DD`. */
  readonly anchor_date: string;
  readonly use_last_day_of_month: boolean;
}

/** A budget period: its first and its last day, both inclusive. */
export interface Period {
  readonly start: string;
  readonly end: string;
}

const firstDay = dayNumber(earliestDate);
const afterLastDay = dayNumber(latestDate) + 1;

/**
 * Returns the period that contains a date. Every date is in exactly one period.
 *
 * Periods have `quantity` units, counted from the anchor date, before and after it:
 *
 * - `day` and `week`: 1 and 7 days.
 * - `month` and `year`: a unit starts on the day of the anchor, or on the last day of a shorter month. With
 *   `use_last_day_of_month`, periods of months end on the last day of a month, so they start on the first.
 * - `twice a month`: a unit starts on the day of the anchor, and 15 days before or after it, or on the last day of a
 *   shorter month.
 *
 * The first and the last period are cut at the first and the last supported date.
 */
export function periodOf(settings: PeriodSettings, date: string): Period {
  const { startOf, at, length } = unitsOf(settings, date);
  return {
    start: dateOfDay(within(startOf(at))),
    end: dateOfDay(within(startOf(at + length)) - 1),
  };
}

/** Whether a period starts on the date. */
export function isPeriodStart(settings: PeriodSettings, date: string): boolean {
  const { startOf, at } = unitsOf(settings, date);
  return within(startOf(at)) === dayNumber(date);
}

/** The period of a date in units of its calendar: the first one, and their number. */
function unitsOf(settings: PeriodSettings, date: string) {
  const { indexOf, startOf, step } = calendarOf(settings);
  const anchor = indexOf(settings.anchor_date);
  const length = step * settings.quantity;
  const at = anchor + Math.floor((indexOf(date) - anchor) / length) * length;
  return { startOf, at, length };
}

/** Returns the period before another one, or null for the first. */
export function periodBefore(settings: PeriodSettings, { start }: Period): Period | null {
  return start === earliestDate ? null : periodOf(settings, addDays(start, -1));
}

/** Returns the period after another one, or null for the last. */
export function periodAfter(settings: PeriodSettings, { end }: Period): Period | null {
  return end === latestDate ? null : periodOf(settings, addDays(end, 1));
}

/** Returns the first period that starts on a date or after it, or null if there is none. */
export function firstPeriodFrom(settings: PeriodSettings, date: string): Period | null {
  const period = periodOf(settings, date);
  return period.start === date ? period : periodAfter(settings, period);
}

/** Units that periods consist of, numbered without gaps. */
interface Calendar {
  /** Returns the number of the unit that contains a date. */
  readonly indexOf: (date: string) => number;
  /** Returns the first day of a unit, in days since 1970; outside the supported dates, any day there. */
  readonly startOf: (index: number) => number;
  /** The number of units for `quantity` 1. */
  readonly step: number;
}

function calendarOf(settings: PeriodSettings): Calendar {
  const { granularity, anchor_date, use_last_day_of_month } = settings;
  const day = Number(anchor_date.slice(8));
  switch (granularity) {
    case 'day':
      return { indexOf: dayNumber, startOf: (index) => index, step: 1 };
    case 'week':
      return { indexOf: dayNumber, startOf: (index) => index, step: 7 };
    case 'month':
      return { ...monthsFrom([use_last_day_of_month ? 1 : day]), step: 1 };
    case 'year':
      return { ...monthsFrom([day]), step: 12 };
    case 'twice a month': {
      const first = day > 15 ? day - 15 : day;
      return { ...monthsFrom([first, first + 15]), step: 1 };
    }
  }
}

/** Units that start on these days of each month, ascending, or on its last day if it is shorter. */
function monthsFrom(days: readonly number[]): Omit<Calendar, 'step'> {
  const count = days.length;
  return {
    indexOf: (date) => {
      const month = monthNumber(date);
      const started = days.filter((day) => date >= dayOfMonth(month, day)).length;
      return month * count + started - 1;
    },
    startOf: (index) => {
      const month = Math.floor(index / count);
      if (month < monthNumber(earliestDate)) return firstDay - 1;
      if (month > monthNumber(latestDate)) return afterLastDay;
      return dayNumber(dayOfMonth(month, days[index - month * count]!));
    },
  };
}

function within(day: number): number {
  return Math.min(Math.max(day, firstDay), afterLastDay);
}
