import { addDays } from '@coffer/core/dates';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSession, useMonths, useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { addMonths, lastDayOf } from '../../books/formats/dates.ts';
import { unitsOf } from '../../books/formats/money.ts';
import { upcomingOf, type Upcoming } from '../../books/recurring/upcoming.ts';
import { shownMonth, type DaySpending } from '../../books/reports/periods.ts';
import type { ImportRecord } from '../../books/types.ts';
import { useToday } from '../../parts/preferences.ts';

/** What every card of the overview needs. */
export interface Scene {
  readonly today: string;
  /** The month that is shown. */
  readonly month: string;
  readonly currency: string;
  readonly hasTransactions: boolean;
}

/** The month that the overview shows; null while it is not known. */
export function useScene(): { readonly scene: Scene | null; readonly months: UseQueryResult } {
  const months = useMonths();
  const { data: session } = useSession();
  const today = useToday();
  const currency = session?.book?.primary_currency;
  const known = months.data?.months;
  const scene = useMemo((): Scene | null => {
    if (known === undefined || currency === undefined) return null;
    const month = shownMonth(
      today,
      known.map((each) => each.month),
    );
    return { today, month, currency, hasTransactions: known.length > 0 };
  }, [known, currency, today]);
  return { scene, months };
}

/** What was spent on each day of a month and of the one before. */
export function useDailySpending(month: string): UseQueryResult<readonly DaySpending[]> {
  const [start, end] = [`${addMonths(month, -1)}-01`, lastDayOf(month)];
  return useRead(keys.transactions, 'GET /coffer/sums', {
    query: { start_date: start, end_date: end, by: 'day', counts_as: 'spending' },
    select: ({ sums }) => sums.map(({ date = '', total }) => ({ date, units: unitsOf(total) })),
  });
}

/** How far ahead recurring transactions are shown. */
const daysAhead = 35;

/** The recurring transactions that are expected next. */
export function useUpcoming(today: string): UseQueryResult<readonly Upcoming[]> {
  const end = addDays(today, daysAhead);
  return useRead(keys.recurring, 'GET /v2/recurring_items', {
    query: { start_date: today, end_date: end },
    select: ({ recurring_items: items }) => upcomingOf(items, today),
  });
}

/** The newest import that happened; null when there is none. */
export function useLastImport(): UseQueryResult<ImportRecord | null> {
  return useRead(keys.imports, 'GET /coffer/imports', {
    query: { limit: 20 },
    select: ({ imports }) => imports.find(({ status }) => status === 'imported') ?? null,
  });
}
