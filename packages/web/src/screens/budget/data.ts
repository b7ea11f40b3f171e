import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient, UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { read, readsOf, useRead, type Read } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { persistently, request } from '../../api/request.ts';
import type { Period } from '@coffer/core/budget-periods';
import { withBudget, type Budgeted } from '../../books/budget/budget.ts';
import type { Schemas } from '../../books/types.ts';

/** The settings of budgets. */
export type BudgetSettings = Schemas['BudgetSettings'];
/** A period with all that the API knows about its budgets. */
export type BudgetSummary = Schemas['BudgetSummary'];
type Currency = Schemas['Currency'];

/** Writes of budgets go one after the other. */
const scope = { id: 'budgets' };

/** A period with its budgets, and the three periods before it. The one before stays until it is there. */
export function useBudgetSummary(period: Period): UseQueryResult<BudgetSummary> {
  return useQuery({ ...summaryOf(period), placeholderData: keepPreviousData });
}

const summaryOf = ({ start, end }: Period): Read<'GET /v2/summary'> =>
  read(keys.budgets, 'GET /v2/summary', {
    query: {
      start_date: start,
      end_date: end,
      include_occurrences: true,
      include_past_budget_dates: true,
      include_exclude_from_budgets: true,
      include_totals: true,
      include_rollover_pool: true,
    },
  });

/** What categories carry over to a period, by category. */
export function useCarried({ start }: Period): UseQueryResult<ReadonlyMap<number, string>> {
  return useRead(keys.budgets, 'GET /coffer/budget_rollover', {
    query: { start_date: start },
    placeholderData: keepPreviousData,
    select: carriedIn,
  });
}

function carriedIn({ categories }: Schemas['CategoryRollover']): ReadonlyMap<number, string> {
  return new Map(categories.map(({ category_id: id, carried }) => [id, carried]));
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
  const { queryKey } = summaryOf(period);
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
        void Promise.all([
          cache.invalidateQueries(readsOf(keys.budgets, 'GET /v2/summary')),
          cache.invalidateQueries(readsOf(keys.budgets, 'GET /coffer/budget_rollover')),
        ]);
    },
  });
}

async function store({ start }: Period, { categoryId, budget }: BudgetWrite): Promise<void> {
  if (budget === null) {
    const query = { category_id: categoryId, start_date: start };
    await request('DELETE /v2/budgets', { query });
    return;
  }
  const { amount, currency } = budget;
  const body: Schemas['BudgetUpsert'] = {
    category_id: categoryId,
    start_date: start,
    amount,
    currency: currency as Currency,
  };
  await request('PUT /v2/budgets', { body });
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
    summaryOf(period).queryKey,
    (summary) => summary && { ...summary, categories: withBudget(summary.categories, change) },
  );
}
