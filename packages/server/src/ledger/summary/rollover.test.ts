import assert from 'node:assert/strict';
import { it, test } from 'node:test';
import fc from 'fast-check';
import { periodOf } from '@coffer/core/budget-periods';
import { formatAmount } from '@coffer/core/money';
import { runs } from '../../../../core/src/testing/length.ts';
import { budgets, categorySettings, transactions } from '../../db/tables/tables.ts';
import { onEngines } from '../../http/testing/engine-book.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import { pick } from '../../http/testing/pick.ts';
import { settingsOf, updateSettings } from '../budgets/actions.ts';
import type { Budget } from '../budgets/schema.ts';
import { createCategory } from '../categories/actions.ts';
import { updateCategorySettings } from '../categories/settings.ts';
import { BulkRows } from '../transactions/writes.ts';
import { carriedTo } from './rollover.ts';

async function begin() {
  const client = await openBooks();
  const category = async (body: object) =>
    (await client.ok<{ id: number }>('POST', '/v2/categories', body)).id;
  const food = await category({ name: 'Food' });
  const fun = await category({ name: 'Fun' });
  const set = (category_id: number, start_date: string, amount: number, currency = 'eur') =>
    client.ok<Budget>('PUT', '/v2/budgets', { category_id, start_date, amount, currency });
  const settings = (id: number, body: object) =>
    client.ok<object>('PUT', `/coffer/category_settings/${id}`, body);
  await client.changes();
  return { ...client, category, food, fun, set, settings };
}

const carriedOf = (start_date: string, ...categories: readonly (readonly [number, string])[]) => ({
  start_date,
  categories: categories.map(([category_id, carried]) => ({ category_id, carried })),
});

test('what is left or overspent carries over, for categories that say so', async () => {
  const { ok, food, fun, set, settings } = await begin();
  const carried = (start: string) => ok('GET', `/coffer/budget_rollover?start_date=${start}`);
  await set(food, '2024-01-01', 100);
  await set(food, '2024-03-01', 20);
  await set(fun, '2024-01-01', 10);
  const transactionsOf = [
    ['2023-12-31', '7'],
    ['2024-01-05', '70'],
    ['2024-02-05', '45.5'],
  ].map(([date, amount]) => ({ date, amount, payee: 'P', category_id: food }));
  await ok('POST', '/v2/transactions', { transactions: transactionsOf });
  assert.deepEqual(await carried('2024-02-01'), carriedOf('2024-02-01'));
  assert.deepEqual(await settings(food, { rollover: true }), {
    category_id: food,
    rollover: true,
    icon: null,
    colour: null,
  });
  // What was spent before the first budget is of no budget.
  assert.deepEqual(await carried('2024-01-01'), carriedOf('2024-01-01', [food, '0.0000']));
  assert.deepEqual(await carried('2024-02-01'), carriedOf('2024-02-01', [food, '30.0000']));
  assert.deepEqual(await carried('2024-03-01'), carriedOf('2024-03-01', [food, '-15.5000']));
  assert.deepEqual(await carried('2024-04-01'), carriedOf('2024-04-01', [food, '4.5000']));
  const year = '/v2/summary?start_date=2024-03-01&end_date=2024-03-31';
  const { categories } = await ok<{ categories: { totals: object }[] }>('GET', year);
  assert.deepEqual(pick(categories, 'totals')[0], {
    ...{ other_activity: 0, recurring_activity: 0, budgeted: 20, available: 20 },
    ...{ recurring_remaining: 0, recurring_expected: 0 },
  });
  await settings(food, { rollover: false });
  assert.deepEqual(await carried('2024-04-01'), carriedOf('2024-04-01'));
});

test('bad settings are refused with all that is wrong, and change nothing', async () => {
  const { refused, category, food, settings, changes, book } = await begin();
  const group = await category({ name: 'Group', is_group: true });
  const income = await category({ name: 'Pay', is_income: true });
  await changes();
  const messages = async (id: number, body: object): Promise<unknown> =>
    pick(await refused('PUT', `/coffer/category_settings/${id}`, body), 'errMsg');
  assert.deepEqual(await messages(group, { rollover: true }), [
    'Body property rollover cannot be true for a category group',
  ]);
  assert.deepEqual(await messages(income, { rollover: true }), [
    'Body property rollover cannot be true for an income category',
  ]);
  for (const bad of [{}, { icon: '' }, { icon: 'x'.repeat(33) }, { colour: 'red' }, { name: 'x' }])
    await refused('PUT', `/coffer/category_settings/${food}`, bad);
  assert.equal((await refused('GET', '/coffer/budget_rollover?start_date=2024-02-30')).length, 1);
  assert.deepEqual([await changes(), await book.rows(categorySettings)], [[], []]);
  await settings(group, { icon: '🥐', colour: '#c2641a' });
  assert.deepEqual(await changes(), ['updateCategorySettings']);
});

