import { periodAfter, periodOf } from '@coffer/core/budget-periods';
import type { Period, PeriodSettings } from '@coffer/core/budget-periods';
import { formatAmount } from '@coffer/core/money';
import type { Steps } from '../db/engine.ts';
import { wireNumber } from '../operations/schema.ts';
import { shownAs } from './refusals.ts';
import { listCategories } from '../ledger/categories/actions.ts';
import { expectedOccurrences } from '../ledger/recurring/links.ts';
import { shownPayee, type RecurringRow } from '../ledger/recurring/rules.ts';
import { activitySums, type ActivitySum } from '../ledger/summary/sums.ts';
import {
  budgetsBetween,
  settingsOf,
  type BudgetRow,
  defaultSettings,
} from '../ledger/budgets/actions.ts';
import { BudgetRowV1, type MonthV1 } from './budget-schema.ts';

/** Most months of a list, inclusive. */
export const mostMonths = 400;

/** Whether a budget that starts on a date is for a month of the calendar: v1 has no other periods. */
export function isMonth(settings: PeriodSettings, date: string): boolean {
  const [period, month] = [periodOf(settings, date), periodOf(defaultSettings, date)];
  return date === period.start && date === month.start && period.end === month.end;
}

/** Returns the months from one date to another, at most one more than {@link mostMonths}. */
export function monthsOf(from: string, to: string): Period[] {
  const months = [periodOf(defaultSettings, from)];
  while (months.at(-1)!.end < to && months.length <= mostMonths)
    months.push(periodAfter(defaultSettings, months.at(-1)!)!);
  return months;
}

/** Returns the rows of all categories that budgets have, with the two for transactions without a category. */
export function* budgetRows(bookId: number, months: readonly Period[]): Steps<BudgetRowV1[]> {
  const categories = yield* listCategories(bookId);
  const settings = yield* settingsOf(bookId);
  const [start, end] = [months[0]!.start, months.at(-1)!.end];
  const all = yield* budgetsBetween(bookId, start, end);
  const monthly = all.filter(({ start_date }) => isMonth(settings, start_date));
  const budgets = Map.groupBy(monthly, ({ category_id }) => category_id);
  const sums = Map.groupBy(yield* activitySums(bookId, months), (sum) => sum.categoryId);
  const expected = yield* expectedOccurrences(bookId, { start_date: start, end_date: end });
  const items = [...new Set(expected.map(({ item }) => item))];
  const names = new Map(categories.map(({ id, name }) => [id, name]));
  const members = Map.groupBy(categories, ({ group_id }) => group_id);
  const rows = categories.map((category): BudgetRowV1 => {
    const { id, name, group_id, is_group } = category;
    const own = [category, ...(members.get(id) ?? [])].flatMap((each) => sums.get(each.id) ?? []);
    return shownAs(BudgetRowV1, {
      ...category,
      category_name: name,
      category_id: id,
      order: 0,
      config: null,
      category_group_name: names.get(group_id ?? 0) ?? null,
      is_group: is_group ? true : null,
      data: dataOf(months, own, budgets.get(id) ?? []),
      ...recurringOf(items.filter((item) => item.override_category_id === id)),
    });
  });
  const others = [false, true].map((is_income): BudgetRowV1 => {
    const own = sums.get(null)?.filter(({ isInflow }) => isInflow === is_income) ?? [];
    return {
      category_name: 'Uncategorized',
      category_id: null,
      is_group: false,
      group_id: null,
      is_income,
      exclude_from_budget: false,
      exclude_from_totals: false,
      archived: false,
      order: 0,
      data: dataOf(months, own),
      config: null,
    };
  });
  const firstByName = categories.findIndex(({ group_id, order }) => (group_id ?? order) === null);
  return rows
    .toSpliced(firstByName === -1 ? rows.length : firstByName, 0, ...others)
    .map((row, order) => ({ ...row, order }))
    .filter((row) => !row.exclude_from_budget);
}

/** The activity and the budgets by month. Only categories have budgets, and months with zeros. */
function dataOf(
  months: readonly Period[],
  sums: readonly ActivitySum[],
  budgets?: readonly BudgetRow[],
): BudgetRowV1['data'] {
  const spent = Map.groupBy(sums, ({ range }) => range);
  const byStart = new Map(budgets?.map((budget) => [budget.start_date, budget]));
  const data = months.flatMap(({ start }, at): [string, MonthV1][] => {
    const own = spent.get(at);
    const budget = byStart.get(start);
    if (at > 0 && own === undefined && budget === undefined) return [];
    const isCounted = own !== undefined || budgets !== undefined;
    return [[start, { ...(isCounted && activityOf(own ?? [])), ...(budget && budgetOf(budget)) }]];
  });
  return Object.fromEntries(data);
}

function activityOf(sums: readonly ActivitySum[]): MonthV1 {
  const num_transactions = sums.reduce((total, { count }) => total + count, 0);
  const toBase = sums.reduce((total, each) => total + each.toBase, 0n);
  return { num_transactions, spending_to_base: wireNumber(toBase) };
}

function budgetOf({ amount, to_base, currency: budget_currency }: BudgetRow): MonthV1 {
  const budget_to_base = wireNumber(to_base);
  return { budget_to_base, budget_amount: wireNumber(amount), budget_currency };
}

function recurringOf(items: readonly RecurringRow[]): Pick<BudgetRowV1, 'recurring'> {
  const list = items.map((item) => ({
    payee: shownPayee(item),
    amount: formatAmount(item.amount),
    currency: item.currency,
    to_base: wireNumber(item.to_base),
  }));
  return list.length === 0 ? {} : { recurring: { list } };
}
