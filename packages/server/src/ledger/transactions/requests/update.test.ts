import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UpdatedTransactions } from './bodies.ts';
import type { Transaction } from '../schema.ts';
import { keysOf, makeWriteClient, type WriteClient } from '../testing/write-client.ts';
import { pick } from '../../../http/testing/pick.ts';

const url = '/v2/transactions';
const row = { date: '2026-03-01', amount: 10, payee: 'Shop' };

async function put(client: WriteClient, id: number, sent: object, query = '') {
  const path = `${url}/${id}${query}`;
  const { status, body } = await client.send<Transaction>('PUT', path, sent);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function putAll(client: WriteClient, ...transactions: readonly object[]) {
  const { status, body } = await client.send<UpdatedTransactions>('PUT', url, { transactions });
  assert.equal(status, 200, JSON.stringify(body));
  return body.transactions;
}

async function idsOf({ insert, changes }: WriteClient, ...rows: readonly object[]) {
  const { transactions } = await insert(...rows);
  await changes();
  return transactions.map(({ id }) => id);
}

test('an update merges, and each property is set and cleared', async () => {
  const client = await makeWriteClient();
  const { cash, bank, food, tagA, tagB } = client.scene;
  const [id = 0] = await idsOf(client, row);
  const before = (await client.send<Transaction>('GET', `${url}/${id}`)).body;
  let expected: Transaction = before;
  const set = async (body: object, changes: Partial<Transaction> = body) => {
    const after = await put(client, id, body);
    assert.ok(after.updated_at > expected.updated_at);
    expected = { ...expected, ...changes, updated_at: after.updated_at };
    assert.deepEqual(after, expected);
    assert.deepEqual((await client.send('GET', `${url}/${id}`)).body, expected);
  };
  await set({ category_id: food });
  await set({ date: '2026-04-01', payee: '', notes: 'n', status: 'reviewed' });
  await set({ amount: -0.5 }, { amount: '-0.5000', to_base: -0.5 });
  await set({ manual_account_id: cash, external_id: 'x', custom_metadata: { a: 1 } });
  await set({ tag_ids: [tagB, tagB] }, { tag_ids: [tagB] });
  await set({ additional_tag_ids: [tagB, tagA] }, { tag_ids: [tagB, tagA] });
  const noAccount = { manual_account_id: null, external_id: null };
  const toBank = { plaid_account_id: bank, external_id: '' };
  await set(toBank, { ...toBank, ...noAccount });
  await set({ plaid_account_id: null, tag_ids: [] });
  const cleared = { category_id: null, notes: '', custom_metadata: null };
  await set(cleared, { ...cleared, notes: null });
  // There is no rate of usd.
  await set({ currency: 'usd' }, { currency: 'usd', to_base: 0 });
  await set({ currency: 'usd' });
  await set(expected, {});
  assert.equal((await client.changes()).length, 12);
  assert.equal(expected.original_name, 'Shop');
});

test('system properties are ignored with any value, and alone are nothing to update', async () => {
  const client = await makeWriteClient();
  const [id = 0] = await idsOf(client, row);
  const names =
    'to_base is_pending original_name created_at source plaid_metadata files children ' +
    'is_split_parent split_parent_id is_group_parent group_parent_id';
  const wrong = names.split(' ').map((name, at) => [name, at] as const);
  const system = { ...Object.fromEntries(wrong), id: 'x', updated_at: [] };
  const [error] = await client.refused('PUT', `${url}/${id}`, system);
  assert.deepEqual(keysOf([error!]), [{ error: 'Nothing To Update', transaction_id: id }]);
  assert.match(String(error?.['errMsg']), /date, amount, .*additional_tag_ids, status/);
  assert.equal((await put(client, id, { ...system, notes: 'n' })).source, 'api');
  for (const body of [undefined, null, []])
    assert.equal((await client.refused('PUT', `${url}/${id}`, body)).length, 1);
  const unknown = { foo: 1, asset_id: 2 };
  assert.equal((await client.refused('PUT', `${url}/${id}`, unknown)).length, 2);
});

test('balances move with amount, account and status of the row, unless the request skips them', async () => {
  const client = await makeWriteClient();
  const { cash, card, bank } = client.scene;
  const balances = async () => [await client.balance(cash), await client.balance(card)];
  const eur = { ...row, manual_account_id: cash };
  const [id = 0] = await idsOf(client, eur);
  assert.deepEqual(await balances(), [-100_000, 0]);
  await put(client, id, { amount: 12 });
  assert.deepEqual(await balances(), [-120_000, 0]);
  await put(client, id, { manual_account_id: card });
  assert.deepEqual(await balances(), [0, 0], 'there is no rate from eur to usd');
  await put(client, id, { currency: 'usd' });
  assert.deepEqual(await balances(), [0, 120_000]);
  await put(client, id, { amount: 1 }, '?update_balance=false');
  assert.deepEqual(await balances(), [0, 120_000]);
  await put(client, id, { plaid_account_id: bank }, '?update_balance=true');
  assert.deepEqual(await balances(), [0, 110_000]);
  const ofCard = { id, manual_account_id: card, amount: 3 };
  await putAll(client, ofCard, { id, amount: 2, currency: 'usd' });
  assert.deepEqual(await balances(), [0, 130_000]);
  await client.refused('PUT', `${url}/${id}`, { amount: 5, update_balance: false });
  await client.mark([id, { is_pending: true }]);
  await put(client, id, { amount: 5, manual_account_id: cash, currency: 'eur' });
  assert.deepEqual(await balances(), [0, 130_000], 'a pending transaction moves no balance');
});

test('a bulk update returns whole objects in the order of the request, as one version', async () => {
  const client = await makeWriteClient();
  const { food, tagA } = client.scene;
  const [a = 0, b = 0, c = 0] = await idsOf(client, row, row, row);
  const whole = (await client.send<Transaction>('GET', `${url}/${b}`)).body;
  const after = await putAll(
    client,
    { id: c, category_id: food },
    { ...whole, notes: 'whole' },
    { id: a, payee: 'A', amount: '1.25', tag_ids: [tagA] },
    { id: c, notes: 'twice' },
  );
  assert.deepEqual(pick(after, 'id'), [c, b, a, c]);
  const [last, middle, first] = after;
  assert.deepEqual(last, after[3]);
  assert.deepEqual([last?.category_id, last?.notes], [food, 'twice']);
  assert.deepEqual(middle, { ...whole, notes: 'whole', updated_at: middle?.updated_at });
  assert.deepEqual(
    [first?.payee, first?.amount, first?.to_base, first?.tag_ids],
    ['A', '1.2500', 1.25, [tagA]],
  );
  assert.deepEqual(await client.changes(), ['updateTransactions']);
});

test('all problems of a bulk update are listed, and nothing is changed', async () => {
  const client = await makeWriteClient();
  const { scene, refused } = client;
  const { cash, bank, locked, group } = scene;
  const [a = 0, b = 0, c = 0, taken = 0] = await idsOf(client, row, row, row, {
    ...row,
    manual_account_id: cash,
    external_id: 'x',
  });
  await client.mark(
    [b, { plaid_account_id: locked, external_id: 'l' }],
    [c, { plaid_account_id: bank, is_pending: true }],
  );
  const errors = await refused('PUT', url, {
    transactions: [
      { id: 77, notes: 'n' },
      { id: a, category_id: group, manual_account_id: 88, tag_ids: [1e6], additional_tag_ids: [] },
      { id: b, payee: 'p', amount: 11, currency: 'usd', manual_account_id: cash, external_id: 'l' },
      { id: c, status: 'reviewed' },
      { id: a, plaid_account_id: locked, recurring_id: 99, status: 'delete_pending' },
      { id: a },
      { id: a, external_id: 'y', manual_account_id: null, plaid_account_id: null },
      { id: taken, additional_tag_ids: [-5], amount: 1e15 },
      { id: b, external_id: null },
    ],
  });
  const of = (transaction_index: number, error: string, invalid_property: string, rest = {}) => ({
    transaction_index,
    error,
    invalid_property,
    ...rest,
  });
  const lockedOf = (transaction_index: number, locked_property: string) => ({
    error: 'Transaction belongs to a locked Plaid account',
    id: b,
    transaction_index,
    locked_property,
  });
  const tag = { tag_id: 1e6, tag_ids_index: 0 };
  const named = { category_id: group, category_group_name: 'Group' };
  const added = { tag_id: -5, additional_tag_ids_index: 0 };
  assert.deepEqual(keysOf(errors), [
    of(0, 'Invalid Transaction ID', 'id', { transaction_id: 77 }),
    of(1, 'Invalid Tags', 'additional_tag_ids'),
    of(1, 'Invalid Category ID', 'category_id', named),
    of(1, 'Invalid Manual Account ID', 'manual_account_id', { manual_account_id: 88 }),
    of(1, 'Invalid Tag ID', 'tag_ids', tag),
    ...['amount', 'currency', 'manual_account_id', 'plaid_account_id'].map((name) =>
      lockedOf(2, name),
    ),
    of(3, 'Invalid Status', 'status', { status: 'reviewed' }),
    of(4, 'Invalid Plaid Account ID', 'plaid_account_id', { plaid_account_id: locked }),
    of(4, 'Invalid Recurring ID', 'recurring_id', { recurring_id: 99 }),
    of(4, 'Invalid Status', 'status', { status: 'delete_pending' }),
    { transaction_index: 5, error: 'Nothing To Update', transaction_id: a },
    of(6, 'Invalid External ID', 'external_id', { external_id: 'y' }),
    of(7, 'Invalid Amount', 'amount', { amount: 1e15 }),
    of(7, 'Invalid Tag ID', 'additional_tag_ids', added),
    lockedOf(8, 'external_id'),
  ]);
  // A whole object of a locked account may be sent back.
  const whole = (await client.send<Transaction>('GET', `${url}/${b}`)).body;
  assert.equal((await put(client, b, { ...whole, notes: 'n' })).notes, 'n');
});

test('external ids stay unique in their account, also while transactions exchange them', async () => {
  const client = await makeWriteClient();
  const { cash, card } = client.scene;
  const ofCash = { ...row, manual_account_id: cash };
  const rows = ['a', 'b', 'c', 'a'].map((external_id) => ({ ...ofCash, external_id }));
  rows[3]!.manual_account_id = card;
  const [a = 0, b = 0, c = 0, d = 0] = await idsOf(client, ...rows);
  const conflict = await client.refused('PUT', `${url}/${b}`, { external_id: 'a' });
  const error = 'Duplicate External ID';
  const keys = { error, invalid_property: 'external_id', external_id: 'a' };
  const existing = { ...keys, manual_account_id: cash, existing_transaction_id: a };
  assert.deepEqual(keysOf(conflict), [existing]);
  const two = [
    { id: c, notes: 'n' },
    { id: d, manual_account_id: cash },
  ] as const;
  const moved = await client.refused('PUT', url, { transactions: two });
  assert.deepEqual(keysOf(moved), [{ transaction_index: 1, ...existing }]);
  const twice = [
    { id: c, external_id: 'z' },
    { id: d, notes: '' },
    { id: b, external_id: 'z' },
  ];
  assert.deepEqual(keysOf(await client.refused('PUT', url, { transactions: twice })), [
    {
      error,
      transaction_property: 'external_id',
      external_id: 'z',
      transactions_indices: [0, 2],
    },
  ]);
  const exchanged = [a, b, c, d].map((id, at) => ({ id, external_id: 'bcaa'.charAt(at) }));
  const after = await putAll(client, ...exchanged);
  assert.deepEqual(pick(after, 'external_id'), ['b', 'c', 'a', 'a']);
  await put(client, a, { external_id: null });
  const freed = await put(client, d, { manual_account_id: cash, external_id: 'b' });
  assert.equal(freed.external_id, 'b');
  // An id that is kept without an account needs none.
  const kept = await put(client, d, { manual_account_id: null });
  assert.equal((await put(client, d, kept)).external_id, 'b');
});

test('split and grouped transactions are refused with what to do first', async () => {
  const client = await makeWriteClient();
  const [parent = 0, part = 0, group = 0, member = 0] = await idsOf(client, row, row, row, row);
  await client.mark(
    [parent, { is_split_parent: true }],
    [part, { split_parent_id: parent }],
    [group, { is_group_parent: true }],
    [member, { group_parent_id: group }],
  );
  const ids = [parent, part, group, member];
  const errors = await client.refused('PUT', url, {
    transactions: ids.map((id) => ({ id, notes: 'n' })),
  });
  const keys = { error: 'Split or Grouped Transaction', invalid_property: 'id' };
  const parents = [parent, parent, group, group];
  assert.deepEqual(
    keysOf(errors),
    ids.map((id, at) => ({
      transaction_index: at,
      ...keys,
      transaction_id: id,
      [at < 2 ? 'split_parent_id' : 'group_parent_id']: parents[at],
    })),
  );
  const hints = [`split/${parent}`, `group/${group}`];
  for (const [at, hint] of hints.entries())
    assert.ok(String(errors[2 * at + 1]?.['errMsg']).endsWith(`DELETE /v2/transactions/${hint}`));
  for (const id of ids) await client.refused('PUT', `${url}/${id}`, { notes: 'n' });
});

test('the text of a recurring item that is sent back as it is shown does not replace the own text', async () => {
  const client = await makeWriteClient();
  const [id = 0] = await idsOf(client, row);
  const own = { own_payee: 'Shop', own_notes: 'mine', own_category_id: client.scene.food };
  await client.mark([id, { recurring_id: 5, payee: 'Rent', notes: null, ...own }]);
  const whole = (await client.send<Transaction>('GET', `${url}/${id}`)).body;
  assert.equal((await put(client, id, { ...whole, status: 'reviewed' })).payee, 'Rent');
  const { own_payee, own_notes } = (await client.rowOf(id))!;
  assert.deepEqual([own_payee, own_notes], ['Shop', 'mine']);
  const unlinked = await put(client, id, { recurring_id: null, notes: 'new' });
  assert.deepEqual(
    [unlinked.payee, unlinked.notes, unlinked.category_id],
    ['Shop', 'new', client.scene.food],
  );
  assert.equal((await client.rowOf(id))?.own_payee, null);
});