test('settings go with their category, or to the one it is merged into, and come back by undo', async () => {
  const { ok, food, fun, settings, book } = await begin();
  await settings(food, { rollover: true, icon: 'a' });
  const all = await book.rows(categorySettings);
  await ok('POST', `/coffer/categories/${food}/merge`, { into_id: fun });
  assert.deepEqual(await book.rows(categorySettings), [{ ...all[0]!, category_id: fun }]);
  await ok('DELETE', `/v2/categories/${fun}`);
  assert.deepEqual(await book.rows(categorySettings), []);
  await book.undoLast();
  assert.deepEqual(await book.rows(categorySettings), [{ ...all[0]!, category_id: fun }]);
});

test('money moves between two budgets in one change, which is undone at once', async () => {
  const { ok, refused, changes, food, fun, set, book } = await begin();
  const start_date = '2024-01-01';
  await set(food, start_date, 100);
  await changes();
  const move = { start_date, from_category_id: food, to_category_id: fun, amount: '30.25' };
  const before = await book.rows(budgets);
  const { from, to } = await ok<{ from: Budget; to: Budget }>('POST', '/coffer/budgets/move', move);
  assert.deepEqual(pick([from, to], 'category_id', 'amount', 'currency'), [
    [food, '69.7500', 'eur'],
    [fun, '30.2500', 'eur'],
  ]);
  assert.deepEqual(await changes(), ['moveBudget']);
  await book.undoLast();
  assert.deepEqual(await book.rows(budgets), before);
  await changes();
  const bad = { start_date: '2024-01-02', from_category_id: 99, to_category_id: 99, amount: 0 };
  const errors = await refused('POST', '/coffer/budgets/move', bad);
  assert.deepEqual(pick(errors, 'invalid_property'), [
    ...['start_date', 'from_category_id', 'to_category_id', 'to_category_id', 'amount'],
  ]);
  await ok('PUT', '/v2/budgets', { category_id: fun, start_date, amount: '900719925474.0991' });
  await changes();
  const large = await refused('POST', '/coffer/budgets/move', move);
  assert.deepEqual(pick(large, 'errMsg'), ['Body property amount is too large: "30.2500"']);
  assert.deepEqual(await changes(), []);
});

onEngines('rollover', (open) => {
  const day = fc.integer({ min: 0, max: 200 }).map((days) => {
    return new Date(Date.UTC(2024, 0, 1 + days)).toISOString().slice(0, 10);
  });
  const units = fc.integer({ min: -1_000_000, max: 1_000_000 });
  const rows = (other: object) =>
    fc.array(fc.record({ day, units, category: fc.nat(1), ...other }), { maxLength: 20 });

  it('is what a calculation by hand says, for any periods', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows({}),
        rows({}),
        fc.constantFrom('month' as const, 'week' as const, 'twice a month' as const),
        day,
        async (budgeted, spent, granularity, at) => {
          const book = await open();
          const ids = await book.change(function* (change) {
            const all: number[] = [];
            for (const name of ['A', 'B']) {
              const category = yield* createCategory(change, { name });
              yield* updateCategorySettings(change, category, { rollover: true });
              all.push(category.id);
            }
            yield* updateSettings(change, { budget_period_granularity: granularity });
            return all;
          });
          const settings = await book.read(() => settingsOf(book.id));
          const startOf = (date: string): string => periodOf(settings, date).start;
          const byKey = new Map(
            budgeted.map((each) => [`${each.category} ${startOf(each.day)}`, each]),
          );
          await book.change(function* (change) {
            for (const { category, day: date, units: amount } of byKey.values())
              yield* change.insert(budgets, {
                category_id: ids[category]!,
                start_date: startOf(date),
                ...{ amount, to_base: amount, currency: 'usd', notes: null },
              });
            const bulk = new BulkRows(change);
            for (const { category, day: date, units: amount } of spent)
              bulk.add({
                id: yield* bulk.nextId(),
                ...{
                  date,
                  amount,
                  to_base: amount,
                  currency: 'usd',
                  payee: 'P',
                  status: 'reviewed',
                },
                category_id: ids[category]!,
              });
            yield* bulk.flush();
          });
          assert.equal((await book.rows(transactions)).length, spent.length);
          const start = startOf(at);
          const expected = ids.map((id, category) => {
            const own = [...byKey.values()].filter((each) => each.category === category);
            const starts = own.map((each) => startOf(each.day)).filter((each) => each < start);
            const first = starts.toSorted()[0] ?? start;
            const sum = (all: typeof spent, from: (date: string) => string): number =>
              all
                .filter((each) => each.category === category)
                .filter((each) => from(each.day) >= first && from(each.day) < start)
                .reduce((total, each) => total + each.units, 0);
            const left = sum(own, startOf) - sum(spent, (date) => date);
            return { categoryId: id, amount: formatAmount(left) };
          });
          const carried = await book.read(() => carriedTo(book.id, start));
          assert.deepEqual(
            carried.map(({ categoryId, amount }) => ({ categoryId, amount: formatAmount(amount) })),
            expected,
          );
        },
      ),
      { numRuns: runs(20) },
    );
  });
});
