import { divideHalfToEven, formatAmount } from '@coffer/core/money';
import { negate, sumOf } from '../formats/money.ts';
import type { Category, Schemas } from '../types.ts';

/** A category of the book, as far as budgets need it. */
export type BudgetCategory = Pick<
  Category,
  | ('id' | 'name' | 'is_group' | 'is_income' | 'group_id')
  | ('exclude_from_budget' | 'exclude_from_totals' | 'archived')
>;

type Line = Schemas['BudgetSummary']['categories'][number];
type AnyOccurrence = NonNullable<Line['occurrences']>[number];

/** A period of a category in a summary of the API; numbers are in the primary currency. */
export type Occurrence = Pick<
  AnyOccurrence,
  | 'in_range'
  | 'start_date'
  | 'other_activity'
  | 'recurring_activity'
  | 'budgeted'
  | 'budgeted_amount'
  | 'budgeted_currency'
>;

/** A category in a summary of the API. */
export interface SummaryCategory extends Pick<Line, 'category_id'> {
  readonly totals: Pick<Line['totals'], 'recurring_remaining' | 'recurring_expected'>;
  readonly occurrences?: readonly Occurrence[];
}

/** An amount that was budgeted, in its own currency. */
export interface Budgeted {
  readonly amount: string;
  readonly currency: string;
}

/** What a row was in an earlier period. */
export interface EarlierPeriod {
  readonly budget: Budgeted | null;
  readonly activity: string;
}

/** A line of the budget. Amounts are decimals in the primary currency; money received is positive for income. */
export interface BudgetRow {
  readonly id: number;
  readonly name: string;
  readonly isGroup: boolean;
  readonly isMember: boolean;
  readonly isIncome: boolean;
  /** Whether it can have a budget. */
  readonly canBudget: boolean;
  /** Its own budget as it was written; null without one. */
  readonly own: Budgeted | null;
  /** What counts: of a group, the larger of its own budget and the sum of its members. Null without any. */
  readonly budgeted: string | null;
  /** What was spent, or received. */
  readonly activity: string;
  /** What earlier periods have left, or overspent; of a group, the sum of its members. Null if it does not carry. */
  readonly carried: string | null;
  /** What is left of the budget with what is carried over; for income, what is missing. Null without both. */
  readonly left: string | null;
  /** What recurring items expect, and what of it is still to come. */
  readonly expected: string;
  readonly remaining: string;
  /** Earlier periods, the newest last. */
  readonly earlier: readonly EarlierPeriod[];
}

const zero = '0.0000';

/** Returns a number of the API as a decimal with four places: exact up to eleven digits before the point. */
export function amountOf(number: number): string {
  return sumOf([String(number)]);
}

/** Whether a decimal is not zero. */
export function isSome(amount: string): boolean {
  return /[1-9]/.test(amount);
}

/** Returns the larger of two decimals. */
function largerOf(one: string, other: string): string {
  return sumOf([one, negate(other)]).startsWith('-') ? other : one;
}

/**
 * Returns the lines of a budget in the order of the book: members below their group, and spending without the
 * categories that budgets leave out. Archived categories are listed while they have a budget or activity.
 */
export function rowsOf(
  categories: readonly BudgetCategory[],
  summary: readonly SummaryCategory[],
  carried: ReadonlyMap<number, string> = new Map(),
): readonly BudgetRow[] {
  const byId = new Map(summary.map((each) => [each.category_id, each]));
  const rows = categories.flatMap((category) => {
    const found = byId.get(category.id);
    if (found === undefined || (!category.is_income && category.exclude_from_budget)) return [];
    const row = rowOf(category, found, carried.get(category.id) ?? null);
    return category.archived && !isUsed(row) ? [] : [row];
  });
  const groupOf = new Map(categories.map(({ id, group_id: groupId }) => [id, groupId]));
  return rows.map((row) => {
    if (!row.isGroup) return row;
    return withMembers(
      row,
      rows.filter(({ id }) => groupOf.get(id) === row.id),
    );
  });
}

