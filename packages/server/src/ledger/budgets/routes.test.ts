import assert from 'node:assert/strict';
import { beforeEach, it, test } from 'node:test';
import { budgets } from '../../db/tables/tables.ts';
import type { EngineBook } from '../../http/testing/engine-book.ts';
import { onEngines } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { StrictClient } from '../../http/testing/strict-client.ts';
import { createCategory } from '../categories/actions.ts';
import type { BudgetSummary } from '../summary/schema.ts';
import { upsertBudget } from './actions.ts';
import type { Budget, BudgetSettings } from './schema.ts';
import { budgetRecord } from './record.ts';

const ofCategory = budgetRecord.refersTo.categories!;

const start_date = '2024-03-01';

async function begin() {
  const client = await openBooks();
  const category = async (body: object, of: StrictClient = client) =>
    (await of.ok<{ id: number }>('POST', '/v2/categories', body)).id;
  const food = await category({ name: 'Food' });
  await client.changes();
  const set = (body: object) => client.ok<Budget>('PUT', '/v2/budgets', body);
  return { ...client, category, food, set, rows: () => client.book.rows(budgets) };
}

test('a budget is set, changed and deleted, one version each', async () => {
  const { ok, changes, rows, food, set } = await begin();
  const key = { category_id: food, start_date };
  const first = await set({ ...key, amount: 120.5, notes: 'Guests' });
  const all = { ...key, amount: '120.5000', currency: 'eur', to_base: 120.5, notes: 'Guests' };
  assert.deepEqual(first, all);
  const second = await set({ ...key, amount: '-7', currency: 'usd' });
  const foreign = { amount: '-7.0000', currency: 'usd', to_base: second.to_base };
  assert.deepEqual(second, { ...all, ...foreign });
  assert.equal((await set({ ...key, amount: 1e11, notes: null })).amount, '100000000000.0000');
  assert.deepEqual(pick(await rows(), 'amount', 'currency', 'notes'), [[10 ** 15, 'eur', null]]);
  const url = `/v2/budgets?category_id=${food}&start_date=${start_date}`;
  assert.equal(await ok('DELETE', url), null);
  assert.deepEqual(await rows(), []);
  const writes = ['upsertBudget', 'upsertBudget', 'upsertBudget', 'deleteBudget'];
  assert.deepEqual(await changes(), writes);
  // Nothing is left to delete: the response is the same, and the book has no new version.
  assert.equal(await ok('DELETE', url), null);
  assert.deepEqual(await changes(), []);
});

test('all problems of a budget are reported at once, a start on which no period starts first', async () => {
  const { refused, category, ben } = await begin();
  const ofBen = await category({ name: 'Food' }, ben);
  const bad = { category_id: ofBen, start_date: '2024-03-15', amount: 1e30 };
  const errors = await refused('PUT', '/v2/budgets', bad);
  assert.deepEqual(pick(errors, 'invalid_property'), ['start_date', 'category_id', 'amount']);
  const { errMsg, ...period } = errors[0]!;
  assert.match(String(errMsg), /start_date is not the first day of a budget period: "2024-03-15"/);
  assert.deepEqual(period, {
    instancePath: '/body/start_date',
    invalid_property: 'start_date',
    requested_start_date: '2024-03-15',
    previous_valid_start_date: '2024-03-01',
    next_valid_start_date: '2024-04-01',
  });
  assert.equal(errors[1]!['category_id'], ofBen);
  const [last] = await refused('PUT', '/v2/budgets', { ...bad, start_date: '9999-12-31' });
  const dates = [last!['previous_valid_start_date'], last!['next_valid_start_date']];
  assert.deepEqual(dates, ['9999-12-01', null]);
  const inQuery = await refused('DELETE', `/v2/budgets?category_id=${ofBen}&start_date=2024-03-15`);
  const places = ['/query/start_date', '/query/category_id'];
  assert.deepEqual(pick(inQuery, 'instancePath'), places);
});

