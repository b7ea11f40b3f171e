import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCategory } from '../categories/actions.ts';
import { changing } from '../../changes/changing.ts';
import { select } from '../../db/rows.ts';
import { budgets } from '../../db/tables.ts';
import { bookClient } from '../../http/testing/book-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import type { TestApp, TestUser } from '../../http/testing/test-app.ts';
import type { BudgetSummary } from '../summary/schema.ts';
import type { Budget, BudgetSettings } from './schema.ts';

async function addCategory({ engine }: TestApp, user: TestUser, isGroup = false): Promise<number> {
  const cause = { bookId: user.identity.book.id, actor: 'test', operation: 'fill' };
  const body = { name: isGroup ? 'Group' : 'Food', is_group: isGroup };
  const { id } = await engine.write(() =>
    changing(cause, (change) => createCategory(change, body)),
  );
  return id;
}

const rowsOf = ({ engine }: TestApp, { identity }: TestUser) =>
  engine.read(() => select(budgets, { book_id: identity.book.id }));

test('a budget is set, changed and deleted, one version each', async () => {
  const made = await makeTestApp();
  const food = await addCategory(made, made.ada);
  const { send, changes } = bookClient(made, made.ada);
  const key = { category_id: food, start_date: '2024-03-01' };
  const set = (body: object) => send<Budget>('PUT', '/v2/budgets', { ...key, ...body });
  const first = await set({ amount: 120.5, notes: 'Guests' });
  assert.equal(first.status, 200);
  const all = { ...key, amount: '120.5000', currency: 'eur', to_base: 120.5, notes: 'Guests' };
  assert.deepEqual(first.body, all);
  const second = await set({ amount: '-7', currency: 'usd' });
  const foreign = { amount: '-7.0000', currency: 'usd', to_base: second.body.to_base };
  assert.deepEqual(second.body, { ...all, ...foreign });
  assert.equal((await set({ amount: 1e11, notes: null })).body.amount, '100000000000.0000');
  const [row] = await rowsOf(made, made.ada);
  assert.deepEqual([row?.amount, row?.currency, row?.notes], [10 ** 15, 'eur', null]);
  const url = `/v2/budgets?category_id=${food}&start_date=2024-03-01`;
  assert.equal((await send('DELETE', url)).status, 204);
  assert.deepEqual(await rowsOf(made, made.ada), []);
  const writes = ['upsertBudget', 'upsertBudget', 'upsertBudget', 'deleteBudget'];
  assert.deepEqual(await changes(), ['fill', ...writes]);
  // Nothing is left to delete: the response is the same, and the book has no new version.
  assert.equal((await send('DELETE', url)).status, 204);
  assert.deepEqual(await changes(), []);
});

test('a group can have a budget', async () => {
  const made = await makeTestApp();
  const group = await addCategory(made, made.ada, true);
  const { send } = bookClient(made, made.ada);
  const body = { category_id: group, start_date: '2024-03-01', amount: 1 };
  assert.equal((await send('PUT', '/v2/budgets', body)).status, 200);
});

test('all problems of a budget are reported at once, a start on which no period starts first', async () => {
  const made = await makeTestApp();
  const ofBen = await addCategory(made, made.ben);
  const { refused } = bookClient(made, made.ada);
  const bad = { category_id: ofBen, start_date: '2024-03-15' };
  const errors = await refused('PUT', '/v2/budgets', { ...bad, amount: 1e30 });
  assert.deepEqual(
    errors.map((each) => each['invalid_property']),
    ['start_date', 'category_id', 'amount'],
  );
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
  const atEnd = { category_id: ofBen, start_date: '9999-12-31' };
  const [last] = await refused('PUT', '/v2/budgets', { ...atEnd, amount: 1 });
  assert.equal(last!['previous_valid_start_date'], '9999-12-01');
  assert.equal(last!['next_valid_start_date'], null);
  const inQuery = await refused('DELETE', `/v2/budgets?category_id=${ofBen}&start_date=2024-03-15`);
  assert.deepEqual(
    inQuery.map((each) => each['instancePath']),
    ['/query/start_date', '/query/category_id'],
  );
});

test('a category with budgets is deleted only with force, and then without its budgets', async () => {
  const made = await makeTestApp();
  const food = await addCategory(made, made.ada);
  const { send } = bookClient(made, made.ada);
  const body = { category_id: food, start_date: '2024-03-01', amount: 1 };
  await send('PUT', '/v2/budgets', body);
  const url = `/v2/categories/${food}`;
  const kept = await send<{ dependents: { budget: number } }>('DELETE', url);
  assert.deepEqual([kept.status, kept.body.dependents.budget], [422, 1]);
  assert.equal((await send('DELETE', `${url}?force=true`)).status, 204);
  assert.deepEqual(await rowsOf(made, made.ada), []);
});

