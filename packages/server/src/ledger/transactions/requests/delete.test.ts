import assert from 'node:assert/strict';
import { test } from 'node:test';
import { undo } from '../../../book/undo.ts';
import { bookClient, type RefusedProperty } from '../../../http/testing/book-client.ts';
import type { Transaction } from '../schema.ts';
import { keysOf, makeWriteClient } from '../testing/write-client.ts';

const url = '/v2/transactions';
const row = { date: '2026-03-01', amount: 10, payee: 'Shop' };

interface ErrorBody {
  readonly message: string;
  readonly errors: RefusedProperty[];
}

test('transactions are deleted with their files, and an undo restores everything', async () => {
  const client = await makeWriteClient();
  const { send, insert, change, changes, balance, scene, rowOf } = client;
  const rich = { ...row, manual_account_id: scene.cash, external_id: 'x', tag_ids: [scene.tagA] };
  const { transactions } = await insert(rich, row, { ...rich, external_id: 'y' });
  const [id = 0, plain = 0, other = 0] = transactions.map((each) => each.id);
  await client.attach(id);
  const before = await send<Transaction>('GET', `${url}/${id}`);
  assert.equal(before.body.files?.length, 1);
  await changes();
  const deleted = await send('DELETE', `${url}/${id}`);
  assert.deepEqual([deleted.status, deleted.body], [204, null]);
  assert.equal(await balance(scene.cash), -100_000);
  assert.equal((await send('GET', `${url}/${id}`)).status, 404);
  assert.equal((await send('DELETE', `${url}/${id}`)).status, 404);
  assert.deepEqual(await changes(), ['deleteTransactionById']);
  await change((change) => undo(change, change.version - 1));
  const restored = (await send<Transaction>('GET', `${url}/${id}`)).body;
  assert.deepEqual(restored, { ...before.body, updated_at: restored.updated_at });
  assert.equal(await balance(scene.cash), -200_000);
  await changes();
  assert.equal((await send('DELETE', url, { ids: [other, id] })).status, 204);
  assert.deepEqual(await changes(), ['deleteTransactions']);
  assert.equal(await balance(scene.cash), 0);
  assert.ok((await rowOf(plain)) !== undefined);
  assert.equal((await insert(rich)).skipped_duplicates.length, 0, 'the external id is free again');
});

test('repeated, unknown, split and grouped ids are refused, and nothing is deleted', async () => {
  const client = await makeWriteClient();
  const { send, insert, refused, made, rowOf } = client;
  const { transactions } = await insert(row, row, row, row);
  const [a = 0, b = 0, part = 0, member = 0] = transactions.map(({ id }) => id);
  const repeatedId = (transaction_id: number, ids_index: number) => ({
    transaction_id,
    ids_index,
    invalid_property: 'ids',
  });
  assert.deepEqual(keysOf(await refused('DELETE', url, { ids: [a, b, a, a] })), [
    ...[0, 2, 3].map((at) => repeatedId(a, at)),
  ]);
  const unknown = await send<ErrorBody>('DELETE', url, { ids: [a, 1e15, b, -1] });
  assert.deepEqual([unknown.status, unknown.body.message], [404, 'Request Validation Failure']);
  assert.deepEqual(keysOf(unknown.body.errors), [
    { ids_index: 1, id: 1e15 },
    { ids_index: 3, id: -1 },
  ]);
  const ben = await bookClient(made, made.ben).send<ErrorBody>('DELETE', url, { ids: [a] });
  assert.deepEqual([ben.status, keysOf(ben.body.errors)], [404, [{ ids_index: 0, id: a }]]);
  await client.mark(
    [a, { is_split_parent: true }],
    [part, { split_parent_id: a }],
    [b, { is_group_parent: true }],
    [member, { group_parent_id: b }],
  );
  const errors = await refused('DELETE', url, { ids: [a, part, b, member, 77] });
  assert.deepEqual(keysOf(errors), [
    { ...repeatedId(a, 0), split_parent_id: a },
    { ...repeatedId(part, 1), split_parent_id: a },
    { ...repeatedId(b, 2), group_parent_id: b },
    { ...repeatedId(member, 3), group_parent_id: b },
    { ids_index: 4, id: 77 },
  ]);
  const tooMany = Array.from({ length: 501 }, (_, at) => at);
  for (const ids of [[], tooMany]) assert.equal((await refused('DELETE', url, { ids })).length, 1);
  for (const id of [a, part, b, member]) {
    const [error] = await refused('DELETE', `${url}/${id}`);
    assert.match(
      String(error?.['errMsg']),
      /^The transaction \d+ is (split|grouped)\. Un(split|group)/,
    );
    assert.ok((await rowOf(id)) !== undefined);
  }
});
