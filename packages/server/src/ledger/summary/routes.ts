import { settingsOf, budgetsBetween, type BudgetRow } from '../budgets/actions.ts';
import { instantOf } from '@coffer/core/dates';
import { ok } from '../../operations/responses.ts';
import { read, type Operation } from '../../operations/operation.ts';
import { BudgetSummary, SummaryQuery, CategoryRollover, RolloverQuery } from './schema.ts';
import type { Breakdown, Occurrence, SummaryCategory, Totals } from './schema.ts';
import { isPeriodStart } from '@coffer/core/budget-periods';
import { formatAmount } from '@coffer/core/money';
import { now, type Steps } from '../../db/engine.ts';
import { wireNumber } from '../../operations/schema.ts';
import { listCategories } from '../categories/actions.ts';
import type { Category } from '../categories/schema.ts';
import type { Book } from '../../operations/caller.ts';
import type { Layout, Activity, Expectation, SideSums, Sums } from './sums.ts';
import { sumsByCategory, sumsBySide, expectedRecurring, layoutOf, activitySums } from './sums.ts';
import { rolloverPool, carriedTo } from './rollover.ts';

/** A range of more than a year is not bounded. The dates may be invalid. */
export function sizeOfRange(range: {
  readonly start_date: string;
  readonly end_date: string;
}): 'bounded' | 'unbounded' {
  const [start, end] = [range.start_date, range.end_date].map((date) => Number(date.slice(0, 4)));
  return end! - start! > 1 ? 'unbounded' : 'bounded';
}

/** Returns the operation of the summary. */
export const summaryRoutes: readonly Operation[] = [
  read(
    {
      id: 'getBudgetSummary',
      size: sizeOfRange,
      path: '/v2/summary',
      tag: 'summary',
      summary: 'Get a summary of activity and budgets',
      description:
        'Sums the transactions that lists show by default: posted ones, the parts of a split transaction, and ' +
        'groups instead of their members. Budgets are included if the range starts and ends with budget periods. ' +
        'All numbers are in the primary currency of the book, and money out is positive.',
      query: SummaryQuery,
      response: ok(BudgetSummary, 'The summary.'),
    },
    function* ({ identity, query }) {
      return yield* summaryOf(identity.book, query);
    },
    // The rollover pool ends with the last period before today.
    { isCached: true, state: (_identity, nowMs) => instantOf(nowMs).slice(0, 10) },
  ),
  read(
    {
      id: 'getBudgetRollover',
      size: 'unbounded',
      path: '/coffer/budget_rollover',
      tag: 'budgets',
      summary: 'Get what categories carry over',
      description:
        'Returns what the categories with `rollover` have left of the periods before one. It starts with the first ' +
        'budget of the category; from then on each period adds its budget, less what was spent.',
      query: RolloverQuery,
      response: ok(CategoryRollover, 'What is carried over.'),
    },
    function* ({ bookId, query: { start_date } }) {
      const carried = yield* carriedTo(bookId, start_date);
      const categories = carried.map(({ categoryId, amount }) => ({
        category_id: categoryId,
        carried: formatAmount(amount),
      }));
      return { start_date, categories };
    },
    { isCached: true },
  ),
];

/** Returns the summary of a range of dates. Throws a Problem if it would have too many periods. */
export function* summaryOf(
  book: Pick<Book, 'id' | 'primaryCurrency'>,
  query: SummaryQuery,
): Steps<BudgetSummary> {
  const { start_date: start, end_date: end } = query;
  const settings = yield* settingsOf(book.id);
  const layout = layoutOf(settings, query);
  const categories = yield* listCategories(book.id);
  const first = layout.segments[0]!.start;
  const byStart = Map.groupBy(
    yield* budgetsBetween(book.id, first, end),
    (each) => each.start_date,
  );
  const budgets = [...byStart].flatMap(([start, all]) =>
    isPeriodStart(settings, start) ? all : [],
  );
  const activity = yield* activitySums(book.id, layout.segments);
  const expected = yield* expectedRecurring(book.id, start, end);
  const sums = sumsByCategory(categories, layout, activity, expected);
  const shown = categories.filter(
    (each) => query.include_exclude_from_budgets || !each.exclude_from_budget,
  );
  const byCategory = Map.groupBy(budgets, ({ category_id }) => category_id);
  const bySide = () => sumsBySide(categories, layout, activity, expected);
  const today = (yield* now()).slice(0, 10);
  const range = { start, end };
  return {
    aligned: layout.isAligned,
    categories: shown.map((each) =>
      categoryToWire(each, query, layout, sums.get(each.id)!, byCategory.get(each.id) ?? []),
    ),
    ...(query.include_totals && { totals: totalsToWire(bySide()) }),
    ...(query.include_rollover_pool && {
      rollover_pool: yield* rolloverPool({ book, settings, categories, range, today }),
    }),
  };
}

function categoryToWire(
  { id, is_income }: Category,
  query: SummaryQuery,
  layout: Layout,
  sums: Sums,
  budgets: readonly BudgetRow[],
): SummaryCategory {
  const inRange = budgets.filter(({ start_date }) => start_date >= query.start_date);
  return {
    category_id: id,
    totals: {
      ...activityToWire(sums.range),
      ...(layout.isAligned && budgetedToWire(inRange, sums.range, is_income)),
      ...expectationToWire(sums),
    },
    ...(query.include_occurrences && { occurrences: occurrencesToWire(layout, sums, budgets) }),
  };
}

/** What is budgeted, and what is left of it: for income, what was not received yet. */
function budgetedToWire(
  budgets: readonly BudgetRow[],
  { other, recurring }: Activity,
  isIncome: boolean,
): Pick<SummaryCategory['totals'], 'budgeted' | 'available'> {
  if (budgets.length === 0) return { budgeted: null, available: null };
  const budgeted = budgets.reduce((total, { to_base }) => total + BigInt(to_base), 0n);
  const used = isIncome ? -(other + recurring) : other + recurring;
  return { budgeted: wireNumber(budgeted), available: wireNumber(budgeted - used) };
}

function occurrencesToWire(
  { occurrences }: Layout,
  sums: Sums,
  budgets: readonly BudgetRow[],
): Occurrence[] {
  const byStart = new Map(budgets.map((budget) => [budget.start_date, budget]));
  return occurrences.map(({ start, end, isInRange }, index) => {
    const budget = byStart.get(start);
    return {
      in_range: isInRange,
      start_date: start,
      end_date: end,
      ...activityToWire(sums.occurrences[index]!),
      budgeted: budget === undefined ? null : wireNumber(budget.to_base),
      budgeted_amount: budget === undefined ? null : formatAmount(budget.amount),
      budgeted_currency: budget?.currency ?? null,
      notes: budget?.notes ?? null,
    };
  });
}

function totalsToWire({ inflow, outflow }: Readonly<Record<keyof Totals, SideSums>>): Totals {
  return { inflow: sideToWire(inflow), outflow: sideToWire(outflow) };
}

function sideToWire(sums: SideSums): Breakdown {
  return {
    ...activityToWire(sums),
    ...expectationToWire(sums),
    uncategorized: wireNumber(sums.uncategorized.other),
    uncategorized_count: sums.uncategorizedCount,
    uncategorized_recurring: wireNumber(sums.uncategorized.recurring),
  };
}

function activityToWire({ other, recurring }: Activity) {
  return { other_activity: wireNumber(other), recurring_activity: wireNumber(recurring) };
}

function expectationToWire({ remaining, expected }: Expectation) {
  return { recurring_remaining: wireNumber(remaining), recurring_expected: wireNumber(expected) };
}