test('hostile values are refused with 400', async () => {
  const made = await makeTestApp();
  const food = await addCategory(made, made.ada);
  const { refused } = bookClient(made, made.ada);
  const good = { category_id: food, start_date: '2024-03-01', amount: 1 };
  for (const bad of [
    { amount: '1.00001' },
    { amount: null },
    { amount: '9'.repeat(30) },
    { category_id: 2 ** 60 },
    { category_id: null },
    { category_id: -1 },
    { start_date: '2024-02-30' },
    { start_date: '2024-03-01T00:00:00Z' },
    { currency: 'EUR' },
    { currency: null },
    { notes: 'x'.repeat(351) },
    { notes: '\0' },
    { notes: '\ud800' },
    { to_base: 1 },
  ])
    await refused('PUT', '/v2/budgets', { ...good, ...bad });
  await refused('PUT', '/v2/budgets', []);
  await refused('PUT', '/v2/budgets', {});
  for (const query of ['', 'category_id=1', 'category_id=x&start_date=2024-03-01'])
    await refused('DELETE', `/v2/budgets?${query}`);
  assert.deepEqual(await rowsOf(made, made.ada), []);
});

test('settings have defaults, and are changed one by one', async () => {
  const made = await makeTestApp();
  const { send, refused, changes } = bookClient(made, made.ada);
  const get = async (): Promise<BudgetSettings> => {
    const { body } = await send<BudgetSettings>('GET', '/v2/budgets/settings');
    assert.deepEqual((await send('GET', '/coffer/budget_settings')).body, body);
    return body;
  };
  const defaults = await get();
  assert.deepEqual(
    [defaults.budget_period_granularity, defaults.budget_period_quantity],
    ['month', 1],
  );
  const weeks = { budget_period_granularity: 'week', budget_period_quantity: 2 } as const;
  const put = (body: object) => send<BudgetSettings>('PUT', '/coffer/budget_settings', body);
  assert.deepEqual((await put(weeks)).body, { ...defaults, ...weeks });
  const rest: BudgetSettings = {
    budget_period_granularity: 'twice a month',
    budget_period_quantity: 1,
    budget_period_anchor_date: '2020-02-29',
    budget_hide_no_activity: true,
    budget_use_last_day_of_month: true,
    budget_income_option: 'activity',
    budget_rollover_left_to_budget: true,
  };
  assert.deepEqual((await put(rest)).body, rest);
  // The same values again change nothing.
  assert.deepEqual((await put(await get())).body, rest);
  assert.deepEqual(await changes(), ['updateBudgetSettings', 'updateBudgetSettings']);
  for (const bad of [
    {},
    { budget_period_quantity: 0 },
    { budget_period_quantity: 1.5 },
    { budget_period_quantity: 367 },
    { budget_period_granularity: 'Month' },
    { budget_period_anchor_date: '2023-02-29' },
    { budget_income_option: null },
    { budget_hide_no_activity: 1 },
    { number: 1 },
  ])
    await refused('PUT', '/coffer/budget_settings', bad);
  const ben = await bookClient(made, made.ben).send('GET', '/v2/budgets/settings');
  assert.deepEqual(ben.body, defaults);
});

test('budgets that do not start a period are kept, and shown when the periods fit them again', async () => {
  const made = await makeTestApp();
  const food = await addCategory(made, made.ada);
  const { send, refused } = bookClient(made, made.ada);
  await send('PUT', '/v2/budgets', { category_id: food, start_date: '2024-05-01', amount: 5 });
  const shown = async (from: string, to: string): Promise<unknown[]> => {
    const url = `/v2/summary?start_date=${from}&end_date=${to}&include_occurrences=true`;
    const { body } = await send<BudgetSummary>('GET', url);
    return body.categories[0]!.occurrences!.map(({ budgeted }) => budgeted);
  };
  assert.deepEqual(await shown('2024-05-01', '2024-05-31'), [5]);
  const anchor = (day: string) => ({ budget_period_anchor_date: `2024-01-${day}` });
  await send('PUT', '/coffer/budget_settings', anchor('15'));
  assert.deepEqual(await shown('2024-04-15', '2024-06-14'), [null, null]);
  await refused('DELETE', `/v2/budgets?category_id=${food}&start_date=2024-05-01`);
  await send('PUT', '/coffer/budget_settings', anchor('01'));
  assert.deepEqual(await shown('2024-05-01', '2024-05-31'), [5]);
});
