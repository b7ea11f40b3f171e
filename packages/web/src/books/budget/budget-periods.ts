import { isPeriodStart, periodAfter, periodBefore, periodOf } from '@coffer/core/budget-periods';
import type { Period, PeriodSettings } from '@coffer/core/budget-periods';
import { isCalendarDate } from '@coffer/core/dates';
import { formatDate, lastDayOf, type DateFormat } from '../formats/dates.ts';
import type { Schemas } from '../types.ts';

/** The settings of budgets as the API names them. */
export type BudgetSettings = Pick<
  Schemas['BudgetSettings'],
  | 'budget_period_granularity'
  | 'budget_period_quantity'
  | 'budget_period_anchor_date'
  | 'budget_use_last_day_of_month'
>;

/** Returns the period that the URL names by a month or a day of it, by default that of `today`. */
export function periodAt(settings: BudgetSettings, named: string, today: string): Period {
  const date = named.length === 7 ? `${named}-01` : named;
  if (!isCalendarDate(date)) return periodOf(calendarOf(settings), today);
  const calendar = calendarOf(settings);
  // A month names the first period that starts in it, else the one on its first day.
  if (named.length !== 7 || isPeriodStart(calendar, date)) return periodOf(calendar, date);
  const period = periodOf(calendar, date);
  const next = periodAfter(calendar, period);
  return next?.start.startsWith(named) === true ? next : period;
}

/** Returns the period some steps later, or earlier; null where the calendar ends. */
export function periodBeside(
  settings: BudgetSettings,
  period: Period,
  step: -1 | 1,
): Period | null {
  return (step === 1 ? periodAfter : periodBefore)(calendarOf(settings), period);
}

/** Whether a period is a month of the calendar. */
export function isMonth({ start, end }: Period): boolean {
  return start.endsWith('-01') && end === lastDayOf(start.slice(0, 7));
}

/** The name of a period in the URL: `2026-11`, or the day on which it starts. */
export function nameOf(period: Period): string {
  return isMonth(period) ? period.start.slice(0, 7) : period.start;
}

/** A period for people: `November 2026`, or its first and its last day. */
export function formatPeriod(period: Period, format: DateFormat): string {
  const { start, end } = period;
  if (isMonth(period)) return formatDate(start.slice(0, 7), 'month', format);
  if (start === end) return formatDate(start, 'medium', format);
  const style = start.slice(0, 4) === end.slice(0, 4) ? 'short' : 'medium';
  return `${formatDate(start, style, format)} – ${formatDate(end, 'medium', format)}`;
}

function calendarOf(settings: BudgetSettings): PeriodSettings {
  return {
    granularity: settings.budget_period_granularity,
    quantity: settings.budget_period_quantity,
    anchor_date: settings.budget_period_anchor_date,
    use_last_day_of_month: settings.budget_use_last_day_of_month,
  };
}
