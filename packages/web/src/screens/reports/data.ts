import { useMemo } from 'react';
import { useSearch } from 'wouter';
import { useAccounts, useCategories, useSession } from '../../api/hooks.ts';
import { seriesOf, sidesOf, useBalances, useMonths, usePeriodSums } from '../../api/reports.ts';
import { monthsIn, periodOf, readPeriodChoice, shownMonth } from '../../books/reports/periods.ts';
import type { Period, PeriodChoice } from '../../books/reports/periods.ts';
import type { BalanceSeries } from '../../books/accounts/net-worth.ts';
import type { SidedCategory, SidedSum } from '../../books/reports/sides.ts';
import { useToday } from '../../parts/use-today.ts';

/** Something that is read: what it is, or why it is not there. */
export type Reading<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: unknown; readonly retry: () => void }
  | { readonly state: 'read'; readonly data: T };

/** What the reports of categories show. */
export interface SumsOfPeriod {
  readonly choice: PeriodChoice;
  readonly period: Period;
  readonly months: readonly string[];
  readonly sums: readonly SidedSum[];
  readonly categories: readonly SidedCategory[];
  /** The years that have transactions, newest first. */
  readonly years: readonly string[];
  readonly currency: string;
}

/** The sums of the period in the address; `years` is empty for a book without transactions. */
export function useSumsOfPeriod(): Reading<SumsOfPeriod> {
  const search = useSearch();
  const all = useMonths();
  const categories = useCategories();
  const session = useSession();
  const today = useToday();
  const choice = readPeriodChoice(search);
  const known = all.data?.months.map(({ month }) => month);
  const newest = known === undefined ? null : shownMonth(today, known);
  const period = newest === null ? null : periodOf(choice, newest);
  const sums = usePeriodSums(period);
  const sided = useMemo(
    () => (sums.data && categories.data ? sidesOf(sums.data, categories.data) : null),
    [sums.data, categories.data],
  );
  const failed = [all, categories, sums].find(({ isError, data }) => isError && !data);
  if (failed !== undefined) return failure(failed);
  if (!known || period === null || sided === null || !categories.data || !session.data?.book)
    return { state: 'loading' };
  const years = [...new Set(known.map((month) => month.slice(0, 4)))];
  return {
    state: 'read',
    data: {
      choice,
      period,
      months: monthsIn(period),
      sums: sided,
      categories: categories.data,
      years,
      currency: session.data.book.primary_currency,
    },
  };
}

/** The balances of all accounts by month. */
export function useWealth(): Reading<{
  readonly series: readonly BalanceSeries[];
  readonly currency: string;
}> {
  const history = useBalances();
  const accounts = useAccounts();
  const session = useSession();
  const series = useMemo(
    () => (history.data && accounts.data ? seriesOf(history.data, accounts.data) : null),
    [history.data, accounts.data],
  );
  const failed = [history, accounts].find(({ isError, data }) => isError && !data);
  if (failed !== undefined) return failure(failed);
  if (series === null || !session.data?.book) return { state: 'loading' };
  return { state: 'read', data: { series, currency: session.data.book.primary_currency } };
}

function failure(query: { readonly error: unknown; readonly refetch: () => unknown }) {
  return { state: 'failed', error: query.error, retry: () => void query.refetch() } as const;
}