/** Whether a row has a budget, activity, or something carried over. */
export function isUsed({ budgeted, activity, expected, carried }: BudgetRow): boolean {
  return budgeted !== null || isSome(activity) || isSome(expected) || isSome(carried ?? '');
}

function rowOf(
  category: BudgetCategory,
  { totals, occurrences = [] }: SummaryCategory,
  carried: string | null,
): BudgetRow {
  const { id, name, is_group: isGroup, is_income: isIncome, group_id: groupId } = category;
  const signed = (amount: number): string => {
    const text = amountOf(amount);
    return isIncome ? negate(text) : text;
  };
  const activityOf = (each: Occurrence): string =>
    sumOf([signed(each.other_activity), signed(each.recurring_activity)]);
  const current = occurrences.find(({ in_range: isInRange }) => isInRange);
  const budgeted = current?.budgeted ?? null;
  return withLeft({
    id,
    name,
    isGroup,
    isIncome,
    isMember: groupId !== null,
    canBudget: !category.exclude_from_budget,
    own: budgetOf(current),
    budgeted: budgeted === null ? null : amountOf(budgeted),
    activity: current === undefined ? zero : activityOf(current),
    carried,
    expected: signed(totals.recurring_expected),
    remaining: signed(totals.recurring_remaining),
    earlier: occurrences
      .filter(({ in_range: isInRange }) => !isInRange)
      .map((each) => ({ budget: budgetOf(each), activity: activityOf(each) })),
  });
}

function budgetOf(occurrence: Occurrence | undefined): Budgeted | null {
  const { budgeted_amount: amount = null, budgeted_currency: currency = null } = occurrence ?? {};
  return amount === null || currency === null ? null : { amount, currency };
}

function withLeft(row: Omit<BudgetRow, 'left'>): BudgetRow {
  const { budgeted, activity, carried } = row;
  const hasLeft = budgeted !== null || carried !== null;
  const left = sumOf([budgeted ?? zero, carried ?? zero, negate(activity)]);
  return { ...row, left: hasLeft ? left : null };
}

function withMembers(group: BudgetRow, members: readonly BudgetRow[]): BudgetRow {
  const carried = members.flatMap((row) => row.carried ?? []);
  const whole = { ...group, carried: carried.length === 0 ? null : sumOf(carried) };
  const budgets = members.flatMap(({ budgeted }) => budgeted ?? []);
  if (budgets.length === 0) return withLeft(whole);
  const sum = sumOf(budgets);
  return withLeft({ ...whole, budgeted: largerOf(group.budgeted ?? sum, sum) });
}

/** The sums of some lines; members count in their group alone. */
export interface BudgetTotals {
  readonly budgeted: string;
  readonly activity: string;
  /** What earlier periods have left, and what is left with that. */
  readonly carried: string;
  readonly left: string;
  readonly expected: string;
  readonly remaining: string;
}

/** What was spent without a category, and what recurring items expect that set none. */
export interface Uncategorized {
  readonly activity: string;
  readonly expected: string;
  readonly remaining: string;
}

type Outflow = NonNullable<Schemas['BudgetSummary']['totals']>['outflow'];

/** Returns what has no category: of what recurring items expect, the rest that no category has. */
export function uncategorizedOf(
  outflow: Outflow,
  summary: readonly SummaryCategory[],
  categories: readonly BudgetCategory[],
): Uncategorized {
  // A group has the sums of its members.
  const ids = categories.filter(
    (each) => !each.is_group && !each.is_income && !each.exclude_from_totals,
  );
  const counted = new Set(ids.map(({ id }) => id));
  const all = summary.filter(({ category_id: id }) => counted.has(id));
  const rest = (name: 'recurring_expected' | 'recurring_remaining'): string =>
    sumOf([amountOf(outflow[name]), ...all.map(({ totals }) => negate(amountOf(totals[name])))]);
  return {
    activity: amountOf(outflow.uncategorized + outflow.uncategorized_recurring),
    expected: rest('recurring_expected'),
    remaining: rest('recurring_remaining'),
  };
}

