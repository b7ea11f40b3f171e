import { Type, type Static } from 'typebox';
import { amountInput } from '../../operations/amounts.ts';
import {
  amount,
  closed,
  Currency,
  date,
  day,
  exampleOf,
  flag,
  id,
  nullable,
  number,
  object,
  only,
  optional,
  partial,
  reference,
  someId,
  word,
} from '../../operations/schema.ts';

/** Longest `notes` of a budget in characters, inclusive; they may be empty. */
const maxBudgetNotesLength = 350;
/** Most units in a period, inclusive; the fewest is one. */
const maxPeriodQuantity = 366;

const granularities = ['day', 'week', 'month', 'year', 'twice a month'] as const;
const incomeOptions = ['max', 'budgeted', 'activity'] as const;

const settings = {
  budget_period_granularity: word(granularities, { description: 'Unit of the budget periods.' }),
  budget_period_quantity: Type.Integer({
    minimum: 1,
    maximum: maxPeriodQuantity,
    description: 'Number of units in a period.',
  }),
  budget_period_anchor_date: date(
    'A day on which a period starts. Periods before and after it follow without gaps. ' +
      'In a shorter month a period starts on the last day.',
  ),
  budget_hide_no_activity: flag(
    'Whether screens hide categories without a budget and without activity.',
  ),
  budget_use_last_day_of_month: flag(
    'Whether periods of months end on the last day of a month, whatever the day of the anchor.',
  ),
  budget_income_option: word(incomeOptions, {
    description:
      'Which income can be budgeted.\n\n' +
      '`budgeted`: the budgets of income categories. `activity`: what was received. `max`: the larger of the two.',
  }),
  budget_rollover_left_to_budget: flag(
    'Whether income that is left to budget is carried over to the next period.',
  ),
};

export const BudgetSettings = object(
  'BudgetSettings',
  'The periods of budgets, and preferences.',
  settings,
  {
    example: {
      budget_period_granularity: 'month',
      budget_period_quantity: 1,
      budget_period_anchor_date: '2024-01-01',
      budget_hide_no_activity: false,
      budget_use_last_day_of_month: false,
      budget_income_option: 'max',
      budget_rollover_left_to_budget: false,
    },
  },
);
export type BudgetSettings = Static<typeof BudgetSettings>;

export const BudgetSettingsUpdate = object(
  'BudgetSettingsUpdate',
  'Changes to the settings of budgets.',
  partial(settings),
  {
    example: {
      budget_period_granularity: 'week',
      budget_period_quantity: 2,
      budget_period_anchor_date: '2026-01-09',
    },
  },
);
export type BudgetSettingsUpdate = Static<typeof BudgetSettingsUpdate>;

const notes = nullable(
  Type.String({ maxLength: maxBudgetNotesLength, description: 'Notes on the budget.' }),
);

export const Budget = object(
  'Budget',
  'What is budgeted for a category in one period.',
  {
    category_id: id('Id of the category or group.'),
    start_date: date('First day of the period.'),
    amount: amount('Budgeted amount, in `currency`.'),
    currency: reference(Currency, 'Currency of `amount`.'),
    to_base: number(
      "The amount in the book's primary currency, at the rate of `start_date`; 0 without a rate.",
    ),
    notes,
  },
  {
    example: {
      category_id: 12,
      start_date: '2026-03-01',
      amount: '120.0000',
      currency: 'eur',
      to_base: 120,
      notes: 'Guests at Easter',
    },
  },
);
export type Budget = Static<typeof Budget>;

const startDate = day('First day of a budget period.');
const categoryId = someId('Id of a category or group.');

export const BudgetUpsert = object(
  'BudgetUpsert',
  'A budget to set.',
  {
    start_date: startDate,
    category_id: categoryId,
    amount: amountInput('Amount with up to four decimals.'),
    currency: optional(
      reference(Currency, "Currency of the amount; by default the book's primary currency."),
    ),
    notes: optional(notes),
  },
  {
    example: {
      ...only(exampleOf(Budget), ['start_date', 'category_id', 'currency', 'notes']),
      amount: 120,
    },
  },
);
export type BudgetUpsert = Static<typeof BudgetUpsert>;

export const BudgetMove = object(
  'BudgetMove',
  'Money to move from the budget of one category to that of another one.',
  {
    start_date: startDate,
    from_category_id: someId('Id of the category or group whose budget gets smaller.'),
    to_category_id: someId('Id of the category or group whose budget gets larger.'),
    amount: amountInput("Amount in the book's primary currency, larger than 0."),
  },
  { example: { start_date: '2026-03-01', from_category_id: 12, to_category_id: 14, amount: 25 } },
);
export type BudgetMove = Static<typeof BudgetMove>;

export const MovedBudgets = object(
  'MovedBudgets',
  'The two budgets after a move.',
  { from: Budget, to: Budget },
  {
    example: {
      from: { ...exampleOf(Budget), amount: '95.0000', to_base: 95 },
      to: { ...exampleOf(Budget), category_id: 14, amount: '25.0000', to_base: 25, notes: null },
    },
  },
);

/** The query of DELETE /v2/budgets. */
export const BudgetKey = closed({ category_id: categoryId, start_date: startDate });
export type BudgetKey = Static<typeof BudgetKey>;
