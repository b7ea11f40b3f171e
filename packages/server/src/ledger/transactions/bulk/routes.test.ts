import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeWriteClient } from '../testing/write-client.ts';
import type { BulkOutcome } from './schema.ts';

const client = await makeWriteClient();
after(() => client.made.app.close());
const { scene } = client;
const bulk = '/coffer/transactions/bulk';
const preview = `${bulk}/preview`;

test('a request that is not valid is refused with all problems, and changes nothing', async () => {
  const missing = 999_999;
  const update = { category_id: scene.group, add_tag_ids: [missing], remove_tag_ids: [missing] };
  for (const url of [bulk, preview]) {
    const textsOf = async (query: string, body: object) =>
      (await client.refused('POST', `${url}?${query}`, body)).map(({ errMsg }) => errMsg);
    assert.deepEqual(await textsOf('', { update }), [
      `Category ID is a category group: ${scene.group}`,
      `Body property update/add_tag_ids/0 is not a tag of this book: ${missing}`,
      `Body property update/remove_tag_ids/0 is not a tag of this book: ${missing}`,
      `Body property update/remove_tag_ids/0 is also in add_tag_ids: ${missing}`,
    ]);
    assert.deepEqual(await textsOf('', { update: {} }), [
      'Body property update must have at least one property',
    ]);
    for (const body of [{}, { delete: false }, { delete: true, update: { payee: 'A' } }])
      assert.deepEqual(await textsOf('', body), ['Body must have either update or delete: true']);
    assert.deepEqual(await textsOf('min_amount=2&max_amount=1', { delete: true }), [
      'Query parameter min_amount must not be larger than max_amount "1", not "2"',
    ]);
    assert.equal((await textsOf('limit=0', { update: { status: 'delete_pending' } })).length, 2);
  }
});

test('a change is refused if the book is not as it was previewed', async () => {
  await client.insert({ date: '2026-02-01', amount: 5, payee: 'Bulk shop' });
  const url = `?payee=Bulk%20shop`;
  const body = { update: { category_id: scene.food } };
  const seen = (await client.send<BulkOutcome>('POST', `${preview}${url}`, body)).body;
  assert.deepEqual([seen.matched, seen.changed], [1, 1]);
  await client.insert({ date: '2026-02-02', amount: 5, payee: 'Bulk shop' });
  await client.changes();
  const asSeen = { ...body, version: seen.version };
  const refused = await client.send<{ errors: object[] }>('POST', `${bulk}${url}`, asSeen);
  assert.equal(refused.status, 409);
  assert.deepEqual(refused.body.errors, [
    {
      errMsg: `The book has changed since the preview: it has version ${seen.version + 1}, not ${seen.version}`,
      version: seen.version,
      current: seen.version + 1,
    },
  ]);
  assert.deepEqual(await client.changes(), []);
  const now = (await client.send<BulkOutcome>('POST', `${preview}${url}`, body)).body;
  const done = await client.send<BulkOutcome>('POST', `${bulk}${url}`, {
    ...body,
    version: now.version,
  });
  assert.deepEqual([done.status, done.body.changed], [200, 2]);
  assert.deepEqual(await client.changes(), ['changeTransactionsInBulk']);
});
