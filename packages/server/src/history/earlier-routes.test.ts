import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sql from 'sql-template-tag';
import { run } from '../db/engine.ts';
import { bookClient, type RefusedProperty } from '../http/testing/book-client.ts';
import { makeTestApp } from '../http/testing/test-app.ts';

interface Page {
  readonly transactions: readonly { readonly id: number; readonly payee: string }[];
  readonly has_more: boolean;
  readonly total?: number;
}

const testApp = await makeTestApp();
after(() => testApp.app.close());
const { engine, clock, ada } = testApp;
const client = bookClient(testApp, ada);
const { version: first, id: bookId } = ada.identity.book;
const start = new Date(clock.wallMs()).toISOString();
const list = '/coffer/transactions';

// One change a day; the last one deletes the transaction.
for (const payee of ['One', 'Two', null]) {
  clock.advance(86_400_000);
  if (payee === null) await client.send('DELETE', '/v2/transactions/1030');
  else await client.send('PUT', '/v2/transactions/1030', { payee });
}

async function newest(asOf: string): Promise<string> {
  const { status, body } = await client.send<Page>('GET', `${list}?limit=1&as_of=${asOf}`);
  assert.equal(status, 200, JSON.stringify(body));
  const [row] = body.transactions;
  return row === undefined ? 'nothing' : `${row.id} ${row.payee}`;
}

test('as_of is a version, a time, or a day until its end in UTC', async () => {
  const day = (count: number): string =>
    new Date(Date.parse(start) + count * 86_400_000).toISOString();
  const at = (count: number, length = 24): string => day(count).slice(0, length);
  for (const [asOf, expected] of [
    [String(first), '1030 Someone'],
    [String(first + 1), '1030 One'],
    [String(first + 2), '1030 Two'],
    [String(first + 3), '1029 Someone'],
    ['0', 'nothing'],
    ['0001-01-01', 'nothing'],
    [at(1), '1030 One'],
    [at(1).replace('Z', '%2B01:00'), '1030 Someone'],
    [at(1, 10), '1030 One'],
    [at(2, 10), '1030 Two'],
    ['9999-12-31', '1029 Someone'],
  ] as const)
    assert.equal(await newest(asOf), expected, asOf);
  const present = await client.send<Page>('GET', '/v2/transactions?limit=2');
  const { total, ...page } = (await client.send<Page>('GET', `${list}?limit=2`)).body;
  assert.deepEqual(page, present.body);
  assert.equal(total, 29);
});

test('a deleted transaction is found as it was, and pages go on', async () => {
  const one = `${list}/1030`;
  const found = await client.send<object>('GET', `${one}?as_of=${first + 1}`);
  assert.partialDeepStrictEqual(found.body, { id: 1030, payee: 'One', files: [] });
  assert.equal((await client.send('GET', one)).status, 404);
  assert.equal((await client.send('GET', `${one}?as_of=0`)).status, 404);
  const ids: number[] = [];
  for (let offset = 0; ; offset += 7) {
    const url = `${list}?as_of=${first}&limit=7&offset=${offset}`;
    const { body } = await client.send<Page>('GET', url);
    ids.push(...body.transactions.map(({ id }) => id));
    if (!body.has_more) break;
  }
  assert.deepEqual(
    ids,
    Array.from({ length: 30 }, (_, at) => 1030 - at),
  );
});

test('a version that the book does not have is refused, and so is any other text', async () => {
  const [error] = await client.refused('GET', `${list}?as_of=${first + 4}`);
  const errMsg = `The book has no version ${first + 4} yet: the present one is ${first + 3}`;
  assert.partialDeepStrictEqual(error, { errMsg, current_version: first + 3 });
  for (const text of ['-1', '01', '1.0', 'yesterday', '2024-02-30', '9'.repeat(17), '%00', ''])
    assert.equal((await client.refused('GET', `${list}?as_of=${text}`)).length, 1, text);
});

test('after very many changes, they are read before the page, once for all pages', async (t) => {
  const insert = sql`INSERT INTO changed_records
    WITH RECURSIVE places (place) AS (SELECT 100 UNION ALL SELECT place + 1 FROM places WHERE place < 10100)
    SELECT ${bookId}, ${first + 3}, place, 'tags', place, place, 'changed', '{}', 1 FROM places`;
  await engine.write(() => run(insert));
  const stream = t.mock.method(engine, 'stream');
  for (const offset of [0, 10, 20]) {
    const url = `${list}?as_of=2&limit=10&offset=${offset}&status=reviewed`;
    const { body } = await client.send<Page>('GET', url);
    assert.deepEqual([body.transactions[0]?.id, body.has_more], [1030 - offset, offset < 20]);
  }
  assert.equal(stream.mock.callCount(), 1);
});

test('a version or a time whose changes were pruned is refused with 410', async () => {
  const pruned = first + 1;
  await engine.write(function* () {
    yield* run(sql`UPDATE books SET pruned_version = ${pruned} WHERE id = ${bookId}`);
    yield* run(sql`DELETE FROM changes WHERE book_id = ${bookId} AND version <= ${pruned}`);
  });
  assert.equal(await newest(String(pruned)), '1030 One');
  for (const asOf of [String(first), '0', start, start.slice(0, 10)]) {
    const url = `${list}?as_of=${asOf}`;
    const { status, body } = await client.send<{ errors: RefusedProperty[] }>('GET', url);
    assert.equal(status, 410);
    assert.equal(body.errors[0]!['oldest_version'], pruned);
  }
});
