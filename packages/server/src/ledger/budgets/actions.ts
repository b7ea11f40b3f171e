import sql from 'sql-template-tag';
import { periodAfter, periodOf } from '@coffer/core/budget-periods';
import { formatAmount, maxAmount } from '@coffer/core/money';
import { shorten } from '@coffer/core/text';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select, rowAs } from '../../db/rows.ts';
import { given, integer, type Row, type RowUpdate } from '../../db/table.ts';
import { budgets, categories, budgetSettings } from '../../db/tables/tables.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import type { CurrencyCode } from '../../operations/currencies.ts';
import { Problem, bodyProblem, type ErrorDetail } from '../../operations/problem.ts';
import { wireNumber } from '../../operations/schema.ts';
import { primaryCurrencyOf, toBase } from '../currencies/actions.ts';
import type {
  Budget,
  BudgetKey,
  BudgetMove,
  BudgetUpsert,
  BudgetSettings,
  BudgetSettingsUpdate,
} from './schema.ts';
import { recordKind } from '../../book/record.ts';

/** The settings of a book, without its id. */
export type SettingsOfBook = Omit<Row<typeof budgetSettings>, 'book_id'>;

/** The settings of a book without a record: months of the calendar. */
export const defaultSettings: SettingsOfBook = {
  number: 1,
  granularity: 'month',
  quantity: 1,
  anchor_date: '2024-01-01',
  hide_no_activity: false,
  use_last_day_of_month: false,
  income_option: 'max',
  rollover_left_to_budget: false,
};

/** Returns the settings of a book's budgets. */
export function* settingsOf(bookId: number): Steps<SettingsOfBook> {
  return (yield* find(budgetSettings, { book_id: bookId })) ?? defaultSettings;
}

/** Changes settings of a book's budgets. Budgets that start no period of the new settings stay, without effect. */
export function* updateSettings(change: Change, body: BudgetSettingsUpdate): Steps<SettingsOfBook> {
  const before = yield* find(budgetSettings, { book_id: change.bookId });
  const columns = columnsOf(body);
  if (before !== undefined) return yield* change.update(budgetSettings, before, columns);
  return yield* change.insert(budgetSettings, { ...defaultSettings, ...columns });
}

/** Returns settings as in a response. */
export function settingsToWire(settings: SettingsOfBook): BudgetSettings {
  return {
    budget_period_granularity: settings.granularity,
    budget_period_quantity: settings.quantity,
    budget_period_anchor_date: settings.anchor_date,
    budget_hide_no_activity: settings.hide_no_activity,
    budget_use_last_day_of_month: settings.use_last_day_of_month,
    budget_income_option: settings.income_option,
    budget_rollover_left_to_budget: settings.rollover_left_to_budget,
  };
}

function columnsOf(body: BudgetSettingsUpdate) {
  return given({
    granularity: body.budget_period_granularity,
    quantity: body.budget_period_quantity,
    anchor_date: body.budget_period_anchor_date,
    hide_no_activity: body.budget_hide_no_activity,
    use_last_day_of_month: body.budget_use_last_day_of_month,
    income_option: body.budget_income_option,
    rollover_left_to_budget: body.budget_rollover_left_to_budget,
  });
}

export type BudgetRow = Row<typeof budgets>;

/**
 * Creates or changes the budget of a category in a period. Without `currency` the amount is in the primary currency;
 * without `notes` an existing budget keeps its notes. Throws a Problem that lists all that is wrong.
 */
export function* upsertBudget(change: Change, body: BudgetUpsert): Steps<BudgetRow> {
  const { category_id, start_date, notes } = body;
  const problems = yield* keyProblems(change.bookId, 'body', body);
  const amount = parseAmountInput(body.amount);
  if (amount === null) problems.push(amountProblem(body.amount));
  refuse(problems);
  const currency = body.currency ?? (yield* primaryCurrencyOf(change.bookId));
  const to_base = yield* toBase(change.bookId, amount!, currency, start_date);
  const columns = { amount: amount!, currency, to_base, ...(notes !== undefined && { notes }) };
  const before = yield* find(budgets, { book_id: change.bookId, category_id, start_date });
  if (before !== undefined) return yield* change.update(budgets, before, columns);
  return yield* change.insert(budgets, { category_id, start_date, notes: null, ...columns });
}

