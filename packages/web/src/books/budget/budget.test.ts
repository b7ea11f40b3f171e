import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  amountOf,
  averageOf,
  rowsOf,
  toBudgetOf,
  totalsOf,
  uncategorizedOf,
  usedShare,
  withBudget,
} from './budget.ts';
import type { BudgetCategory, Occurrence, SummaryCategory } from './budget.ts';

const category = (id: number, part: Partial<BudgetCategory> = {}): BudgetCategory => ({
  id,
  name: `Category ${id}`,
  is_group: false,
  is_income: false,
  group_id: null,
  exclude_from_budget: false,
  exclude_from_totals: false,
  archived: false,
  ...part,
});

const occurrence = (activity: number, budgeted: number | null, inRange = true): Occurrence => ({
  in_range: inRange,
  start_date: '2026-10-01',
  other_activity: activity,
  recurring_activity: 0,
  budgeted,
  budgeted_currency: budgeted === null ? null : 'usd',
  budgeted_amount: budgeted === null ? null : amountOf(budgeted),
});

const line = (id: number, ...occurrences: Occurrence[]): SummaryCategory => ({
  category_id: id,
  totals: { recurring_remaining: 0, recurring_expected: 0 },
  occurrences,
});

test('numbers of the API become decimals exactly', () => {
  assert.equal(amountOf(135.43), '135.4300');
  assert.equal(amountOf(-0), '0.0000');
  fc.assert(
    fc.property(fc.integer({ min: -1e13, max: 1e13 }), (tenThousandths) => {
      const text = amountOf(tenThousandths / 10_000);
      assert.equal(BigInt(text.replace('.', '')), BigInt(tenThousandths));
    }),
  );
});

test('a group counts the larger of its own budget and that of its members', () => {
  const members = [2, 3].map((id) => category(id, { group_id: 1 }));
  const categories = [category(1, { is_group: true }), ...members];
  const rows = (group: number | null, one: number | null): (string | null)[] =>
    rowsOf(categories, [
      line(1, occurrence(30, group)),
      line(2, occurrence(10, one)),
      line(3, occurrence(20, 5)),
    ]).map(({ budgeted }) => budgeted);
  assert.deepEqual(rows(null, 40), ['45.0000', '40.0000', '5.0000']);
  assert.deepEqual(rows(100, 40), ['100.0000', '40.0000', '5.0000']);
  assert.deepEqual(rows(20, null), ['20.0000', null, '5.0000']);
});

test('members count once in totals, and activity without a category counts too', () => {
  const rows = rowsOf(
    [category(1, { is_group: true }), category(2, { group_id: 1 }), category(3)],
    [line(1, occurrence(30, 50)), line(2, occurrence(30, 20)), line(3, occurrence(7.5, null))],
  );
  const amounts = { budgeted: '50.0000', activity: '40.0000', left: '10.0000' };
  const rest = { activity: '2.5000', expected: '9.0000', remaining: '4.0000' };
  assert.deepEqual(totalsOf(rows, rest), {
    ...amounts,
    expected: '9.0000',
    remaining: '4.0000',
    carried: '0.0000',
  });
});

test('what is carried over is left, too, in groups and totals', () => {
  const rows = rowsOf(
    [category(1, { is_group: true }), category(2, { group_id: 1 }), category(3), category(4)],
    [
      line(1, occurrence(30, null)),
      line(2, occurrence(30, 20)),
      line(3, occurrence(7.5, null)),
      line(4, occurrence(0, null)),
    ],
    new Map([
      [2, '15.0000'],
      [3, '-2.0000'],
    ]),
  );
  assert.deepEqual(
    rows.map(({ carried, left }) => [carried, left]),
    [
      ['15.0000', '5.0000'],
      ['15.0000', '5.0000'],
      ['-2.0000', '-9.5000'],
      [null, null],
    ],
  );
  const { carried, left } = totalsOf(rows);
  assert.deepEqual([carried, left], ['13.0000', '-4.5000']);
});

