import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expectedDates } from '@coffer/core/schedule';
import type { Schedule } from '@coffer/core/schedule';
import { openBooks } from '../http/testing/strict-client.ts';
import { cadenceV1, datesAround } from '../ledger/recurring/rules.ts';

type Item = Readonly<Record<string, unknown>>;

async function begin() {
  const client = await openBooks();
  const { ok } = client;
  return {
    ...client,
    today: new Date(client.made.clock.wallMs()).toISOString().slice(0, 10),
    create: (more: object = {}, overrides: object = {}) => {
      const schedule = { granularity: 'month', anchor_date: '2024-01-15', payee: 'Landlord' };
      const transaction_criteria = { ...schedule, amount: '900', currency: 'eur', ...more };
      const body = { transaction_criteria, overrides };
      return ok<{ id: number; created_at: string }>('POST', '/coffer/recurring_items', body);
    },
    list: (query = '') => ok<readonly Item[]>('GET', `/v1/recurring_items${query}`),
    expenses: async (query = '') => {
      const path = `/v1/recurring_expenses${query}`;
      return (await ok<{ recurring_expenses: Item[] }>('GET', path)).recurring_expenses;
    },
  };
}

test('items have the expected dates of a range and around it, and linked transactions', async () => {
  const { create, list, ok, today } = await begin();
  const group = await ok<Item>('POST', '/v1/categories/group', {
    name: 'Home',
    new_categories: ['Rent'],
    exclude_from_totals: true,
  });
  const home = group['category_id'] as number;
  const { children } = await ok<{ children: Item[] }>('GET', `/v1/categories/${home}`);
  const category_id = children[0]!['id'];
  const { id, created_at } = await create({}, { category_id, notes: 'n' });
  const row = { date: '2024-02-17', amount: 900, payee: 'Landlord', external_id: 'x' };
  const inserted = { transactions: [row], check_for_recurring: true };
  const { ids } = await ok<{ ids: number[] }>('POST', '/v1/transactions', inserted);
  const range = '?start_date=2024-02-01&end_date=2024-03-20';
  const [item] = (await list(range)) as [Item];
  const match = {
    id: ids[0],
    date: '2024-02-17',
    amount: '900.0000',
    currency: 'eur',
    payee: 'Landlord',
    category_id,
    recurring_id: id,
    to_base: 900,
  };
  assert.deepEqual(item, {
    id,
    start_date: null,
    end_date: null,
    payee: 'Landlord',
    currency: 'eur',
    created_by: 1,
    created_at,
    updated_at: created_at,
    billing_date: '2024-01-15',
    original_name: null,
    description: null,
    plaid_account_id: null,
    asset_id: null,
    source: 'manual',
    amount: '900.0000',
    notes: 'n',
    category_id,
    category_group_id: home,
    is_income: false,
    exclude_from_totals: true,
    cadence: 'monthly',
    granularity: 'month',
    quantity: 1,
    occurrences: { '2024-01-15': [], '2024-02-15': [match], '2024-03-15': [], '2024-04-15': [] },
    transactions_within_range: [match],
    missing_dates_within_range: ['2024-03-15'],
    date: today,
    to_base: 900,
  });
  assert.equal(
    Object.keys(item).join(),
    'id,start_date,end_date,payee,currency,created_by,created_at,updated_at,billing_date,original_name,description,' +
      'plaid_account_id,asset_id,source,amount,notes,category_id,category_group_id,is_income,' +
      'exclude_from_totals,cadence,granularity,quantity,occurrences,transactions_within_range,' +
      'missing_dates_within_range,date,to_base',
  );
  const [negative] = (await list(`${range}&debit_as_negative=true`)) as [Item];
  const shown = { ...match, amount: '-900.0000', to_base: -900 };
  assert.deepEqual(negative['transactions_within_range'], [shown]);
  assert.deepEqual([negative['amount'], negative['to_base']], ['-900.0000', -900]);
  await ok('PUT', `/coffer/recurring_items/${id}`, { status: 'dismissed' });
  assert.deepEqual(await list(range), []);
});

