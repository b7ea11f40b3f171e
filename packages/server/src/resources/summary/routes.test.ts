import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changing } from '../../changes/changing.ts';
import type { Change } from '../../changes/change.ts';
import type { Steps } from '../../db/engine.ts';
import { bookClient } from '../../http/testing/book-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { createCategory } from '../categories/actions.ts';
import type { CategoryInsert } from '../categories/requests.ts';
import { transactions } from '../../db/tables.ts';
import type { BudgetSummary } from './schema.ts';

/** A book without transactions before 2024, and functions that fill it. It is 14 November 2023. */
async function makeBook() {
  const made = await makeTestApp();
  const { book } = made.ben.identity;
  const client = bookClient(made, made.ben);
  const change = <T>(work: (change: Change) => Steps<T>): Promise<T> =>
    made.engine.write(() => changing({ bookId: book.id, actor: 'test', operation: 'fill' }, work));
  const category = (body: CategoryInsert) =>
    change(function* (change) {
      return (yield* createCategory(change, body)).id;
    });
  let lastId = 5000;
  const pay = (date: string, category_id: number | null, amount: number, more: object = {}) =>
    change((change) => {
      lastId += 1;
      return change.insert(transactions, {
        ...{ id: lastId, date, amount, to_base: amount, currency: 'eur', category_id },
        ...{ payee: 'x', status: 'reviewed', ...more },
      });
    });
  const budget = (category_id: number, start_date: string, amount: number | string) =>
    client.send('PUT', '/v2/budgets', { category_id, start_date, amount });
  const summary = async (from: string, to: string, ...flags: readonly string[]) => {
    const query = flags.map((each) => `&include_${each}=true`).join('');
    const url = `/v2/summary?start_date=${from}&end_date=${to}${query}`;
    const { status, body } = await client.send<BudgetSummary>('GET', url);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return { ...made, client, category, pay, budget, summary };
}

const none = { other_activity: 0, recurring_activity: 0 };
const nothingExpected = { recurring_remaining: 0, recurring_expected: 0 };

test('an aligned summary has budgets and what is left of them, for groups and income, too', async () => {
  const { category, pay, budget, summary } = await makeBook();
  const food = await category({ name: 'Food', is_group: true, children: ['Bread'] });
  const wages = await category({ name: 'Wages', is_income: true });
  const other = await category({ name: 'Other', exclude_from_budget: true });
  const bread = (await summary('2023-01-01', '2023-01-31')).categories[1]!.category_id;
  await pay('2023-01-01', bread, 1_000_000);
  await pay('2023-01-31', bread, -250_000, { recurring_id: 5 });
  await pay('2023-01-15', wages, -30_000_000);
  await pay('2023-01-15', other, 1);
  await budget(food, '2023-01-01', 100);
  await budget(wages, '2023-01-01', '3500.5');
  const { aligned, categories, ...rest } = await summary('2023-01-01', '2023-01-31');
  assert.equal(aligned, true);
  assert.deepEqual(rest, {});
  const activity = { other_activity: 100, recurring_activity: -25 };
  assert.deepEqual(categories, [
    {
      category_id: food,
      totals: { ...activity, budgeted: 100, available: 25, ...nothingExpected },
    },
    {
      category_id: bread,
      totals: { ...activity, budgeted: null, available: null, ...nothingExpected },
    },
    {
      category_id: wages,
      totals: {
        ...{ ...none, other_activity: -3000 },
        ...{ budgeted: 3500.5, available: 500.5, ...nothingExpected },
      },
    },
  ]);
  const whole = await summary('2023-01-01', '2023-01-31', 'exclude_from_budgets');
  assert.equal(whole.categories[2]!.category_id, other);
  assert.equal(whole.categories[2]!.totals.other_activity, 0.0001);
});

test('a summary that is not aligned has the occurrences that are completely in it, but no budgets', async () => {
  const { category, budget, pay, summary } = await makeBook();
  const food = await category({ name: 'Food' });
  await budget(food, '2023-03-01', 10);
  await pay('2023-03-01', food, 10_000);
  await pay('2023-02-14', food, 20_000);
  await pay('2023-02-15', food, 40_000);
  const { aligned, categories } = await summary(
    ...(['2023-02-15', '2023-04-29', 'occurrences', 'past_budget_dates'] as const),
  );
  assert.equal(aligned, false);
  const { totals, occurrences = [] } = categories[0]!;
  assert.deepEqual(totals, { ...none, other_activity: 5, ...nothingExpected });
  const shown = occurrences.map((each) => [each.in_range, each.start_date, each.other_activity]);
  assert.deepEqual(shown, [
    [false, '2022-12-01', 0],
    [false, '2023-01-01', 0],
    [false, '2023-02-01', 6],
    [true, '2023-03-01', 1],
  ]);
  assert.deepEqual(occurrences.at(-1), {
    ...{ in_range: true, start_date: '2023-03-01', end_date: '2023-03-31' },
    ...{ ...none, other_activity: 1 },
    ...{ budgeted: 10, budgeted_amount: '10.0000', budgeted_currency: 'eur', notes: null },
  });
  const without = await summary('2023-02-15', '2023-04-29', 'past_budget_dates');
  assert.equal('occurrences' in without.categories[0]!, false);
});

test('totals have all transactions: income, other categories, and those without a category by sign', async () => {
  const { category, pay, summary } = await makeBook();
  const wages = await category({ name: 'Wages', is_income: true });
  const food = await category({ name: 'Food', exclude_from_budget: true });
  const transfers = await category({ name: 'Transfers', exclude_from_totals: true });
  await pay('2023-01-01', wages, -1_000_000);
  await pay('2023-01-02', wages, 10_000, { recurring_id: 1 });
  await pay('2023-01-03', food, -20_000);
  await pay('2023-01-04', transfers, 9_990_000);
  await pay('2023-01-05', null, -50_000);
  await pay('2023-01-06', null, 70_000);
  await pay('2023-01-07', null, 80_000, { recurring_id: 1 });
  await pay('2023-01-08', food, 1, { is_pending: true });
  const { totals } = await summary('2023-01-01', '2023-01-10', 'totals');
  const uncategorized = {
    ...{ uncategorized: -5, uncategorized_count: 1, uncategorized_recurring: 0 },
    ...nothingExpected,
  };
  assert.deepEqual(totals, {
    inflow: { other_activity: -100, recurring_activity: 1, ...uncategorized },
    outflow: {
      ...{ other_activity: -2, recurring_activity: 0, ...nothingExpected },
      ...{ uncategorized: 7, uncategorized_count: 2, uncategorized_recurring: 8 },
    },
  });
});

test('recurring items add what they expect, and what was not found yet', async () => {
  const { client, category, pay, summary } = await makeBook();
  const rent = await category({ name: 'Rent' });
  const criteria = { payee: 'x', amount: '900', currency: 'eur', granularity: 'month' };
  const item = await client.send<{ id: number }>('POST', '/coffer/recurring_items', {
    transaction_criteria: { ...criteria, quantity: 1, anchor_date: '2023-01-05' },
    overrides: { category_id: rent },
  });
  assert.equal(item.status, 201, JSON.stringify(item.body));
  await pay('2023-02-07', rent, 9_100_000, { recurring_id: item.body.id });
  const { categories, totals } = await summary('2023-01-01', '2023-03-31', 'totals');
  const expected = { recurring_remaining: 1800, recurring_expected: 2700 };
  const activity = { other_activity: 0, recurring_activity: 910 };
  const noBudget = { budgeted: null, available: null };
  assert.deepEqual(categories[0]?.totals, { ...activity, ...noBudget, ...expected });
  const { recurring_remaining, recurring_expected } = totals!.outflow;
  assert.deepEqual({ recurring_remaining, recurring_expected }, expected);
});

test('the rollover pool has the income that was left to budget after each period before today', async () => {
  const { client, category, pay, budget, summary } = await makeBook();
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
  const set = (body: object) => client.send('PUT', '/coffer/budget_settings', body);
  await set({ budget_rollover_left_to_budget: true });
  const after = (date: string, balance: number, in_range = false) => {
    const amount = `${balance.toFixed(1)}000`;
    return { in_range, date, amount, currency: 'eur', to_base: balance };
  };
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
  const { client, clock, pay } = await makeBook();
  const url = '/v2/summary?start_date=2023-01-01&end_date=2023-01-31';
  const etag = async () => (await client.send('GET', url)).etag;
  const first = await etag();
  assert.equal(await etag(), first);
  await pay('2023-01-01', null, 1);
  const second = await etag();
  assert.notEqual(second, first);
  clock.advance(86_400_000);
  assert.notEqual(await etag(), second);
});

test('missing dates, wrong ranges and too many periods are refused with 400', async () => {
  const { client, category } = await makeBook();
  await category({ name: 'Food' });
  const refused = (query: string) => client.refused('GET', `/v2/summary?${query}`);
  assert.equal((await refused('')).length, 2);
  await refused('start_date=2023-01-01');
  await refused('start_date=2023-02-30&end_date=2023-03-01');
  await refused('start_date=2023-01-02&end_date=2023-01-01');
  await refused('start_date=0001-01-01&end_date=9999-12-31');
  await refused('start_date=1900-01-01&end_date=2000-03-17');
  const days = 'start_date=9900-01-01&end_date=9999-12-31';
  await refused(`${days}&include_totals=1`);
  await refused(`${days}&include_foo=true`);
  const [tooMany] = await refused(`${days}&include_occurrences=true`);
  assert.equal(tooMany!['instancePath'], '/query/end_date');
  const all = '&include_totals=true&include_rollover_pool=true&include_past_budget_dates=true';
  const { status } = await client.send('GET', `/v2/summary?${days}${all}`);
  assert.equal(status, 200);
  const months = 'start_date=1990-01-01&end_date=2023-04-30&include_occurrences=true';
  const { body } = await client.send<BudgetSummary>('GET', `/v2/summary?${months}`);
  assert.equal(body.categories[0]!.occurrences?.length, 400);
});
