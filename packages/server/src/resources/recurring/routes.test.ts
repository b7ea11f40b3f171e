import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changing } from '../../changes/changing.ts';
import { find } from '../../db/rows.ts';
import { categories, recurringItems } from '../../db/tables.ts';
import { bookClient } from '../../http/testing/book-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import type { RecurringItem, RecurringItemDetails } from './schema.ts';

const own = '/coffer/recurring_items';
const root = '/v2/recurring_items';
interface List<T> {
  readonly recurring_items: readonly T[];
}

async function begin() {
  const made = await makeTestApp();
  const client = bookClient(made, made.ada);
  const { book, user } = made.ada.identity;
  const category = await made.engine.write(() =>
    changing({ bookId: book.id, actor: 'test', operation: 'fill' }, function* (change) {
      yield* change.insert(categories, { name: 'Group', is_group: true });
      return yield* change.insert(categories, { name: 'Home' });
    }),
  );
  await client.changes();
  const criteria = {
    ...{ granularity: 'month', quantity: 1, anchor_date: '2024-01-31' },
    ...{ payee: 'someone', amount: 1.23 },
  };
  const create = (body: object = {}) =>
    client.send<RecurringItemDetails>('POST', own, { transaction_criteria: criteria, ...body });
  return { made, ...client, book, user, category, criteria, create };
}

test('an item is created, listed with its matches, changed and deleted, one version each', async () => {
  const { send, changes, create, category, user } = await begin();
  const { status, body } = await create({
    description: 'd',
    overrides: { payee: 'Rent', category_id: category.id },
  });
  assert.equal(status, 201);
  const { id, created_at: at, ...rest } = body;
  const shownCriteria = {
    ...{ start_date: null, end_date: null, granularity: 'month', quantity: 1 },
    ...{ anchor_date: '2024-01-31', payee: 'someone', amount: '1.2300', to_base: 1.23 },
    ...{ currency: 'eur', plaid_account_id: null, manual_account_id: null },
  };
  const shown = {
    ...{ description: 'd', status: 'reviewed', created_by: user.id, updated_at: at },
    ...{ overrides: { payee: 'Rent', category_id: category.id }, source: 'manual' },
  };
  const details = { transaction_criteria: { ...shownCriteria, amount_tolerance: '0.0000' } };
  assert.deepEqual(rest, { ...shown, ...details });
  const range = 'start_date=2024-02-01&end_date=2024-03-31';
  const one = await send<RecurringItem>('GET', `${root}/${id}?${range}`);
  // The first of ten equal transactions on the expected date is linked, and one in January.
  const matches = {
    ...{ request_start_date: '2024-02-01', request_end_date: '2024-03-31' },
    expected_occurrence_dates: ['2024-02-29', '2024-03-31'],
    found_transactions: [{ date: '2024-02-29', transaction_id: 1011 }],
    missing_transaction_dates: ['2024-03-31'],
  };
  const wire = { id, created_at: at, ...shown, transaction_criteria: shownCriteria, matches };
  assert.deepEqual(one.body, wire);
  const list = await send<List<RecurringItem>>('GET', `${root}?${range}&include_suggested=false`);
  assert.deepEqual(list.body, { recurring_items: [wire] });
  // A whole object of v2 may be sent back; nothing changes then.
  const sent = await send<RecurringItemDetails>(
    'PUT',
    `${own}/${id}`,
    list.body.recurring_items[0],
  );
  assert.deepEqual([sent.status, sent.body.transaction_criteria.amount_tolerance], [200, '0.0000']);
  const overrides = { notes: 'n', payee: null };
  const updated = await send<RecurringItemDetails>('PUT', `${own}/${id}`, { overrides });
  assert.deepEqual(updated.body.overrides, { notes: 'n' });
  const shownRow = async () => {
    const row = await send<{ payee: string; notes: string | null; recurring_id: number | null }>(
      ...(['GET', '/v2/transactions/1011'] as const),
    );
    return [row.body.recurring_id, row.body.payee, row.body.notes];
  };
  assert.deepEqual(await shownRow(), [id, 'someone', 'n']);
  const kept = await send('DELETE', `${own}/${id}`);
  const dependents = { recurring_item_id: id, dependents: { transactions: 2 } };
  assert.deepEqual([kept.status, kept.body], [422, dependents]);
  assert.equal((await send('DELETE', `${own}/${id}?force=true`)).status, 204);
  assert.deepEqual(await shownRow(), [null, 'Someone', null]);
  assert.equal((await send('GET', `${root}/${id}`)).status, 404);
  assert.deepEqual(await changes(), [
    'createRecurringItem',
    'updateRecurringItem',
    'deleteRecurringItem',
  ]);
});

