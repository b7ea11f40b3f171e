import { Type, type Static } from 'typebox';
import {
  amount,
  closed,
  count,
  currencyCode,
  date,
  day,
  flag,
  id,
  nullable,
  number,
  object,
  optional,
  text,
} from '../../operations/schema.ts';

/** The query of GET /v2/summary, with defaults. */
export const SummaryQuery = closed({
  start_date: day('First day, inclusive; not later than `end_date`.'),
  end_date: day('Last day, inclusive; at most a hundred years after the first.'),
  include_exclude_from_budgets: flag('List categories that budgets omit, too.', false),
  include_occurrences: flag('Include `occurrences` of categories; for at most 400 periods.', false),
  include_past_budget_dates: flag(
    'Include the three periods before the range in `occurrences`, too.',
    false,
  ),
  include_totals: flag('Include `totals`.', false),
  include_rollover_pool: flag('Include `rollover_pool`.', false),
});
export type SummaryQuery = Static<typeof SummaryQuery>;

function sum(description: string) {
  return number(description);
}

const activity = {
  other_activity: sum('Activity of no recurring item; money out is positive.'),
  recurring_activity: sum('Activity of recurring items; money out is positive.'),
};
const expected = {
  recurring_remaining: sum('Expected activity of recurring items that was not found yet.'),
  recurring_expected: sum('Expected activity of recurring items.'),
};

const Occurrence = closed({
  in_range: flag('False for a period before the range.'),
  start_date: date('First day of the period.'),
  end_date: date('Last day of the period.'),
  ...activity,
  budgeted: nullable(sum('Budget in the primary currency; null without a budget.')),
  budgeted_amount: nullable(amount('Budget in `budgeted_currency`; null without a budget.')),
  budgeted_currency: nullable(currencyCode('Currency of the budget.')),
  notes: nullable(text('Notes on the budget.')),
});
export type Occurrence = Static<typeof Occurrence>;

const SummaryCategory = closed({
  category_id: id('Id of the category or group.'),
  totals: closed(
    {
      ...activity,
      budgeted: optional(
        nullable(sum('Sum of the budgets; null without any, absent if not `aligned`.')),
      ),
      available: optional(
        nullable(
          sum(
            'Budget that is left; for income, what was not received yet. Null without a budget, ' +
              'absent if not `aligned`.',
          ),
        ),
      ),
      ...expected,
    },
    'Sums of the range in the primary currency.',
  ),
  occurrences: optional(
    Type.Array(Occurrence, {
      description:
        'The budget periods in the range, ascending; before them those of `include_past_budget_dates`. ' +
        'If the range is not `aligned`, only periods that are completely in the range.',
    }),
  ),
});
export type SummaryCategory = Static<typeof SummaryCategory>;

function breakdown(description: string) {
  return closed(
    {
      ...activity,
      ...expected,
      uncategorized: sum('Activity without a category and of no recurring item.'),
      uncategorized_count: count('Number of transactions without a category.'),
      uncategorized_recurring: sum('Activity of recurring items without a category.'),
    },
    description,
  );
}

const Totals = closed(
  {
    inflow: breakdown('Income categories, and credits without a category; usually negative.'),
    outflow: breakdown('All other categories, and debits without a category.'),
  },
  'Sums of all transactions in the primary currency. Categories that totals omit are left out, groups are not ' +
    'counted in addition to their members, and `uncategorized` is not part of the other sums.',
);
export type Totals = Static<typeof Totals>;
export type Breakdown = Totals['inflow'];

const Adjustment = closed({
  in_range: flag('Whether the period is completely in the range.'),
  date: date('Last day of the period.'),
  amount: amount('The pool after the period.'),
  currency: currencyCode('The primary currency.'),
  to_base: sum('The pool after the period.'),
});

const RolloverPool = closed(
  {
    budgeted_to_base: sum('Income that is left to budget from all periods before today.'),
    all_adjustments: Type.Array(Adjustment, {
      description: 'The pool after each period that changed it, newest first.',
    }),
  },
  'Empty unless `budget_rollover_left_to_budget` is set. From the first budget on, each period before today adds ' +
    'its income, as `budget_income_option` says, less the budgets of categories that are no income.',
);
export type RolloverPool = Static<typeof RolloverPool>;

/** The query of GET /coffer/budget_rollover. */
export const RolloverQuery = closed({
  start_date: day(
    'First day of a budget period; of any other day, what is left of the time before it.',
  ),
});

/** The response of GET /coffer/budget_rollover. */
export const CategoryRollover = object(
  'CategoryRollover',
  'What the categories with `rollover` carry over to a budget period.',
  {
    start_date: date('The day.'),
    categories: Type.Array(
      closed({
        category_id: id('Id of the category.'),
        carried: amount(
          'What is left of all periods before, in the primary currency; negative if overspent.',
        ),
      }),
      { description: 'The categories, in list order.' },
    ),
  },
  { example: { start_date: '2026-03-01', categories: [{ category_id: 12, carried: '33.6000' }] } },
);

const none = { other_activity: 0, recurring_activity: 0 };
const nothingExpected = { recurring_remaining: 0, recurring_expected: 0 };
const march: Occurrence = {
  in_range: true,
  start_date: '2026-03-01',
  end_date: '2026-03-31',
  other_activity: 86.4,
  recurring_activity: 0,
  budgeted: 120,
  budgeted_amount: '120.0000',
  budgeted_currency: 'eur',
  notes: 'Guests at Easter',
};
const bread: SummaryCategory = {
  category_id: 12,
  totals: { ...none, other_activity: 86.4, budgeted: 120, available: 33.6, ...nothingExpected },
  occurrences: [march],
};
const nothing: Breakdown = {
  ...none,
  ...nothingExpected,
  uncategorized: 0,
  uncategorized_count: 0,
  uncategorized_recurring: 0,
};

/** The response of GET /v2/summary. */
export const BudgetSummary = object(
  'BudgetSummary',
  'Activity and budgets of categories in a range of dates.',
  {
    aligned: flag('Whether the range starts and ends with budget periods.'),
    categories: Type.Array(SummaryCategory, {
      description: 'Categories in list order; a group has the activity of its members.',
    }),
    totals: optional(Totals),
    rollover_pool: optional(RolloverPool),
  },
  {
    example: {
      aligned: true,
      categories: [bread],
      totals: {
        inflow: { ...nothing, recurring_activity: -2100, recurring_expected: -2100 },
        outflow: { ...nothing, other_activity: 86.4, uncategorized: 9.5, uncategorized_count: 1 },
      },
      rollover_pool: {
        budgeted_to_base: 80,
        all_adjustments: [
          { in_range: false, date: '2026-02-28', amount: '80.0000', currency: 'eur', to_base: 80 },
        ],
      },
    },
  },
);
export type BudgetSummary = Static<typeof BudgetSummary>;
