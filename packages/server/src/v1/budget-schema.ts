import { Type, type Static } from 'typebox';
import {
  amount,
  closed,
  flag,
  id,
  listOf,
  nullable,
  number,
  object,
  optional,
  text,
} from '../operations/schema.ts';
import { bare, givenOrNull, openObject } from './refusals.ts';
import { Category, flags } from '../ledger/categories/schema.ts';
import { Budget, BudgetKey } from '../ledger/budgets/schema.ts';

const currency = text('Code of the currency.');
const month = closed(
  {
    num_transactions: optional(Type.Integer({ description: 'Number of transactions.' })),
    spending_to_base: optional(number('Their sum in the primary currency; money out is positive.')),
    budget_to_base: optional(number('In the primary currency.')),
    budget_amount: optional(number('In `budget_currency`.')),
    budget_currency: optional(currency),
  },
  'Keys of a budget are absent without one.',
);
export type MonthV1 = Static<typeof month>;

const recurringItem = closed({
  payee: text('Payee of the item.'),
  amount: amount('Expected amount in `currency`.'),
  currency,
  to_base: number('The amount in the primary currency.'),
});

export const BudgetRowV1 = object(
  'BudgetRowV1',
  'Activity and budgets of a category by month.',
  {
    category_name: text('Name of the category; `Uncategorized`.'),
    category_id: nullable(Budget.properties.category_id),
    category_group_name: optional(nullable(text('Name of its group; absent if uncategorized.'))),
    group_id: Category.properties.group_id,
    is_group: nullable(flag('True for groups.')),
    ...flags,
    order: Type.Integer({ description: 'Position; excluded categories leave gaps.' }),
    archived: Category.properties.archived,
    data: Type.Unsafe<Record<string, MonthV1>>({
      type: 'object',
      additionalProperties: month,
      description:
        'By first days of months: the first month, and others with activity or a budget.',
    }),
    config: Type.Null({ description: 'Always null.' }),
    recurring: optional(closed({ list: Type.Array(recurringItem) }, 'Expected items.')),
  },
  {
    example: {
      category_name: 'Bread',
      category_id: 12,
      category_group_name: 'Food',
      group_id: 10,
      is_group: null,
      is_income: false,
      exclude_from_budget: false,
      exclude_from_totals: false,
      order: 1,
      archived: false,
      config: null,
      data: {
        '2026-03-01': {
          num_transactions: 2,
          spending_to_base: 86.4,
          budget_to_base: 120,
          budget_amount: 120,
          budget_currency: 'eur',
        },
      },
    },
  },
);
export type BudgetRowV1 = Static<typeof BudgetRowV1>;

export const BudgetListV1 = bare(
  'BudgetListV1',
  listOf(BudgetRowV1, 'Sorted by `order`; two rows are for transactions without a category.'),
);

const { category_id } = BudgetKey.properties;
const start = text('First day of a month: YYYY-MM-01.');

export const BudgetUpsertV1 = openObject(
  'BudgetUpsertV1',
  'A budget to set.',
  {
    start_date: start,
    category_id,
    amount: Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: 'Further decimals than four are rounded.',
    }),
    currency: givenOrNull(text('Code of the currency; by default the primary currency.')),
  },
  { start_date: '2026-03-01', category_id: 12, amount: 120 },
);

const group = closed(
  { category_id: id('Id of the group.'), amount: number('Amount.'), currency, start_date: start },
  'The budget of the group, which is at least that of its members.',
);
export const GroupBudgetV1 = object(
  'GroupBudgetV1',
  'A budget was set.',
  {
    category_group: Type.Union([group, Type.Null()], { description: 'Null without a group.' }),
  },
  {
    example: {
      category_group: { start_date: '2026-03-01', category_id: 10, amount: 120, currency: 'eur' },
    },
  },
);

export const BudgetKeyV1 = Type.Object({ start_date: start, category_id });
export const BudgetListQueryV1 = Type.Object({
  start_date: text('A day of the first month.'),
  end_date: text('A day of the last month.'),
});