test('suggestions are listed on request, accepted and dismissed', async () => {
  const { made, send, refused, create, book } = await begin();
  const { id } = (await create()).body;
  const isShown = async (query = '') =>
    (await send<List<RecurringItem>>('GET', `${root}${query}`)).body.recurring_items.map(
      ({ status, matches }) => [status, matches === null],
    );
  assert.deepEqual(await isShown(), [['reviewed', false]]);
  await refused('PUT', `${own}/${id}`, { status: 'suggested' });
  await made.engine.write(() =>
    changing({ bookId: book.id, actor: 'test', operation: 'suggest' }, function* (change) {
      const item = (yield* find(recurringItems, { book_id: book.id, id }))!;
      yield* change.update(recurringItems, item, { status: 'suggested' });
    }),
  );
  assert.deepEqual(await isShown(), []);
  assert.deepEqual(await isShown('?include_suggested=true'), [['suggested', true]]);
  assert.equal((await send('GET', `${root}/${id}`)).status, 200);
  await send('PUT', `${own}/${id}`, { status: 'dismissed' });
  assert.deepEqual(await isShown('?include_suggested=true'), []);
  assert.equal((await send('GET', `${root}/${id}`)).status, 404);
  const all = await send<List<RecurringItemDetails>>('GET', own);
  assert.deepEqual(
    all.body.recurring_items.map((each) => each.status),
    ['dismissed'],
  );
  await send('PUT', `${own}/${id}`, { status: 'reviewed' });
  assert.deepEqual(await isShown(), [['reviewed', false]]);
});

test('without dates the range is the current month, and the ETag depends on it', async () => {
  const { made, send, create } = await begin();
  const { id } = (await create()).body;
  const url = `${root}/${id}`;
  const first = await send<RecurringItem>('GET', url);
  const month = new Date(made.clock.wallMs()).toISOString().slice(0, 7);
  assert.equal(first.body.matches?.request_start_date, `${month}-01`);
  assert.equal((await send('GET', url)).etag, first.etag);
  made.clock.advance(32 * 86_400_000);
  const next = await send<RecurringItem>('GET', url);
  assert.notEqual(next.etag, first.etag);
  assert.notEqual(next.body.matches?.request_start_date, `${month}-01`);
});

test('invalid requests are refused with all their problems, and change nothing', async () => {
  const { made, send, refused, create, criteria, category } = await begin();
  const { id } = (await create()).body;
  for (const query of ['start_date=2024-01-01', 'end_date=2024-01-01'])
    for (const path of [root, `${root}/${id}`]) {
      const [problem] = await refused('GET', `${path}?${query}`);
      assert.match(String(problem?.['instancePath']), /^\/query\/(start|end)_date$/);
    }
  for (const query of [
    'start_date=0001-01-01&end_date=9999-12-31',
    'start_date=2024-02-02&end_date=2024-02-01',
    'start_date=2024-02-30&end_date=2024-03-01',
    'include_suggested=yes',
    'extra=1',
  ])
    await refused('GET', `${root}?${query}`);
  await refused('GET', `${root}/x`);
  const bad = {
    ...{ ...criteria, start_date: '2024-02-01', end_date: '2024-01-01', amount: '900719925475' },
    ...{ amount_tolerance: -1, manual_account_id: 77, plaid_account_id: 78 },
  };
  const overrides = { category_id: category.id - 1 };
  const problems = await refused('POST', own, { transaction_criteria: bad, overrides });
  assert.deepEqual(
    problems.map((each) => each['invalid_property']),
    [
      ...['start_date', 'plaid_account_id', 'manual_account_id', 'plaid_account_id'],
      ...['amount', 'amount_tolerance', 'category_id'],
    ],
  );
  assert.deepEqual(
    problems.map((each) => each['manual_account_id'] ?? each['category_id']),
    [undefined, undefined, 77, undefined, undefined, undefined, overrides.category_id],
  );
  assert.match(
    String(problems.at(-1)?.['errMsg']),
    /^Body property overrides\/category_id is a category group: \d+$/,
  );
  for (const more of [
    { amount: '1.00001' },
    { amount: 1e300 },
    { anchor_date: '2023-02-29' },
    { quantity: 0 },
    { quantity: 1001 },
    { granularity: 'twice a month' },
    { currency: 'zzz' },
    { payee: ' ' },
    { payee: 'a\0' },
    { payee: '\ud800' },
    { manual_account_id: 2 ** 53 },
    { amount_tolerance: '900719925474.0991' },
    { extra: 1 },
  ])
    await refused('POST', own, { transaction_criteria: { ...criteria, ...more } });
  for (const body of [{}, { id, matches: null, source: 'manual' }, { status: 'gone' }, []])
    await refused('PUT', `${own}/${id}`, body);
  await refused('POST', own, { description: 'x' });
  const ben = bookClient(made, made.ben);
  for (const [method, url] of [
    ['GET', `${root}/${id}`],
    ['PUT', `${own}/${id}`],
    ['DELETE', `${own}/${id}?force=true`],
  ] as const) {
    const foreign = await ben.send(
      method,
      url,
      method === 'PUT' ? { description: 'x' } : undefined,
    );
    const missing = await send(
      ...[method, url.replace(`/${id}`, '/999999')],
      method === 'PUT' ? { description: 'x' } : undefined,
    );
    assert.deepEqual([foreign.status, missing.status], [404, 404]);
  }
  assert.equal((await send('GET', `${root}/9999999999999`)).status, 404);
});
