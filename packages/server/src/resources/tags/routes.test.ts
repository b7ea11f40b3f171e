import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { changing } from '../../changes/changing.ts';
import { select } from '../../db/rows.ts';
import { transactions } from '../../db/tables.ts';
import { bookClient } from '../../http/testing/book-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import type { Tag } from './schema.ts';

test('tags are created, listed, found, updated and deleted, one version each', async () => {
  const made = await makeTestApp();
  const { send, refused, changes } = bookClient(made, made.ada);
  const fields = { name: 'Trip', description: 'd', text_color: '#333', background_color: null };
  const created = await send<Tag>('POST', '/v2/tags', { ...fields, archived: true });
  assert.equal(created.status, 201);
  const { id, created_at: at, archived_at } = created.body;
  const times = { created_at: at, updated_at: at, archived_at };
  assert.deepEqual(created.body, { id, ...fields, text_color: '333', archived: true, ...times });
  assert.equal(archived_at, at);
  const url = `/v2/tags/${id}`;
  const one = await send<Tag>('GET', url);
  assert.deepEqual(one.body, created.body);
  const sameName = { name: ' tRIP ', archived: false };
  const [taken] = await refused('POST', '/v2/tags', sameName);
  assert.equal(taken?.['errMsg'], "Tag with name ' tRIP ' already exists");
  await refused('PUT', url, { id, created_at: at });
  assert.equal((await send('PUT', url, one.body)).status, 200);
  assert.equal((await send('GET', url)).etag, one.etag);
  const updated = await send<Tag>('PUT', url, { ...one.body, ...sameName });
  assert.ok(updated.body.updated_at > at);
  const now = { ...sameName, archived_at: null, updated_at: updated.body.updated_at };
  assert.deepEqual(updated.body, { ...one.body, ...now });
  const other = await send<Tag>('POST', '/v2/tags', { name: 'b' });
  assert.deepEqual((await send('GET', '/v2/tags')).body, { tags: [updated.body, other.body] });
  assert.deepEqual(await changes(), ['createTag', 'updateTag', 'createTag']);
  const { book } = made.ada.identity;
  const tagged = { and: sql`id IN (1001, 1030)` };
  await made.engine.write(() =>
    changing({ bookId: book.id, actor: 'test', operation: 'tag' }, function* (change) {
      const rows = yield* select(transactions, { book_id: book.id }, tagged);
      yield* change.updateAll(transactions, rows, { tag_ids: `[${id},${other.body.id}]` });
    }),
  );
  const conditions = { payee: { operator: 'is', value: 'x' } };
  const rule = { name: 'R', conditions, actions: { tag_ids: [id] } };
  assert.equal((await send('POST', '/coffer/rules', rule)).status, 201);
  const dependents = { tag_name: ' tRIP ', dependents: { rules: 1, transactions: 2 } };
  const kept = await send('DELETE', url);
  assert.deepEqual([kept.status, kept.body], [422, dependents]);
  assert.equal((await bookClient(made, made.ben).send('DELETE', url)).status, 404);
  assert.equal((await send('DELETE', `${url}?force=true`)).status, 204);
  assert.equal((await send('GET', url)).status, 404);
  assert.deepEqual((await send('GET', '/coffer/rules')).body, { rules: [] });
  const left = await made.engine.read(() => select(transactions, { book_id: book.id }, tagged));
  for (const { tag_ids } of left) assert.equal(tag_ids, `[${other.body.id}]`);
  assert.deepEqual(await changes(), ['tag', 'createRule', 'deleteTag']);
});