test('settings have defaults, and are changed one by one', async () => {
  const { ok, refused, changes, ben } = await begin();
  const get = async () => {
    const settings = await ok<BudgetSettings>('GET', '/v2/budgets/settings');
    assert.deepEqual(await ok('GET', '/coffer/budget_settings'), settings);
    return settings;
  };
  const defaults = await get();
  const { budget_period_granularity: granularity, budget_period_quantity: quantity } = defaults;
  assert.deepEqual([granularity, quantity], ['month', 1]);
  const weeks = { budget_period_granularity: 'week', budget_period_quantity: 2 } as const;
  const put = (body: object) => ok<BudgetSettings>('PUT', '/coffer/budget_settings', body);
  assert.deepEqual(await put(weeks), { ...defaults, ...weeks });
  const rest: BudgetSettings = {
    budget_period_granularity: 'twice a month',
    budget_period_quantity: 1,
    budget_period_anchor_date: '2020-02-29',
    budget_hide_no_activity: true,
    budget_use_last_day_of_month: true,
    budget_income_option: 'activity',
    budget_rollover_left_to_budget: true,
  };
  assert.deepEqual(await put(rest), rest);
  // The same values again change nothing.
  assert.deepEqual(await put(await get()), rest);
  assert.deepEqual(await changes(), ['updateBudgetSettings', 'updateBudgetSettings']);
  for (const bad of [
    {},
    { number: 1 },
    { budget_income_option: null },
    { budget_hide_no_activity: 1 },
    ...[0, 1.5, 367].map((budget_period_quantity) => ({ budget_period_quantity })),
    { budget_period_granularity: 'Month' },
    { budget_period_anchor_date: '2023-02-29' },
  ])
    await refused('PUT', '/coffer/budget_settings', bad);
  const ofBen = await ben.ok('GET', '/v2/budgets/settings');
  assert.deepEqual(ofBen, defaults);
});

test('budgets that do not start a period are kept, and shown when the periods fit them again', async () => {
  const { ok, refused, food, set } = await begin();
  await set({ category_id: food, start_date: '2024-05-01', amount: 5 });
  const shown = async (from: string, to: string): Promise<unknown[]> => {
    const url = `/v2/summary?start_date=${from}&end_date=${to}&include_occurrences=true`;
    const { categories } = await ok<BudgetSummary>('GET', url);
    return pick(categories[0]!.occurrences!, 'budgeted');
  };
  const anchor = (day: string) =>
    ok('PUT', '/coffer/budget_settings', { budget_period_anchor_date: `2024-01-${day}` });
  assert.deepEqual(await shown('2024-05-01', '2024-05-31'), [5]);
  await anchor('15');
  assert.deepEqual(await shown('2024-04-15', '2024-06-14'), [null, null]);
  await refused('DELETE', `/v2/budgets?category_id=${food}&start_date=2024-05-01`);
  await anchor('01');
  assert.deepEqual(await shown('2024-05-01', '2024-05-31'), [5]);
});

onEngines('budgets', (open) => {
  let book: EngineBook;
  let [one, other] = [0, 0];
  beforeEach(async () => {
    book = await open();
    const category = (name: string) => book.change((change) => createCategory(change, { name }));
    [one, other] = [(await category('One')).id, (await category('Other')).id];
  });
  const rows = () => book.rows(budgets);
  const set = (category_id: number, month: string, amount: number | string, currency = 'usd') =>
    book.change((change) =>
      upsertBudget(change, {
        category_id,
        start_date: `2024-${month}-01`,
        amount,
        currency: currency as 'usd',
        notes: `${category_id} ${month}`,
      }),
    );

  it('of a category move into another one, and are added where both have one', async () => {
    await set(one, '01', 1);
    await set(one, '02', 2);
    await set(one, '03', 3, 'gbp');
    await set(other, '02', 20);
    await set(other, '03', 30);
    const all = await rows();
    const count = (id: number) => book.read(() => ofCategory.count(book.id, id));
    assert.deepEqual([await count(one), await count(other)], [3, 2]);
    await book.change((change) => ofCategory.move(change, one, other));
    assert.deepEqual(pick(await rows(), 'category_id', 'amount', 'currency', 'notes'), [
      [other, 10_000, 'usd', `${one} 01`],
      [other, 220_000, 'usd', `${other} 02`],
      // The pound has no rate, so the budget of March in pounds has no value.
      [other, 300_000, 'usd', `${other} 03`],
    ]);
    await book.undoLast();
    assert.deepEqual(await rows(), all);
    await book.change((change) => ofCategory.detach(change, other));
    assert.deepEqual([await count(one), await count(other)], [3, 0]);
  });

  it('of a category are not moved if a sum is too large', async () => {
    await set(one, '01', '900719925474.0991');
    await set(other, '01', '0.0001');
    const all = await rows();
    assert.equal(all[0]?.amount, Number.MAX_SAFE_INTEGER);
    await assert.rejects(book.change((change) => ofCategory.move(change, one, other)));
    assert.deepEqual(await rows(), all);
  });
});
