import { isPeriodStart } from '@coffer/core/budget-periods';
import { addDays, earliestDate } from '@coffer/core/dates';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { categorySettings } from '../../db/tables/tables.ts';
import { budgetsBetween, settingsOf, type BudgetRow } from '../budgets/actions.ts';
import { listCategories } from '../categories/actions.ts';
import type { Category } from '../categories/schema.ts';
import { activitySums, type ActivitySum, type DateRange } from './sums.ts';

/** What a category carries over to a period; ten-thousandths of the primary currency, negative if overspent. */
export interface Carried {
  readonly categoryId: number;
  readonly amount: bigint;
}

/**
 * Returns what the categories that carry over have left of the periods before a date.
 *
 * It starts with the first budget of the category: from then on each period adds its budget, if it has one, less what
 * was spent. Budgets that start no period do not count. Groups, income and categories that budgets omit carry nothing.
 */
export function* carriedTo(bookId: number, start: string): Steps<Carried[]> {
  const categories = yield* carryingCategories(bookId);
  if (categories.length === 0 || start === earliestDate) return [];
  const settings = yield* settingsOf(bookId);
  const ids = new Set(categories.map(({ id }) => id));
  const last = addDays(start, -1);
  const budgets = (yield* budgetsBetween(bookId, earliestDate, last)).filter(
    (each) => ids.has(each.category_id) && isPeriodStart(settings, each.start_date),
  );
  const byCategory = Map.groupBy(budgets, ({ category_id }) => category_id);
  const firsts = new Map([...byCategory].map(([id, all]) => [id, firstStart(all)]));
  const ranges = rangesOf([...firsts.values()], last);
  const activity = Map.groupBy(
    yield* activitySums(bookId, ranges),
    ({ categoryId }) => categoryId ?? 0,
  );
  return categories.map(({ id }) => {
    const first = firsts.get(id);
    if (first === undefined) return { categoryId: id, amount: 0n };
    const budgeted = sum(byCategory.get(id)!.map(({ to_base }) => BigInt(to_base)));
    return { categoryId: id, amount: budgeted - spentSince(first, activity.get(id) ?? [], ranges) };
  });
}

/** The categories whose budgets carry over, in list order. */
function* carryingCategories(bookId: number): Steps<Category[]> {
  const settings = yield* select(categorySettings, { book_id: bookId, rollover: true });
  const carrying = new Set(settings.map(({ category_id }) => category_id));
  return (yield* listCategories(bookId)).filter(
    (each) =>
      carrying.has(each.id) && !each.is_group && !each.is_income && !each.exclude_from_budget,
  );
}

function firstStart(budgets: readonly BudgetRow[]): string {
  return budgets.map(({ start_date }) => start_date).toSorted()[0]!;
}

/** Divides the time from the first of some days to a last one at each of them. */
function rangesOf(starts: readonly string[], last: string): DateRange[] {
  const sorted = [...new Set(starts)].toSorted();
  return sorted.map((start, at) => {
    const next = sorted[at + 1];
    return { start, end: next === undefined ? last : addDays(next, -1) };
  });
}

function spentSince(
  first: string,
  activity: readonly ActivitySum[],
  ranges: readonly DateRange[],
): bigint {
  const counted = activity.filter(({ range }) => ranges[range]!.start >= first);
  return sum(counted.map(({ toBase }) => toBase));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, each) => total + each, 0n);
}