/**
 * Moves money between the budgets of two categories in a period. Both are in the primary currency then; a category
 * without a budget begins with 0. Throws a Problem that lists all that is wrong.
 */
export function* moveBudget(
  change: Change,
  body: BudgetMove,
): Steps<{ readonly from: BudgetRow; readonly to: BudgetRow }> {
  const { bookId } = change;
  const { start_date, from_category_id: from, to_category_id: to } = body;
  const amount = parseAmountInput(body.amount);
  const problems = [
    ...(yield* startProblems(bookId, 'body', start_date)),
    ...(yield* categoryProblems(bookId, 'body', 'from_category_id', from)),
    ...(yield* categoryProblems(bookId, 'body', 'to_category_id', to)),
  ];
  if (from === to)
    problems.push(problem('body', 'to_category_id', to, 'must differ from from_category_id'));
  if (amount === null) problems.push(amountProblem(body.amount));
  else if (amount <= 0)
    problems.push(problem('body', 'amount', body.amount, 'must be larger than 0'));
  refuse(problems);
  return {
    from: yield* addToBudget(change, { category_id: from, start_date }, -amount!),
    to: yield* addToBudget(change, { category_id: to, start_date }, amount!),
  };
}

function* addToBudget(change: Change, key: BudgetKey, added: number): Steps<BudgetRow> {
  const before = yield* find(budgets, { book_id: change.bookId, ...key });
  const amount = (before?.to_base ?? 0) + added;
  if (Math.abs(amount) > maxAmount) refuse([amountProblem(formatAmount(Math.abs(added)))]);
  const columns = { amount, currency: yield* primaryCurrencyOf(change.bookId), to_base: amount };
  if (before !== undefined) return yield* change.update(budgets, before, columns);
  return yield* change.insert(budgets, { ...key, notes: null, ...columns });
}

/** Removes the budget of a category in a period, if there is one. Throws a Problem that lists all that is wrong. */
export function* deleteBudget(change: Change, key: BudgetKey): Steps<void> {
  refuse(yield* keyProblems(change.bookId, 'query', key));
  const budget = yield* find(budgets, { book_id: change.bookId, ...key });
  if (budget !== undefined) yield* change.remove(budgets, budget);
}

/** Returns the budgets of a book that start in a range of dates, both inclusive, even if they fit no period. */
export function* budgetsBetween(bookId: number, from: string, to: string): Steps<BudgetRow[]> {
  const and = sql`start_date BETWEEN ${from} AND ${to}`;
  return yield* select(budgets, { book_id: bookId }, { and });
}

/** Throws what is wrong with a request, if anything. */
function refuse(problems: readonly ErrorDetail[]): void {
  if (problems.length === 0) return;
  const isAboutPeriod = problems.some((each) => 'requested_start_date' in each);
  throw new Problem(isAboutPeriod ? 'invalidRequest' : 'invalidBody', { details: problems });
}

/** What is wrong with a period and a category. The period is first, where clients look for the valid dates. */
function* keyProblems(
  bookId: number,
  part: 'body' | 'query',
  { start_date, category_id }: BudgetKey,
): Steps<ErrorDetail[]> {
  return [
    ...(yield* startProblems(bookId, part, start_date)),
    ...(yield* categoryProblems(bookId, part, 'category_id', category_id)),
  ];
}

