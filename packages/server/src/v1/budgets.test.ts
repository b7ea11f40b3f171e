import assert from 'node:assert/strict';
import { test } from 'node:test';
import { select } from '../db/rows.ts';
import { transactions } from '../db/tables/tables.ts';
import { pick } from '../http/testing/pick.ts';
import { openBooks } from '../http/testing/strict-client.ts';

const root = '/v1/budgets';
const flags = { is_income: false, exclude_from_budget: false, exclude_from_totals: false };

type Row = Readonly<Record<string, unknown>>;

/** Creates a book with the group Food of Bread and Wine, and the categories Rent and Left, which is left out. */
async function begin() {
  const client = await openBooks();
  const { ok } = client;
  const create = async (path: string, body: object) =>
    (await ok<{ category_id: number }>('POST', `/v1/categories${path}`, body)).category_id;
  const food = await create('/group', { name: 'Food' });
  const bread = await create('', { name: 'Bread', group_id: food });
  const wine = await create('', { name: 'Wine', group_id: food });
  await create('', { name: 'Left', exclude_from_budget: true });
  const rent = await create('', { name: 'Rent' });
  await client.changes();
  return {
    ...client,
    food,
    bread,
    wine,
    rent,
    list: (range = 'start_date=2024-01-01&end_date=2024-03-31') =>
      ok<readonly Row[]>('GET', `${root}?${range}`),
    put: (category_id: number, amount: unknown, more: object = {}) =>
      ok('PUT', root, { start_date: '2024-02-01', category_id, amount, ...more }),
    file: (id: number, category_id: number | null, to_base: number) =>
      client.book.change(function* (change) {
        const rows = yield* select(transactions, { book_id: change.bookId, id });
        yield* change.updateAll(transactions, rows, { category_id, to_base });
      }),
  };
}

const spent = (num_transactions: number, spending_to_base: number) => ({
  num_transactions,
  spending_to_base,
});

test('rows have activity and budgets by month, in the order of the categories', async () => {
  const { ok, list, put, file, food, bread, wine, rent } = await begin();
  await file(1001, bread, 20_000);
  await file(1002, bread, 5000);
  await file(1003, null, -30_000);
  await put(wine, '10.12345', { currency: 'EUR', colour: 1 });
  const criteria = { granularity: 'month', anchor_date: '2024-01-15', payee: 'Landlord' };
  const item = { ...criteria, amount: '900', currency: 'eur' };
  const overrides = { category_id: rent };
  await ok('POST', '/coffer/recurring_items', { transaction_criteria: item, overrides });
  const rows = await list();
  const names = ['Uncategorized', 'Uncategorized', 'Food', 'Bread', 'Wine', 'Rent'];
  assert.deepEqual(pick(rows, 'category_name'), names);
  assert.deepEqual(pick(rows, 'order'), [0, 1, 2, 3, 4, 6], 'Left leaves a gap');
  const budget = { budget_to_base: 10.1234, budget_amount: 10.1234, budget_currency: 'eur' };
  const inFebruary = { '2024-02-01': { ...spent(0, 0), ...budget } };
  const none = { category_id: null, is_group: false, group_id: null };
  const january = { '2024-01-01': spent(7, 8.61) };
  assert.deepEqual(rows[0], {
    category_name: 'Uncategorized',
    ...none,
    ...flags,
    archived: false,
    data: { ...january, '2024-02-01': spent(10, 12.3), '2024-03-01': spent(10, 12.3) },
    config: null,
    order: 0,
  });
  assert.deepEqual(rows[1]!['data'], { '2024-01-01': spent(1, -3) });
  assert.equal(rows[1]!['is_income'], true);
  const own = { category_name: 'Bread', category_id: bread, category_group_name: 'Food' };
  assert.deepEqual(rows[3], {
    ...own,
    group_id: food,
    is_group: null,
    ...flags,
    order: 3,
    archived: false,
    data: { '2024-01-01': spent(2, 2.5) },
    config: null,
  });
  assert.deepEqual(rows[2], {
    ...rows[3],
    category_name: 'Food',
    category_id: food,
    category_group_name: null,
    group_id: null,
    is_group: true,
    order: 2,
    data: { '2024-01-01': spent(2, 2.5), ...inFebruary },
  });
  assert.deepEqual(rows[4]!['data'], { '2024-01-01': spent(0, 0), ...inFebruary });
  const entry = { payee: 'Landlord', amount: '900.0000', currency: 'eur', to_base: 900 };
  assert.deepEqual(rows[5]!['recurring'], { list: [entry] });
  assert.deepEqual(Object.keys(rows[5]!), [
    'category_name',
    'category_id',
    'category_group_name',
    'group_id',
    'is_group',
    'is_income',
    'exclude_from_budget',
    'exclude_from_totals',
    'order',
    'archived',
    'data',
    'config',
    'recurring',
  ]);
  const early = await list('start_date=2020-05-17&end_date=2020-06-01');
  assert.deepEqual(early[0]!['data'], { '2020-05-01': {} });
  assert.deepEqual(early[2]!['data'], { '2020-05-01': spent(0, 0) });
  await ok('PUT', `/v2/categories/${rent}`, { order: 1 });
  const ordered = pick(await list(), 'order', 'category_name').map((each) => each.join(' '));
  assert.deepEqual(ordered.slice(0, 4), ['0 Rent', '1 Uncategorized', '2 Uncategorized', '3 Food']);
});

