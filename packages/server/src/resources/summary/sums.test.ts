import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PeriodSettings } from '@coffer/core/budget-periods';
import type { Category } from '../categories/schema.ts';
import { layoutOf } from './layout.ts';
import type { ExpectedRecurring } from './recurring.ts';
import { sumsByCategory, sumsBySide } from './sums.ts';

const settings: PeriodSettings = {
  ...{ granularity: 'month', quantity: 1, anchor_date: '2024-01-01' },
  use_last_day_of_month: false,
};
const flags = {
  ...{ include_exclude_from_budgets: false, include_occurrences: false },
  ...{ include_past_budget_dates: false, include_totals: false, include_rollover_pool: false },
};
const layout = layoutOf(settings, { ...flags, start_date: '2024-03-01', end_date: '2024-03-31' });

const category = (id: number, more: Partial<Category> = {}): Category => ({
  ...{ id, name: `${id}`, description: null, created_at: '', updated_at: '' },
  ...{ is_income: false, exclude_from_budget: false, exclude_from_totals: false },
  ...{ group_id: null, is_group: false, archived: false, archived_at: null },
  ...{ order: null, collapsed: false },
  ...more,
});
const categories = [
  category(1, { is_group: true }),
  category(2, { group_id: 1 }),
  category(3, { is_income: true }),
  category(4, { exclude_from_totals: true }),
];

const item = (categoryId: number | null, toBase: number, isMatched = false): ExpectedRecurring => ({
  ...{ categoryId, toBase, isMatched },
  isIncome: toBase < 0,
});
const expected = [
  item(2, 100),
  item(2, 50, true),
  item(3, -1000, true),
  item(3, -500),
  item(4, 7),
  item(null, 9),
  item(null, -30, true),
  item(99, 1),
];

test('what recurring items expect is added to their category and its group, and remains until it is found', () => {
  const sums = sumsByCategory(categories, layout, [], expected);
  const found = [...sums].map(([id, { expected, remaining }]) => [id, expected, remaining]);
  assert.deepEqual(found, [
    [1, 150n, 100n],
    [2, 150n, 100n],
    [3, -1500n, -500n],
    [4, 7n, 7n],
  ]);
});

test('in totals it is inflow for categories of income, and for expected income without a category', () => {
  const { inflow, outflow } = sumsBySide(categories, layout, [], expected);
  assert.deepEqual([inflow.expected, inflow.remaining], [-1530n, -500n]);
  assert.deepEqual([outflow.expected, outflow.remaining], [160n, 110n]);
});