test('without an end the range ends with the current month, without dates it is that month', async () => {
  const { create, list, today } = await begin();
  await create();
  const month = `${today.slice(0, 7)}-15`;
  const datesOf = async (query: string) => {
    const [item] = (await list(query)) as [Item];
    return item['missing_dates_within_range'] as string[];
  };
  assert.deepEqual(await datesOf(''), [month]);
  const since = await datesOf('?start_date=2023-01-16&x=1');
  assert.deepEqual([since[0], since.at(-1)], ['2023-02-15', month]);
  const later = `${Number(today.slice(0, 4)) + 1}-01-02`;
  assert.deepEqual(await datesOf(`?start_date=${later}`), [`${later.slice(0, 7)}-15`]);
});

test('recurring expenses have an entry for each expected date of the month', async () => {
  const { create, expenses, today } = await begin();
  const weekly = { granularity: 'week', quantity: 2, anchor_date: '2024-03-02', payee: null };
  const { id, created_at } = await create(weekly, { payee: 'Cleaner' });
  await create({ granularity: 'week', quantity: 3, end_date: '2024-02-01', amount: '1' });
  const entries = await expenses('?start_date=2024-03-31');
  const entry = {
    id,
    start_date: null,
    end_date: null,
    cadence: 'every 2 weeks',
    payee: 'Cleaner',
    amount: '900.0000',
    currency: 'eur',
    created_at,
    description: null,
    billing_date: '2024-03-02',
    type: 'cleared',
    original_name: null,
    source: 'manual',
    plaid_account_id: null,
    asset_id: null,
    category_id: null,
  };
  const dates = ['2024-03-02', '2024-03-16', '2024-03-30'];
  const expected = dates.map((billing_date) => ({ ...entry, billing_date }));
  assert.deepEqual(entries, expected);
  assert.deepEqual(Object.keys(entries[0]!), Object.keys(entry));
  const [negative, other] = await expenses('?start_date=2024-01-06&debit_as_negative=true');
  assert.equal(negative!['amount'], '-900.0000');
  assert.ok((await expenses()).every((each) => String(each['billing_date']) >= today.slice(0, 7)));
  assert.equal((await expenses('?start_date=2024-01-06')).at(-1)!['cadence'], 'every 3 weeks');
  assert.notEqual(other, undefined);
});

test('dates that are not valid are refused with 404', async () => {
  const { send } = await begin();
  const text = 'Invalid start_date. Must be in format YYYY-MM-DD';
  const both = 'Both start_date and end_date must be specified.';
  const items = '/v1/recurring_items';
  const refusals: [path: string, error: unknown][] = [
    ['/v1/recurring_expenses?start_date=2024-02-30', text],
    [`${items}?start_date=soon`, text],
    [`${items}?start_date=x&end_date=y`, [text, text.replace('start', 'end')]],
    [`${items}?end_date=2024-02-01`, both],
    [
      `${items}?start_date=2024-02-02&end_date=2024-02-01`,
      'Query parameter start_date must not be later than end_date "2024-02-01", not "2024-02-02"',
    ],
    [
      `${items}?start_date=2000-01-01&end_date=2024-02-01`,
      'end_date must be at most ten years after start_date',
    ],
  ];
  for (const [path, error] of refusals) {
    const { status, body } = await send('GET', path);
    assert.deepEqual([status, body], [404, { error }], path);
  }
});

test('the dates around a range are the neighbours of all expected dates', () => {
  const schedule: fc.Arbitrary<Schedule> = fc.record({
    granularity: fc.constantFrom('day', 'week', 'month', 'year'),
    quantity: fc.integer({ min: 1, max: 13 }),
    anchor_date: fc.constantFrom('2024-01-31', '2024-02-29', '2023-12-01'),
    start_date: fc.constant(null),
    end_date: fc.constant(null),
  });
  const day = fc.constantFrom('2024-01-01', '2024-02-29', '2024-03-31', '2025-01-31');
  fc.assert(
    fc.property(schedule, day, day, (each, one, other) => {
      const [start_date, end_date] = [one, other].toSorted() as [string, string];
      const all = expectedDates(each, '1990-01-01', '2060-12-31');
      const first = all.findIndex((date) => date >= start_date);
      const after = all.findIndex((date) => date > end_date);
      const around = datesAround(each, { start_date, end_date });
      assert.deepEqual(around, all.slice(first - 1, after + 1));
    }),
  );
});

test('a cadence that v1 has a word for', () => {
  const schedule = { anchor_date: '2024-01-01', start_date: null, end_date: null };
  assert.equal(cadenceV1({ ...schedule, granularity: 'month', quantity: 6 }), 'twice a year');
  assert.equal(cadenceV1({ ...schedule, granularity: 'week', quantity: 3 }), null);
});
