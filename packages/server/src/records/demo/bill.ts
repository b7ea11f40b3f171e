import type { AccountName } from './accounts.ts';
import { monthOf, type MonthName } from './calendar.ts';
import type { CategoryName } from './categories.ts';
import type { TagName } from './tags.ts';

/** An amount in cents from the named month on, in the order of time. */
export type PriceSteps = Readonly<Record<MonthName, number>>;

/** Something that comes by the calendar. */
export interface Bill {
  readonly payee: string;
  readonly category: CategoryName;
  readonly account: AccountName;
  /** Days of the month; one past the month's end means its last day. */
  readonly due: number | readonly number[];
  /** The first step begins the bill. */
  readonly prices: PriceSteps;
  /** The last month; without it the bill runs on. */
  readonly until?: MonthName;
  /** 1 unless said otherwise. */
  readonly everyMonths?: number;
  /** Per cent of the price, January to December. */
  readonly seasons?: readonly number[];
  /** By how many per cent the price wavers to either side. */
  readonly waver?: number;
  readonly currency?: 'eur';
  readonly tag?: TagName;
  readonly notes?: string;
}

/** The price that holds in that month; 0 before the first step. */
export function priceIn(prices: PriceSteps, month: number): number {
  const reached = Object.entries(prices).filter(([start]) => monthOf(start as MonthName) <= month);
  return reached.at(-1)?.[1] ?? 0;
}
