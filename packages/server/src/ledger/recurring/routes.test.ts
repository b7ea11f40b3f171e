import assert from 'node:assert/strict';
import { test } from 'node:test';
import { categories, recurringItems } from '../../db/tables/tables.ts';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { RecurringItem, RecurringItemDetails } from './schema.ts';

const own = '/coffer/recurring_items';
const root = '/v2/recurring_items';
type List<T> = Readonly<{ recurring_items: readonly T[] }>;

async function begin() {
  const client = await openBooks();
  const { book } = client;
  const category = await book.change(function* (change) {
    yield* change.insert(categories, { name: 'Group', is_group: true });
    return yield* change.insert(categories, { name: 'Home' });
  });
  await client.changes();
  const criteria = {
    granularity: 'month',
    quantity: 1,
    anchor_date: '2024-01-31',
    payee: 'someone',
    amount: 1.23,
  };
  const create = (body: object = {}) =>
    client.ok<RecurringItemDetails>('POST', own, { transaction_criteria: criteria, ...body });
  return { ...client, category, criteria, create };
}

test('an item is created, listed with its matches, changed and deleted, one version each', async () => {
  const { made, send, ok, changes, create, category } = await begin();
  const overridden = { overrides: { payee: 'Rent', category_id: category.id } };
  const { id, created_at: at, ...rest } = await create({ description: 'd', ...overridden });
  const shownCriteria = {
    start_date: null,
    end_date: null,
    granularity: 'month',
    quantity: 1,
    anchor_date: '2024-01-31',
    payee: 'someone',
    amount: '1.2300',
    to_base: 1.23,
    currency: 'eur',
    plaid_account_id: null,
    manual_account_id: null,
  };
  const shown = {
    description: 'd',
    status: 'reviewed',
    source: 'manual',
    ...overridden,
    created_by: made.ada.identity.user.id,
    updated_at: at,
  };
  const details = { transaction_criteria: { ...shownCriteria, amount_tolerance: '0.0000' } };
  assert.deepEqual(rest, { ...shown, ...details });
  const range = 'start_date=2024-02-01&end_date=2024-03-31';
  const one = await ok<RecurringItem>('GET', `${root}/${id}?${range}`);
  // The first of ten equal transactions on the expected date is linked, and one in January.
  const matches = {
    request_start_date: '2024-02-01',
    request_end_date: '2024-03-31',
    expected_occurrence_dates: ['2024-02-29', '2024-03-31'],
    found_transactions: [{ date: '2024-02-29', transaction_id: 1011 }],
    missing_transaction_dates: ['2024-03-31'],
  };
  const wire = { id, created_at: at, ...shown, transaction_criteria: shownCriteria, matches };
  assert.deepEqual(one, wire);
  const list = await ok('GET', `${root}?${range}&include_suggested=false`);
  assert.deepEqual(list, { recurring_items: [wire] });
  const put = (body: object) => ok<RecurringItemDetails>('PUT', `${own}/${id}`, body);
  // A whole object of v2 may be sent back; nothing changes then.
  assert.equal((await put(one)).transaction_criteria.amount_tolerance, '0.0000');
  assert.deepEqual((await put({ overrides: { notes: 'n', payee: null } })).overrides, {
    notes: 'n',
  });
  const shownRow = async () => {
    const row = await ok<Record<string, unknown>>('GET', '/v2/transactions/1011');
    return ['recurring_id', 'payee', 'notes'].map((key) => row[key]);
  };
  assert.deepEqual(await shownRow(), [id, 'someone', 'n']);
  const kept = await send('DELETE', `${own}/${id}`);
  const dependents = { recurring_item_id: id, dependents: { transactions: 2 } };
  assert.deepEqual([kept.status, kept.body], [422, dependents]);
  await ok('DELETE', `${own}/${id}?force=true`);
  assert.deepEqual(await shownRow(), [null, 'Someone', null]);
  assert.deepEqual(await changes(), [
    'createRecurringItem',
    'updateRecurringItem',
    'deleteRecurringItem',
  ]);
});

