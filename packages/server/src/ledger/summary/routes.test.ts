import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strictClient } from '../../http/testing/strict-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { pick } from '../../http/testing/pick.ts';
import { transactions } from '../../db/tables/tables.ts';
import type { BudgetSummary } from './schema.ts';

/** A book without transactions before 2024, and functions that fill it. It is 14 November 2023. */
async function makeBook() {
  const made = await makeTestApp();
  const client = strictClient(made, made.ben);
  let lastId = 5000;
  return {
    ...made,
    ...client,
    category: async (body: object) =>
      (await client.ok<{ id: number }>('POST', '/v2/categories', body)).id,
    pay: (date: string, category_id: number | null, amount: number, more: object = {}) =>
      client.book.change((change) => {
        lastId += 1;
        const money = { date, amount, to_base: amount, currency: 'eur', payee: 'x' };
        const row = { id: lastId, ...money, category_id, status: 'reviewed', ...more };
        return change.insert(transactions, row);
      }),
    budget: (category_id: number, start_date: string, amount: number | string) =>
      client.ok('PUT', '/v2/budgets', { category_id, start_date, amount }),
    summary: (from: string, to: string, ...flags: readonly string[]) => {
      const query = flags.map((each) => `&include_${each}=true`).join('');
      const url = `/v2/summary?start_date=${from}&end_date=${to}${query}`;
      return client.ok<BudgetSummary>('GET', url);
    },
  };
}

const none = { other_activity: 0, recurring_activity: 0 };
const nothingExpected = { recurring_remaining: 0, recurring_expected: 0 };

test('an aligned summary has budgets and what is left of them, and numbers with all their digits', async () => {
  const { category, pay, budget, summary } = await makeBook();
  const food = await category({ name: 'Food' });
  const wages = await category({ name: 'Wages', is_income: true });
  await pay('2023-01-01', food, 1_000_001);
  await pay('2023-01-31', food, -250_000, { recurring_id: 5 });
  await pay('2023-01-15', wages, -30_000_000);
  await budget(food, '2023-01-01', 100);
  const sums = (each: object) => ({ totals: { ...none, ...each, ...nothingExpected } });
  const ofFood = { other_activity: 100.0001, recurring_activity: -25 };
  assert.deepEqual(await summary('2023-01-01', '2023-01-31'), {
    aligned: true,
    categories: [
      { category_id: food, ...sums({ ...ofFood, budgeted: 100, available: 24.9999 }) },
      { category_id: wages, ...sums({ other_activity: -3000, budgeted: null, available: null }) },
    ],
  });
});

test('recurring items add what they expect to their category, its group and a side, until it is found', async () => {
  const { ok, category, pay, summary } = await makeBook();
  const home = await category({ name: 'Home', is_group: true });
  const rent = await category({ name: 'Rent', group_id: home });
  const wages = await category({ name: 'Wages', is_income: true });
  const hidden = await category({ name: 'Transfers', exclude_from_totals: true });
  const monthly = { payee: 'x', currency: 'eur', granularity: 'month', quantity: 1 };
  const expect = async (category_id: number | null, amount: number) => {
    const criteria = { ...monthly, amount, anchor_date: '2023-01-05' };
    const body = { transaction_criteria: criteria, overrides: { category_id } };
    return (await ok<{ id: number }>('POST', '/coffer/recurring_items', body)).id;
  };
  const id = await expect(rent, 900);
  for (const [of, amount] of [
    ...([
      [wages, -1000],
      [hidden, 7],
      [null, 9],
    ] as const),
    [null, -30],
  ] as const)
    await expect(of, amount);
  await pay('2023-02-07', rent, 9_100_000, { recurring_id: id });
  const { categories, totals } = await summary('2023-01-01', '2023-03-31', 'totals');
  const expected = pick(
    [...pick(categories, 'totals'), totals!.inflow, totals!.outflow],
    ...(['recurring_activity', 'recurring_expected', 'recurring_remaining'] as const),
  );
  assert.deepEqual(expected, [
    [910, 2700, 1800],
    [910, 2700, 1800],
    [0, 21, 21],
    [0, -3000, -3000],
    [0, -3090, -3090],
    [910, 2727, 1827],
  ]);
});