const nothing: Uncategorized = { activity: zero, expected: zero, remaining: zero };

/** Returns the sums of lines, and of what is in no line. */
export function totalsOf(rows: readonly BudgetRow[], rest: Uncategorized = nothing): BudgetTotals {
  const top = rows.filter(({ isMember }) => !isMember);
  const budgeted = sumOf(top.map((row) => row.budgeted ?? zero));
  const activity = sumOf([...top.map((row) => row.activity), rest.activity]);
  const expected = sumOf([...top.map((row) => row.expected), rest.expected]);
  const remaining = sumOf([...top.map((row) => row.remaining), rest.remaining]);
  const carried = sumOf(top.map((row) => row.carried ?? zero));
  const left = sumOf([budgeted, carried, negate(activity)]);
  return { budgeted, carried, activity, expected, remaining, left };
}

/**
 * Returns a summary with another budget of a category, at once, before the server has stored it. What an amount in
 * another currency than `primary` is worth is known only when the server has stored it.
 */
export function withBudget<Row extends SummaryCategory>(
  rows: readonly Row[],
  { categoryId, budget, primary }: BudgetChange,
): Row[] {
  return rows.map((row) => {
    if (row.category_id !== categoryId || row.occurrences === undefined) return row;
    const occurrences = row.occurrences.map((each) =>
      each.in_range ? { ...each, ...occurrenceOf(each, budget, primary) } : each,
    );
    return { ...row, occurrences };
  });
}

/** A new budget of a category; null to remove it. */
export interface BudgetChange {
  readonly categoryId: number;
  readonly budget: Budgeted | null;
  readonly primary: string;
}

function occurrenceOf(present: Occurrence, budget: Budgeted | null, primary: string) {
  if (budget === null) return { budgeted: null, budgeted_amount: null, budgeted_currency: null };
  const { amount, currency } = budget;
  const budgeted = currency === primary ? Number(amount) : present.budgeted;
  return { budgeted, budgeted_amount: amount, budgeted_currency: currency };
}

/** Returns the mean activity of the earlier periods to the cent; null when there was none. */
export function averageOf({ earlier }: BudgetRow): string | null {
  const sum = sumOf(earlier.map(({ activity }) => activity));
  if (earlier.length === 0 || !isSome(sum)) return null;
  const cents = divideHalfToEven(BigInt(sum.replace('.', '')), BigInt(earlier.length * 100));
  return cents < 0n ? null : formatAmount(cents * 100n);
}

/**
 * Returns the part of the budget and of what is carried over that is used, for a bar: from 0, above 1 when more was
 * used; null without both.
 */
export function usedShare(
  row: Pick<BudgetRow, 'budgeted' | 'activity' | 'carried'>,
): number | null {
  const { budgeted, activity, carried } = row;
  if (budgeted === null && carried === null) return null;
  const [used, whole] = [Number(activity), Number(budgeted ?? 0) + Number(carried ?? 0)];
  if (used <= 0) return 0;
  return whole <= 0 ? 2 : used / whole;
}

/** What decides how much is left to budget. */
export interface ToBudget {
  /** Which income counts: that received, that budgeted, or the larger of both. */
  readonly option: 'max' | 'budgeted' | 'activity';
  readonly income: BudgetTotals;
  readonly spending: BudgetTotals;
  /** What earlier periods have left; null when it is not carried over. */
  readonly pool: string | null;
}

/** Returns the income that has no budget yet; negative when more was budgeted. */
export function toBudgetOf({ option, income, spending, pool }: ToBudget): string {
  const incomes = {
    max: largerOf(income.activity, income.budgeted),
    budgeted: income.budgeted,
    activity: income.activity,
  };
  return sumOf([incomes[option], negate(spending.budgeted), pool ?? zero]);
}