test('suggestions are listed on request, accepted and dismissed', async () => {
  const { book, ok, status: statusOf, refused, create } = await begin();
  const { id } = await create();
  const isShown = async (query = '') =>
    (await ok<List<RecurringItem>>('GET', `${root}${query}`)).recurring_items.map(
      ({ status, matches }) => [status, matches === null],
    );
  const set = (status: string) => ok('PUT', `${own}/${id}`, { status });
  assert.deepEqual(await isShown(), [['reviewed', false]]);
  await refused('PUT', `${own}/${id}`, { status: 'suggested' });
  const [item] = await book.rows(recurringItems);
  await book.change((change) => change.update(recurringItems, item!, { status: 'suggested' }));
  assert.deepEqual(await isShown(), []);
  assert.deepEqual(await isShown('?include_suggested=true'), [['suggested', true]]);
  assert.equal(await statusOf('GET', `${root}/${id}`), 200);
  await set('dismissed');
  assert.deepEqual(await isShown('?include_suggested=true'), []);
  assert.equal(await statusOf('GET', `${root}/${id}`), 404);
  const all = await ok<List<RecurringItemDetails>>('GET', own);
  assert.deepEqual(pick(all.recurring_items, 'status'), ['dismissed']);
  await set('reviewed');
  assert.deepEqual(await isShown(), [['reviewed', false]]);
});

test('without dates the range is the current month, and the ETag depends on it', async () => {
  const { made, send, create } = await begin();
  const url = `${root}/${(await create()).id}`;
  const read = async () => {
    const { etag, body } = await send<RecurringItem>('GET', url);
    return { etag, start: body.matches?.request_start_date };
  };
  const first = await read();
  const month = new Date(made.clock.wallMs()).toISOString().slice(0, 7);
  assert.equal(first.start, `${month}-01`);
  assert.deepEqual(await read(), first);
  made.clock.advance(32 * 86_400_000);
  const next = await read();
  assert.notEqual(next.etag, first.etag);
  assert.notEqual(next.start, first.start);
});

test('invalid requests are refused with all their problems, and change nothing', async () => {
  const { refused, create, criteria, category } = await begin();
  const { id } = await create();
  for (const query of ['start_date=2024-01-01', 'end_date=2024-01-01'])
    for (const path of [root, `${root}/${id}`]) {
      const [problem] = await refused('GET', `${path}?${query}`);
      assert.match(String(problem?.['instancePath']), /^\/query\/(start|end)_date$/);
    }
  for (const dates of [
    'start_date=0001-01-01&end_date=9999-12-31',
    'start_date=2024-02-02&end_date=2024-02-01',
  ])
    await refused('GET', `${root}?${dates}`);
  const bad = {
    ...criteria,
    start_date: '2024-02-01',
    end_date: '2024-01-01',
    amount: '900719925475',
    amount_tolerance: -1,
    manual_account_id: 77,
    plaid_account_id: 78,
  };
  const overrides = { category_id: category.id - 1 };
  const problems = await refused('POST', own, { transaction_criteria: bad, overrides });
  assert.deepEqual(pick(problems, 'invalid_property'), [
    'start_date',
    'plaid_account_id',
    'manual_account_id',
    'plaid_account_id',
    'amount',
    'amount_tolerance',
    'category_id',
  ]);
  assert.equal(problems[2]!['manual_account_id'], 77);
  const { errMsg, category_id } = problems.at(-1)!;
  assert.equal(category_id, overrides.category_id);
  const isGroup = /^Body property overrides\/category_id is a category group: \d+$/;
  assert.match(String(errMsg), isGroup);
  for (const more of [{ amount: '1.00001' }, { quantity: 1001 }, { granularity: 'twice a month' }])
    await refused('POST', own, { transaction_criteria: { ...criteria, ...more } });
  for (const body of [{}, { id, matches: null, source: 'manual' }, { status: 'gone' }])
    await refused('PUT', `${own}/${id}`, body);
  await refused('POST', own, { description: 'x' });
});
