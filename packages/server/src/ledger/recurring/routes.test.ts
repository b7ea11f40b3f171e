import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recurringItems } from '../../db/tables/tables.ts';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { RecurringItem, RecurringItemDetails } from './schema.ts';

const own = '/coffer/recurring_items';
const root = '/v2/recurring_items';
type List<T> = Readonly<{ recurring_items: readonly T[] }>;

async function begin() {
  const client = await openBooks();
  const schedule = { granularity: 'month', quantity: 1, anchor_date: '2024-01-31' };
  const body = { transaction_criteria: { ...schedule, payee: 'someone', amount: 1.23 } };
  const { id } = await client.ok<RecurringItemDetails>('POST', own, body);
  return { ...client, id };
}

test('suggestions are listed on request, accepted and dismissed', async () => {
  const { book, ok, status: statusOf, refused, id } = await begin();
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
  const { made, send, id } = await begin();
  const url = `${root}/${id}`;
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
