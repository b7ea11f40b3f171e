import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QueryClient, UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useGet } from '../../api/hooks.ts';
import { persistently, request } from '../../api/request.ts';
import type { Period } from '@coffer/core/budget-periods';
import { withBudget } from '../../books/budget/budget.ts';
import type { Budgeted } from '../../books/budget/budget.ts';
import type { Schemas } from '../../books/types.ts';

/** The settings of budgets. */
export type BudgetSettings = Schemas['BudgetSettings'];
/** A period with all that the API knows about its budgets. */
export type BudgetSummary = Schemas['BudgetSummary'];
type Currency = Schemas['Currency'];

/** The key of all that is known of budgets. */
export const budgetsKey = ['budgets'] as const;
const settingsKey = ['budgets', 'settings'] as const;
const summaryKey = ({ start, end }: Period) => ['budgets', 'summary', start, end] as const;
/** Writes of budgets go one after the other. */
const scope = { id: 'budgets' };

/** The settings of budgets. */
export function useBudgetSettings(): UseQueryResult<BudgetSettings> {
  return useGet('/v2/budgets/settings', { queryKey: settingsKey });
}

/** Changes the settings of budgets. */
export function saveSettings(body: BudgetSettings): Promise<BudgetSettings> {
  return request<BudgetSettings>('PUT', '/coffer/budget_settings', { body });
}

/** A period with its budgets, and the three periods before it. The one before stays until it is there. */
export function useBudgetSummary(period: Period): UseQueryResult<BudgetSummary> {
  return useGet('/v2/summary', {
    queryKey: summaryKey(period),
    keepsPrevious: true,
    query: {
      start_date: period.start,
      end_date: period.end,
      include_occurrences: true,
      include_past_budget_dates: true,
      include_exclude_from_budgets: true,
      include_totals: true,
      include_rollover_pool: true,
    },
  });
}

/** A budget to store; null to remove it. */
export interface BudgetWrite {
  readonly categoryId: number;
  readonly budget: Budgeted | null;
}

/** Stores budgets of a period: shown at once, and taken back when the server refuses. */
export function useSaveBudget(
  period: Period,
  primary: string,
): UseMutationResult<unknown, Error, BudgetWrite, Budgeted | null> {
  const cache = useQueryClient();
  const queryKey = summaryKey(period);
  return useMutation({
    mutationKey: ['budgets'],
    scope,
    mutationFn: (write: BudgetWrite) => persistently(() => store(period, write)),
    onMutate: async (write) => {
      await cache.cancelQueries({ queryKey });
      const before = budgetIn(cache.getQueryData<BudgetSummary>(queryKey), write.categoryId);
      show(cache, period, { ...write, primary });
      return before;
    },
    onError: (_error, { categoryId }, before) =>
      show(cache, period, { categoryId, budget: before ?? null, primary }),
    onSettled: () => {
      if (cache.isMutating({ mutationKey: ['budgets'] }) === 1)
        void cache.invalidateQueries({ queryKey: ['budgets', 'summary'] });
    },
  });
}

async function store({ start }: Period, { categoryId, budget }: BudgetWrite): Promise<void> {
  if (budget === null) {
    const query = { category_id: categoryId, start_date: start };
    await request('DELETE', '/v2/budgets', { query });
    return;
  }
  const { amount, currency } = budget;
  const body: Schemas['BudgetUpsert'] = {
    category_id: categoryId,
    start_date: start,
    amount,
    currency: currency as Currency,
  };
  await request('PUT', '/v2/budgets', { body });
}

function budgetIn(summary: BudgetSummary | undefined, categoryId: number): Budgeted | null {
  const row = summary?.categories.find(({ category_id: id }) => id === categoryId);
  const current = row?.occurrences?.find(({ in_range: isInRange }) => isInRange);
  const { budgeted_amount: amount = null, budgeted_currency: currency = null } = current ?? {};
  return amount === null || currency === null ? null : { amount, currency };
}

function show(
  cache: QueryClient,
  period: Period,
  change: BudgetWrite & { readonly primary: string },
): void {
  cache.setQueryData<BudgetSummary>(
    summaryKey(period),
    (summary) => summary && { ...summary, categories: withBudget(summary.categories, change) },
  );
}
