import assert from 'node:assert/strict';
import { test } from 'node:test';
import { find } from '../../../db/rows.ts';
import { transactions } from '../../../db/tables.ts';
import { makeWriteClient } from '../testing/write-client.ts';
import type { TransactionRow } from '../writes.ts';

const client = await makeWriteClient();
const { send, rowOf, balance, changes, scene } = client;
const { cash, bank, locked, food, group, tagA, tagB } = scene;
const row = { date: '2026-01-05', amount: '10', currency: 'eur', payee: 'Shop' };
const path = (id: number) => `/v1/transactions/${id}`;

async function insert(values: object = {}): Promise<number> {
  return (await client.insert({ ...row, ...values })).transactions[0]!.id;
}

/** Changes a transaction and returns its row. */
async function put(id: number, transaction: object, others: object = {}): Promise<TransactionRow> {
  const { status, body } = await send('PUT', path(id), { transaction, ...others });
  assert.deepEqual([status, body], [200, { updated: true }], JSON.stringify(body));
  return (await rowOf(id))!;
}

/** Returns the problems of a request that is refused without a change. */
async function refused(id: number, body: object): Promise<unknown> {
  await changes();
  const response = await send<{ error: unknown }>('PUT', path(id), body);
  assert.equal(response.status, 404, JSON.stringify(response.body));
  assert.deepEqual(Object.keys(response.body), ['error']);
  assert.deepEqual(await changes(), []);
  return response.body.error;
}

test('values that are given replace those before, and null is no value', async () => {
  const id = await insert({ manual_account_id: cash, external_id: 'x', notes: 'N' });
  const before = (await rowOf(id))!;
  const others = { asset_id: null, plaid_account_id: null, recurring_id: null, external_id: null };
  const nulls = { ...others, date: null, payee: null, notes: null, amount: null, status: null };
  assert.deepEqual(await put(id, nulls), before);
  const sent = { id, ...others, payee: 'P', date: '2026-02-03T10:00:00Z', notes: '', tags: ['b'] };
  const more = { category_id: food, status: 'cleared', currency: 'usd', is_group: false };
  const after = await put(id, { ...sent, ...more });
  assert.deepEqual(after, {
    ...{ ...before, updated_at: after.updated_at, to_base: after.to_base },
    ...{ payee: 'P', date: '2026-02-03', notes: null, tag_ids: `[${tagB}]` },
    ...{ category_id: food, status: 'reviewed', currency: 'usd' },
  });
  const cleared = await put(id, { category_id: null, tags: null });
  assert.deepEqual([cleared.category_id, cleared.tag_ids], [null, '[]']);
});

test('amounts get the sign, and balances move only if the request says so', async () => {
  const id = await insert({ manual_account_id: cash });
  const before = (await balance(cash))!;
  const negated = { debit_as_negative: true };
  assert.equal((await put(id, { amount: -12.345_67 }, negated)).amount, 123_457);
  assert.equal(await balance(cash), before);
  await put(id, { amount: '13.3457' }, { skip_balance_update: false });
  assert.equal(await balance(cash), before - 10_000);
});

test('what cannot be changed is refused with the documented texts', async () => {
  const missing = "This transaction doesn't exist or you don't have access to it.";
  assert.deepEqual(await refused(999_999, { transaction: { notes: 'x' } }), [missing]);
  const id = await insert();
  for (const body of [{}, { transaction: null }, { transaction: { id, foo: 1 } }, { notes: 'x' }])
    assert.deepEqual(await refused(id, body), ['No valid fields to update for this transaction.']);
  const wrong = { date: 'x', amount: 'x', status: 'pending', currency: 'zzz' };
  assert.deepEqual(await refused(id, { transaction: wrong, split: [{ amount: 'y' }] }), [
    'Date must be in format YYYY-MM-DD: x',
    'Amount must be a number: x',
    'Currency is not supported: zzz',
    'Status must be either cleared or uncleared: pending',
    'Split 0 amount must be a number: y',
  ]);
  const unknown = { category_id: group, asset_id: 999_999, tags: [999_999], amount: 'z' };
  assert.deepEqual(await refused(id, { transaction: unknown }), [
    'Amount must be a number: z',
    `Category ID is a category group: ${group}`,
    'Manual account ID does not exist: 999999',
    'Tag_ids[0] ID does not exist: 999999',
  ]);
});

test('rows of synced accounts are locked unless their account allows changes', async () => {
  const id = await insert({ plaid_account_id: bank });
  assert.equal((await put(id, { amount: 11 })).amount, 110_000);
  await client.change(function* (change) {
    const before = yield* find(transactions, { book_id: change.bookId, id });
    yield* change.update(transactions, before!, { plaid_account_id: locked });
  });
  const transaction = { amount: 12, currency: 'usd', asset_id: cash, external_id: 'e' };
  const end = 'for this transaction because it was automatically imported.';
  assert.deepEqual(await refused(id, { transaction }), [
    `You cannot change the amount ${end}`,
    `You cannot change the currency ${end}`,
    `You cannot assign an asset_id ${end}`,
    `You cannot assign an external_id ${end}`,
  ]);
  const full = { amount: '11.0000', currency: 'eur', asset_id: null, external_id: null };
  assert.equal((await put(id, { ...full, notes: 'N', tags: [tagA] })).notes, 'N');
});
