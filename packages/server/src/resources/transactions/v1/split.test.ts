import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWriteClient } from '../testing/write-client.ts';

const client = await makeWriteClient();
const { send, rowOf, balance, changes, scene } = client;
const { cash, food, tagA } = scene;
const row = { date: '2026-01-05', amount: '10', currency: 'eur', payee: 'Shop' };
const path = (id: number) => `/v1/transactions/${id}`;
const sums = 'Sums of split transaction do not add up to the original transaction amount!';

async function insert(values: object = {}): Promise<number> {
  return (await client.insert({ ...row, ...values })).transactions[0]!.id;
}

/** Splits a transaction and returns the ids of its parts. */
async function split(id: number, body: object): Promise<number[]> {
  const response = await send<{ split: number[] }>('PUT', path(id), body);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  const { split: ids } = response.body;
  assert.deepEqual(response.body, { updated: true, split: ids });
  return ids;
}

async function refused(method: string, url: string, body: object): Promise<unknown> {
  await changes();
  const response = await send<{ error: unknown }>(method, url, body);
  assert.equal(response.status, 404, JSON.stringify(response.body));
  assert.deepEqual(await changes(), []);
  return response.body.error;
}

const unsplit = (body: object) => send('POST', '/v1/transactions/unsplit', body);

test('parts have the values of the transaction where theirs are absent or null', async () => {
  const own = { notes: 'N', category_id: food, tag_ids: [tagA], manual_account_id: cash };
  const id = await insert(own);
  const nulls = { payee: null, date: null, category_id: null, notes: null };
  const sent = { payee: 'Bread', date: '2026-01-06', notes: 'M', id: 5, status: 'cleared' };
  const [first = 0, second = 0] = await split(id, {
    ...{
      split: [
        { amount: '-4.0000', ...nulls },
        { amount: -6, ...sent },
      ],
      transaction: null,
    },
    debit_as_negative: true,
  });
  const [one, other] = [(await rowOf(first))!, (await rowOf(second))!];
  assert.deepEqual(
    [one.amount, one.payee, one.date, one.notes, one.category_id, one.tag_ids],
    [40_000, 'Shop', '2026-01-05', 'N', food, '[]'],
  );
  assert.deepEqual(
    [other.amount, other.payee, other.date, other.notes, other.manual_account_id],
    [60_000, 'Bread', '2026-01-06', 'M', cash],
  );
  assert.deepEqual([one.split_parent_id, (await rowOf(id))!.is_split_parent], [id, true]);
});

test('the sum is that of the stored amount, also if the request changes it', async () => {
  const id = await insert({ manual_account_id: cash });
  for (const parts of [[{ amount: 9.9999 }], [{ amount: 4 }, { amount: 5 }]])
    assert.deepEqual(await refused('PUT', path(id), { split: parts }), [sums]);
  const changed = { transaction: { amount: 5, payee: 'New' }, split: [{ amount: 5 }] };
  assert.deepEqual(await refused('PUT', path(id), changed), [sums]);
  const ids = await split(id, { ...changed, split: [{ amount: 8 }, { amount: 2 }] });
  const rows = await Promise.all([id, ...ids].map(rowOf));
  assert.deepEqual(
    rows.map((each) => [each!.amount, each!.payee]),
    [
      [50_000, 'New'],
      [80_000, 'New'],
      [-30_000, 'New'],
    ],
  );
  assert.deepEqual(await refused('PUT', path(id), { split: [{ amount: 5 }] }), [
    'You cannot split an already split transaction. Unsplit it before splitting again.',
  ]);
});

test('unsplit deletes the parts of all transactions or of none', async () => {
  const [one, two, plain] = [await insert(), await insert(), await insert()];
  const parts = { split: [{ amount: 4 }, { amount: 6 }] };
  const [ofOne, ofTwo] = [await split(one, parts), await split(two, parts)];
  const ids = [one, plain, 999_999, ofTwo[0]];
  assert.equal(
    await refused('POST', '/v1/transactions/unsplit', { parent_ids: ids }),
    `The following transaction ids are not valid to unsplit: ${ids.slice(1).join(', ')}`,
  );
  const kept = await unsplit({ parent_ids: [one, one] });
  assert.deepEqual([kept.status, kept.body], [200, ofOne]);
  assert.deepEqual(
    [(await rowOf(one))!.is_split_parent, await rowOf(ofOne[0]!)],
    [false, undefined],
  );
  const removed = await unsplit({ parent_ids: [two], remove_parents: true });
  assert.deepEqual([removed.status, removed.body], [200, [...ofTwo, two]]);
  assert.equal(await rowOf(two), undefined);
});

test('a transaction is deleted as clients of v1 do it, and an undo of each step restores it', async () => {
  const id = await insert({ manual_account_id: cash, tag_ids: [tagA] });
  const before = [await rowOf(id), await balance(cash)] as const;
  const deleted = { category_id: food, date: '2026-02-01', notes: 'Deleted', payee: 'Deleted' };
  const transaction = { id, amount: 0, currency: 'eur', status: 'cleared', ...deleted };
  await send('PUT', path(id), { transaction, skip_balance_update: false });
  const ids = await split(id, { split: [{ amount: 0, ...deleted }], transaction: null });
  const { status, body } = await unsplit({ parent_ids: [id], remove_parents: true });
  assert.deepEqual([status, body], [200, [...ids, id]]);
  assert.deepEqual([await rowOf(id), await rowOf(ids[0]!)], [undefined, undefined]);
  assert.equal(await balance(cash), before[1]! + 100_000);
  for (const undone of ['unsplit', 'split', 'update'])
    assert.equal((await send('POST', '/coffer/undo')).status, 200, undone);
  const { updated_at } = before[0]!;
  const after = [{ ...(await rowOf(id))!, updated_at }, await balance(cash)];
  assert.deepEqual(after, before);
});
