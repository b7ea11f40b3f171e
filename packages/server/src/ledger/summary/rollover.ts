import { budgetsBetween, settingsOf } from '../budgets/actions.ts';
import type { SettingsOfBook, BudgetRow } from '../budgets/actions.ts';
import { isPeriodStart, periodBefore, periodOf, type Period } from '@coffer/core/budget-periods';
import { formatAmount } from '@coffer/core/money';
import { earliestDate, addDays } from '@coffer/core/dates';
import type { Steps } from '../../db/engine.ts';
import { wireNumber } from '../../operations/schema.ts';
import type { Category } from '../categories/schema.ts';
import type { Book } from '../../operations/caller.ts';
import type { RolloverPool } from './schema.ts';
import { daySums, isWholeMonths, activitySums } from './sums.ts';
import type { DateRange, DaySum, ActivitySum } from './sums.ts';
import { select } from '../../db/rows.ts';
import { categorySettings } from '../../db/tables/tables.ts';
import { listCategories } from '../categories/actions.ts';

/** What the rollover pool of a book depends on. */
export interface RolloverRequest {
  readonly book: Pick<Book, 'id' | 'primaryCurrency'>;
  readonly settings: SettingsOfBook;
  readonly categories: readonly Category[];
  /** The requested range. */
  readonly range: DateRange;
  /** Only periods that end before this date count. */
  readonly today: string;
}

/**
 * Returns the income that is left to budget after all periods before today, and how it became so.
 *
 * The pool is empty if left income is not carried over. Otherwise it starts with the first period that has a budget.
 * Each period adds its income (the budgets of income categories, what was received, or the larger of the two), less the
 * budgets of the other categories. A group and its members together budget the amount of the group, or that of the
 * members if it is larger. It can become negative. Categories that budgets omit do not count.
 */
export function* rolloverPool(request: RolloverRequest): Steps<RolloverPool> {
  const { book, settings, range, today } = request;
  const last = periodBefore(settings, periodOf(settings, today));
  if (!settings.rollover_left_to_budget || last === null) return emptyPool;
  const all = yield* budgetsBetween(book.id, earliestDate, last.end);
  const budgets = all.filter(({ start_date }) => isPeriodStart(settings, start_date));
  const first = budgets.map(({ start_date }) => start_date).toSorted()[0];
  if (first === undefined) return emptyPool;
  const categories = request.categories.filter(({ exclude_from_budget }) => !exclude_from_budget);
  const incomeIds = categories.filter((each) => each.is_income).map(({ id }) => id);
  const isMonthly = settings.granularity === 'month' && isWholeMonths(periodOf(settings, first));
  const inPeriods = { start: first, end: last.end };
  const received = yield* daySums(book.id, incomeIds, inPeriods, { byMonth: isMonthly });
  const changes = poolChanges(settings, categories, budgets, received);
  return toWire(changes, book.primaryCurrency, (period) => isWithin(period, range));
}

const emptyPool: RolloverPool = { budgeted_to_base: 0, all_adjustments: [] };

/** How much a period adds to the pool. */
interface PoolChange {
  readonly period: Period;
  readonly amount: bigint;
}

/** Returns the changes of the pool by period, ascending, without those of 0. */
function poolChanges(
  settings: SettingsOfBook,
  categories: readonly Category[],
  budgets: readonly BudgetRow[],
  received: readonly DaySum[],
): PoolChange[] {
  const budgetsOf = Map.groupBy(budgets, ({ start_date }) => start_date);
  const receivedOf = Map.groupBy(received, ({ date }) => periodOf(settings, date).start);
  const starts = [...new Set([...budgetsOf.keys(), ...receivedOf.keys()])].toSorted();
  return starts
    .map((start) => {
      const all = budgetsOf.get(start) ?? [];
      const income = budgeted(categories, all, true);
      const activity = -sum((receivedOf.get(start) ?? []).map(({ toBase }) => toBase));
      const available = availableIncome(settings.income_option, income, activity);
      const amount = available - budgeted(categories, all, false);
      return { period: periodOf(settings, start), amount };
    })
    .filter(({ amount }) => amount !== 0n);
}

function availableIncome(
  option: SettingsOfBook['income_option'],
  income: bigint,
  activity: bigint,
): bigint {
  if (option === 'max') return income > activity ? income : activity;
  return option === 'budgeted' ? income : activity;
}

/** Returns what the income categories, or the others, budget in one period. */
function budgeted(
  categories: readonly Category[],
  budgets: readonly BudgetRow[],
  isIncome: boolean,
): bigint {
  const byId = new Map(budgets.map((budget) => [budget.category_id, BigInt(budget.to_base)]));
  const amountOf = ({ id }: Category): bigint => byId.get(id) ?? 0n;
  const ofSide = categories.filter((each) => each.is_income === isIncome);
  const members = Map.groupBy(ofSide, ({ group_id }) => group_id);
  const top = ofSide.filter(({ group_id }) => group_id === null);
  return sum(
    top.map((each) => {
      const own = amountOf(each);
      const ofMembers = sum((members.get(each.id) ?? []).map(amountOf));
      return own > ofMembers ? own : ofMembers;
    }),
  );
}

function toWire(
  changes: readonly PoolChange[],
  currency: string,
  isInRange: (period: Period) => boolean,
): RolloverPool {
  let pool = 0n;
  const adjustments = changes.map(({ period, amount }) => {
    pool += amount;
    return {
      in_range: isInRange(period),
      date: period.end,
      amount: formatAmount(pool),
      currency,
      to_base: wireNumber(pool),
    };
  });
  return { budgeted_to_base: wireNumber(pool), all_adjustments: adjustments.toReversed() };
}

function isWithin(period: Period, range: DateRange): boolean {
  return range.start <= period.start && period.end <= range.end;
}

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
