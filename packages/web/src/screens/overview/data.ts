import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useCategories, useSession } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { useMonths } from '../../api/reports.ts';
import { request } from '../../api/request.ts';
import type {
  ImportRecord,
  RecurringItem,
  Transaction,
  TransactionSelection,
} from '../../api/types.ts';
import { addMonths, dateAt, lastDayOf } from '../../books/formats/dates.ts';
import { unitsOfNumber } from '../../books/formats/money.ts';
import { upcomingOf, type Upcoming } from '../../books/recurring/upcoming.ts';
import { shownMonth, type DaySpending } from '../../books/reports/periods.ts';
import { sideOf } from '../../books/reports/sides.ts';
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

/** What was spent on each day of a month and of the one before, by the rules of `books/sides.ts`. */
export function useDailySpending(month: string): {
  readonly query: UseQueryResult<readonly Transaction[]>;
  readonly days: readonly DaySpending[] | null;
} {
  const [first, last] = [`${addMonths(month, -1)}-01`, lastDayOf(month)];
  const categories = useCategories();
  const query = useQuery({
    queryKey: keys.rows(first, last),
    queryFn: ({ signal }) => readRows(first, last, signal),
  });
  const days = useMemo(() => {
    if (query.data === undefined || categories.data === undefined) return null;
    const byId = new Map(categories.data.map((category) => [category.id, category]));
    return query.data.flatMap(({ date, category_id: id, to_base: toBase }): DaySpending[] => {
      const side = sideOf(byId.get(id ?? -1) ?? null, toBase < 0);
      return side === 'spending' ? [{ date, units: unitsOfNumber(toBase) }] : [];
    });
  }, [query.data, categories.data]);
  return { query, days };
}

async function readRows(
  first: string,
  last: string,
  signal: AbortSignal,
): Promise<readonly Transaction[]> {
  const rows: Transaction[] = [];
  for (;;) {
    const query = { start_date: first, end_date: last, limit: 1000, offset: rows.length };
    const page = await request<TransactionSelection>('GET', '/coffer/transactions', {
      query,
      signal,
    });
    rows.push(...page.transactions);
    if (!page.has_more || page.transactions.length === 0) return rows;
  }
}

/** How far ahead recurring transactions are shown. */
const daysAhead = 35;

/** The recurring transactions that are expected next. */
export function useUpcoming(today: string): UseQueryResult<readonly Upcoming[]> {
  const end = dateAt(Date.parse(`${today}T12:00:00`) + daysAhead * 86_400_000);
  return useQuery({
    queryKey: keys.recurring(today, end),
    queryFn: async ({ signal }) => {
      const query = { start_date: today, end_date: end };
      const { recurring_items: items } = await request<{ recurring_items: RecurringItem[] }>(
        ...(['GET', '/v2/recurring_items', { query, signal }] as const),
      );
      return upcomingOf(items, today);
    },
  });
}

/** The newest import that happened; null when there is none. */
export function useLastImport(): UseQueryResult<ImportRecord | null> {
  return useQuery({
    queryKey: [...keys.imports, 'last'],
    queryFn: async ({ signal }) => {
      const { imports } = await request<{ imports: ImportRecord[] }>('GET', '/coffer/imports', {
        query: { limit: 20 },
        signal,
      });
      return imports.find(({ status }) => status === 'imported') ?? null;
    },
  });
}