/** What is wrong with the start of a period. */
function* startProblems(
  bookId: number,
  part: 'body' | 'query',
  start_date: string,
): Steps<ErrorDetail[]> {
  const settings = yield* settingsOf(bookId);
  const period = periodOf(settings, start_date);
  if (period.start === start_date) return [];
  return [
    {
      ...problem(part, 'start_date', start_date, 'is not the first day of a budget period'),
      requested_start_date: start_date,
      previous_valid_start_date: period.start,
      next_valid_start_date: periodAfter(settings, period)?.start ?? null,
    },
  ];
}

function* categoryProblems(
  bookId: number,
  part: 'body' | 'query',
  name: string,
  category_id: number,
): Steps<ErrorDetail[]> {
  const category = yield* find(categories, { book_id: bookId, id: category_id });
  if (category !== undefined) return [];
  return [{ ...problem(part, name, category_id, 'is not a category of this book'), category_id }];
}

function amountProblem(amount: number | string): ErrorDetail {
  return problem('body', 'amount', amount, 'is too large');
}

function problem(
  part: 'body' | 'query',
  name: string,
  value: unknown,
  reason: string,
): ErrorDetail {
  const noun = part === 'body' ? 'Body property' : 'Query parameter';
  return {
    errMsg: `${noun} ${name} ${reason}: ${shorten(JSON.stringify(value))}`,
    instancePath: `/${part}/${name}`,
    invalid_property: name,
  };
}

/** Returns a budget as in a response. */
export function budgetToWire(budget: BudgetRow): Budget {
  return {
    category_id: budget.category_id,
    start_date: budget.start_date,
    amount: formatAmount(budget.amount),
    currency: budget.currency as CurrencyCode,
    to_base: wireNumber(budget.to_base),
    notes: budget.notes,
  };
}

export const budgetRecord = recordKind(budgets, {
  toWire: budgetToWire,
  shows: 'category_id start_date amount currency to_base notes',
  valueDay: ({ start_date }) => start_date,
  refersTo: {
    // Those that fit no period are included.
    categories: {
      dependents: 'budget',
      *count(bookId, id) {
        const found = yield* rowAs(
          { total: integer },
          sql`SELECT count(*) AS total FROM budgets WHERE book_id = ${bookId} AND category_id = ${id}`,
        );
        return found!.total;
      },
      /**
       * If both have a budget for a period, the amounts are added: in
       * their currency, or in the primary currency of the book if they differ. Throws a Problem if a sum is too large.
       */
      *move(change, from, into) {
        const { bookId } = change;
        const moved = yield* select(budgets, { book_id: bookId, category_id: from });
        const present = yield* select(budgets, { book_id: bookId, category_id: into });
        const byStart = new Map(present.map((row) => [row.start_date, row]));
        yield* change.removeAll(budgets, moved);
        for (const row of moved) {
          const other = byStart.get(row.start_date);
          if (other === undefined) yield* change.insert(budgets, { ...row, category_id: into });
          else
            yield* change.update(
              budgets,
              other,
              sumOf(other, row, yield* primaryCurrencyOf(bookId)),
            );
        }
      },
      *detach(change, id) {
        const all = yield* select(budgets, { book_id: change.bookId, category_id: id });
        yield* change.removeAll(budgets, all);
      },
    },
  },
});

export const budgetSettingsRecord = recordKind(budgetSettings, {
  toWire: settingsToWire,
  shows: `number granularity quantity anchor_date hide_no_activity use_last_day_of_month income_option
    rollover_left_to_budget`,
});

function sumOf(one: BudgetRow, other: BudgetRow, primary: string): RowUpdate<typeof budgets> {
  const to_base = one.to_base + other.to_base;
  const isSame = one.currency === other.currency;
  const amount = isSame ? one.amount + other.amount : to_base;
  if (Math.max(Math.abs(amount), Math.abs(to_base)) > maxAmount)
    throw bodyProblem({
      errMsg: `The sum of the budgets for the period from ${one.start_date} is too large`,
      start_date: one.start_date,
    });
  const currency = isSame ? one.currency : primary;
  return { amount, currency, to_base, notes: one.notes ?? other.notes };
}