test('the budget of a group grows to the sum of its members', async () => {
  const { put, ok, food, bread, wine, rent, changes } = await begin();
  const group = (amount: number) => ({
    category_group: { category_id: food, amount, currency: 'eur', start_date: '2024-02-01' },
  });
  assert.deepEqual(await put(rent, 5), { category_group: null });
  assert.deepEqual(await put(bread, 10.01), group(10.01));
  assert.deepEqual(await put(wine, 5, { currency: null }), group(15.01));
  const tooSmall =
    'Budget must be greater than or equal to the sum of sub-category budgets ($15.01).';
  await changes();
  assert.deepEqual(await put(food, 15), { error: tooSmall });
  assert.deepEqual(await changes(), []);
  assert.deepEqual(await put(food, 20), { category_group: null });
  assert.deepEqual(await put(wine, 1), group(20));
  const key = `start_date=2024-02-01&category_id=${wine}`;
  assert.equal(await ok('DELETE', `${root}?${key}`), true);
  assert.equal(await ok('DELETE', `${root}?${key}&x=1`), true);
  assert.deepEqual(await changes(), ['upsertBudgetV1', 'upsertBudgetV1', 'deleteBudgetV1']);
});

test('requests that are not valid are refused in the words of v1', async () => {
  const { ok, put, rent, bread, changes } = await begin();
  const start = 'start_date must be a valid date in format YYYY-MM-01';
  const end = 'end_date must be a valid date in format YYYY-MM-DD';
  const unknown = 'This category id does not exist.';
  const refused: [error: unknown, response: unknown][] = [
    [start, await put(rent, 1, { start_date: '2024-02-02' })],
    [start, await ok('DELETE', `${root}?start_date=2024-02-30&category_id=${rent}`)],
    [unknown, await put(987, 1)],
    [[start, unknown], await put(987, 1, { start_date: 'soon' })],
    ['amount is not valid: much', await put(rent, 'much')],
    ['currency is not supported: xyz', await put(rent, 1, { currency: 'XYZ' })],
    ['Missing body property amount', await put(rent, undefined)],
    [[start, end], await ok('GET', `${root}?start_date=x&end_date=2024-13-01`)],
    [
      'Query parameter start_date must not be later than end_date "2024-01-31", not "2024-02-01"',
      await ok('GET', `${root}?start_date=2024-02-01&end_date=2024-01-31`),
    ],
    [
      'At most 400 months can be requested',
      await ok('GET', `${root}?start_date=0001-01-01&end_date=9999-12-31`),
    ],
    ['Missing query parameter end_date', await ok('GET', `${root}?start_date=2024-01-01`)],
  ];
  for (const [error, response] of refused) assert.deepEqual(response, { error });
  const periods = { budget_period_granularity: 'week', budget_period_anchor_date: '2024-02-01' };
  await ok('PUT', '/coffer/budget_settings', periods);
  const weeks = { error: 'The budget periods of this book are not months' };
  assert.deepEqual(await put(bread, 1), weeks);
  assert.deepEqual(await changes(), ['updateBudgetSettings']);
});