test('the rollover pool has the income that was left to budget after each period before today', async () => {
  const { ok, category, pay, budget, summary } = await makeBook();
  const food = await category({ name: 'Food', is_group: true, children: ['Bread'] });
  const wages = await category({ name: 'Wages', is_income: true });
  const excluded = await category({ name: 'Gifts', is_income: true, exclude_from_budget: true });
  const bread = (await summary('2023-01-01', '2023-01-31')).categories[1]!.category_id;
  // Before the first budget.
  await pay('2023-06-30', wages, -9_990_000);
  // The members of the group have more than the group.
  await budget(food, '2023-07-01', 30);
  await budget(bread, '2023-07-01', 40);
  await pay('2023-07-31', wages, -1_000_000);
  await budget(wages, '2023-08-01', 50);
  await pay('2023-10-01', wages, -100_000);
  await pay('2023-10-01', excluded, -100_000);
  await budget(bread, '2023-10-01', '60.5');
  // This month is not over.
  await pay('2023-11-01', wages, -9_990_000);
  await budget(food, '2023-11-01', 1);
  const pool = async () =>
    (await summary('2023-10-01', '2023-11-30', 'rollover_pool')).rollover_pool;
  assert.deepEqual(await pool(), { budgeted_to_base: 0, all_adjustments: [] });
  const set = (body: object) => ok('PUT', '/coffer/budget_settings', body);
  await set({ budget_rollover_left_to_budget: true });
  const after = (date: string, to_base: number, in_range = false) => ({
    in_range,
    date,
    amount: `${to_base.toFixed(1)}000`,
    currency: 'eur',
    to_base,
  });
  assert.deepEqual(await pool(), {
    budgeted_to_base: 59.5,
    all_adjustments: [
      after('2023-10-31', 59.5, true),
      after('2023-08-31', 110),
      after('2023-07-31', 60),
    ],
  });
  await set({ budget_income_option: 'activity' });
  assert.equal((await pool())?.budgeted_to_base, 9.5);
  await set({ budget_income_option: 'budgeted' });
  assert.equal((await pool())?.budgeted_to_base, -50.5);
  const nextYear = await summary('2023-01-01', '2023-12-31', 'rollover_pool');
  assert.equal(nextYear.rollover_pool?.all_adjustments.length, 3);
});

test('the ETag of a summary changes with the book and with the day, because the rollover pool does', async () => {
  const { send, clock, pay } = await makeBook();
  const url = '/v2/summary?start_date=2023-01-01&end_date=2023-01-31';
  const etag = async () => (await send('GET', url)).etag;
  const first = await etag();
  assert.equal(await etag(), first);
  await pay('2023-01-01', null, 1);
  const second = await etag();
  assert.notEqual(second, first);
  clock.advance(86_400_000);
  assert.notEqual(await etag(), second);
});

test('missing dates, wrong ranges and too many periods are refused with 400', async () => {
  const { ok, category, ...client } = await makeBook();
  await category({ name: 'Food' });
  const refused = (query: string) => client.refused('GET', `/v2/summary?${query}`);
  assert.equal((await refused('')).length, 2);
  await refused('start_date=2023-01-02&end_date=2023-01-01');
  await refused('start_date=0001-01-01&end_date=9999-12-31');
  await refused('start_date=1900-01-01&end_date=2000-03-17');
  const days = 'start_date=9900-01-01&end_date=9999-12-31';
  const [tooMany] = await refused(`${days}&include_occurrences=true`);
  assert.equal(tooMany!['instancePath'], '/query/end_date');
  const all = '&include_totals=true&include_rollover_pool=true&include_past_budget_dates=true';
  await ok('GET', `/v2/summary?${days}${all}`);
  const months = 'start_date=1990-01-01&end_date=2023-04-30&include_occurrences=true';
  const { categories } = await ok<BudgetSummary>('GET', `/v2/summary?${months}`);
  assert.equal(categories[0]!.occurrences?.length, 400);
});