test('what recurring items expect without a category is what no category has', () => {
  const none = { other_activity: 0, recurring_activity: 0, uncategorized_count: 0 };
  const outflow = {
    ...none,
    uncategorized: 1.5,
    uncategorized_recurring: 2,
    recurring_expected: 100.1,
    recurring_remaining: 50,
  };
  const expecting = (id: number, expected: number) => ({
    ...line(id),
    totals: { recurring_expected: expected, recurring_remaining: expected },
  });
  const found = uncategorizedOf(
    outflow,
    [expecting(1, 30), expecting(2, 30), expecting(3, 9), expecting(4, 8), expecting(5, 7)],
    [
      category(1, { is_group: true }),
      category(2, { group_id: 1 }),
      category(3, { exclude_from_totals: true }),
      category(4, { is_income: true }),
      category(5, { exclude_from_budget: true }),
    ],
  );
  assert.deepEqual(found, { activity: '3.5000', expected: '63.1000', remaining: '13.0000' });
});

test('what was received is positive, and categories without a place in budgets are left out', () => {
  const rows = rowsOf(
    [
      category(1, { is_income: true, exclude_from_budget: true }),
      category(2, { exclude_from_budget: true }),
      category(3, { archived: true }),
    ],
    [line(1, occurrence(-100, null)), line(2, occurrence(5, null)), line(3, occurrence(0, null))],
  );
  const shown = rows.map(({ id, activity, canBudget }) => [id, activity, canBudget]);
  assert.deepEqual(shown, [[1, '100.0000', false]]);
});

test('the average is that of earlier periods to the cent', () => {
  const earlier = [10, 10, 10.01].map((spent) => occurrence(spent, 5, false));
  const [row] = rowsOf([category(1)], [line(1, ...earlier)]);
  assert.equal(row && averageOf(row), '10.0000');
  assert.equal(row && averageOf({ ...row, earlier: [] }), null);
  const of = (spent: number): string | null =>
    averageOf(rowsOf([category(1)], [line(1, occurrence(spent, 5, false))])[0]!);
  assert.deepEqual([12.5, 0.004, 0, -3].map(of), ['12.5000', '0.0000', null, null]);
});

test('a new budget is shown at once, and taking it away again leaves the summary as it was', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), fc.boolean(), (cents, isForeign) => {
      const before = [line(1, occurrence(3, 5)), line(2, occurrence(3, 9))];
      const amount = amountOf(cents / 100);
      const currency = isForeign ? 'eur' : 'usd';
      const change = { categoryId: 1, budget: { amount, currency }, primary: 'usd' };
      const [shown] = rowsOf([category(1)], withBudget(before, change));
      assert.deepEqual(shown?.own, { amount, currency });
      assert.deepEqual(withBudget(before, change)[1], before[1]);
      assert.equal(shown.budgeted, isForeign ? '5.0000' : amount);
      const old = { amount: '5.0000', currency: 'usd' };
      const back = withBudget(withBudget(before, change), { ...change, budget: old });
      assert.deepEqual(rowsOf([category(1)], back), rowsOf([category(1)], before));
    }),
  );
});

test('the bar is empty without spending, and full beyond the budget', () => {
  const share = (budgeted: string | null, activity: string, carried: string | null = null) =>
    usedShare({ budgeted, activity, carried });
  assert.equal(share(null, '5.0000', '20.0000'), 0.25);
  assert.equal(share('10.0000', '5.0000', '-5.0000'), 1);
  assert.equal(share(null, '5.0000'), null);
  assert.equal(share('10.0000', '-5.0000'), 0);
  assert.equal(share('10.0000', '5.0000'), 0.5);
  assert.equal(share('0.0000', '5.0000'), 2);
  assert.equal(share('0.0000', '0.0000'), 0);
});

test('left to budget is the income that counts, less the budgets, with what is carried over', () => {
  const sums = (budgeted: string, activity: string) =>
    ({
      budgeted,
      activity,
      left: '0.0000',
      expected: '0.0000',
      remaining: '0.0000',
      carried: '0.0000',
    }) as const;
  const income = sums('100.0000', '80.0000');
  const spending = sums('90.0000', '10.0000');
  const of = (option: 'max' | 'budgeted' | 'activity', pool: string | null): string =>
    toBudgetOf({ option, income, spending, pool });
  assert.equal(of('max', null), '10.0000');
  assert.equal(of('budgeted', '5.0000'), '15.0000');
  assert.equal(of('activity', null), '-10.0000');
});
