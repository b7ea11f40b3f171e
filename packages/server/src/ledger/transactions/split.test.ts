import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { select } from '../../db/rows.ts';
import { transactionFiles } from '../../db/tables/tables.ts';
import type { Transaction, TransactionListResponse } from './schema.ts';
import { keysOf, makeWriteClient } from './testing/write-client.ts';

const client = await makeWriteClient();
const { made, send, refused, changes, add, rowOf, scene } = client;
after(() => made.app.close());
const { cash, bank, food, group: categoryGroup, tagA } = scene;
const url = (id: number) => `/v2/transactions/split/${id}`;

/** The listed transactions of the test, and the balance of the account. */
async function shown(): Promise<unknown[]> {
  const list = '/v2/transactions?start_date=2024-05-01';
  const { body } = await send<TransactionListResponse>('GET', list);
  return [body.transactions.map(({ id }) => id), await client.balance(cash)];
}

test('the parts are shown instead of the original, until they are deleted with their files', async () => {
  const values = { amount: 884_500, notes: 'N', original_name: 'SHOP 1', category_id: food };
  const own = { external_id: 'x', tag_ids: `[${tagA}]`, manual_account_id: cash };
  const [id = 0] = await add({ ...values, ...own });
  const [before, balance] = [(await rowOf(id))!, await client.balance(cash)];
  await changes();
  const parts = [
    { amount: '44.23' },
    { amount: 44, payee: 'Penny', date: '2024-05-03', category_id: null, notes: '' },
    { amount: 0.22, notes: null, tag_ids: [tagA, tagA] },
  ];
  const created = await send<Transaction>('POST', url(id), { child_transactions: parts });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { children = [], updated_at, ...whole } = created.body;
  assert.deepEqual([whole.is_split_parent, whole.amount, whole.tag_ids], [true, '88.4500', [tagA]]);
  assert.ok(updated_at > before.updated_at);
  const [first, second, third] = children;
  assert.deepEqual(first, {
    ...whole,
    id: first?.id,
    amount: '44.2300',
    to_base: 44.23,
    source: 'split',
    external_id: null,
    tag_ids: [],
    created_at: updated_at,
    updated_at,
    is_split_parent: false,
    split_parent_id: id,
    files: [],
  });
  assert.deepEqual(
    [second?.payee, second?.date, second?.category_id, second?.notes],
    ['Penny', '2024-05-03', null, null],
  );
  assert.deepEqual([third?.amount, third?.notes, third?.tag_ids], ['0.2200', null, [tagA]]);
  assert.deepEqual((await send('GET', `/v2/transactions/${id}`)).body, created.body);
  assert.deepEqual(await shown(), [[second, third, first].map((part) => part!.id), balance]);
  await client.attach(first.id);
  const kept = await client.attach(id);
  assert.equal((await send('DELETE', url(id))).status, 204);
  assert.deepEqual(await shown(), [[id], balance]);
  const { id: book_id } = made.ada.identity.book;
  assert.deepEqual(await made.engine.read(() => select(transactionFiles, { book_id })), [kept]);
  const after = (await rowOf(id))!;
  assert.ok(after.updated_at > updated_at);
  assert.deepEqual({ ...after, updated_at: '' }, { ...before, updated_at: '' });
  assert.deepEqual(await changes(), ['splitTransaction', 'test', 'test', 'unsplitTransaction']);
});

test('the parts total the original exactly in the currency of the book, whatever its sign', async () => {
  const account = { currency: 'usd', plaid_account_id: bank, is_pending: true };
  for (const [amount, to_base, shares] of [
    [30_000, 10_000, [3333, 3333, 3334]],
    [-30_000, -10_000, [-3333, -3333, -3334]],
    [3, 100, [33, 33, 34]],
    [30_000, 0, [0, 0, 0]],
  ] as const) {
    const [id = 0] = await add({ amount, to_base, ...account });
    const part = { amount: (amount / 3 / 10_000).toFixed(4) };
    const body = { child_transactions: [part, part, part] };
    const { children = [] } = (await send<Transaction>('POST', url(id), body)).body;
    const stored = await Promise.all(children.map((child) => rowOf(child.id)));
    assert.deepEqual(
      stored.map((row) => row?.to_base),
      shares,
    );
    assert.ok(stored.every((row) => row?.plaid_account_id === bank && row.is_pending));
  }
  const [zero = 0] = await add({ amount: 0 });
  const back = { child_transactions: [{ amount: 5 }, { amount: -5 }] };
  const { body } = await send<Transaction>('POST', url(zero), back);
  assert.deepEqual(
    body.children?.map((child) => child.to_base),
    [5, -5],
  );
});

test('everything that cannot be split is reported at once', async () => {
  const [plain = 0, repeated = 0, a = 0, b = 0, parent = 0, rich = 0] = await add(
    {},
    { recurring_id: 7 },
    {},
    {},
    {},
    { amount: 1, to_base: 1_000_000, currency: 'usd' },
  );
  const grouping = { ids: [a, b], date: '2024-05-01', payee: 'G' };
  const group = (await send<Transaction>('POST', '/v2/transactions/group', grouping)).body.id;
  const halves = { child_transactions: [{ amount: 0.5 }, { amount: '0.5' }] };
  const split = await send<Transaction>('POST', url(parent), halves);
  const child = split.body.children![0]!.id;
  const problemsOf = async (id: number, body: unknown) =>
    keysOf(await refused('POST', url(id), body));
  const two = { child_transactions: [{ amount: 1 }, { amount: 1 }] };
  assert.deepEqual(await problemsOf(repeated, two), [{ id: repeated }, {}]);
  assert.deepEqual(await problemsOf(group, two), [{}]);
  assert.deepEqual(await problemsOf(a, two), [{ id: a, group_parent_id: group }, {}]);
  assert.deepEqual(await problemsOf(parent, halves), [{}]);
  assert.deepEqual(await problemsOf(child, halves), [{}, {}]);
  const [sum] = await refused('POST', url(plain), two);
  assert.deepEqual(sum, {
    errMsg: 'Sum of split transactions do not add up to the original transaction amount.',
  });
  const invalid = { error: 'Invalid category ID', invalid_property: 'category_id' };
  const amount = { error: 'Invalid amount', invalid_property: 'amount' };
  const parts = [
    { amount: '9'.repeat(13), category_id: 899 },
    { amount: 1e300, category_id: categoryGroup },
    { amount: '0.5', tag_ids: [tagA, 66] },
  ];
  const named = { category_id: categoryGroup, category_group_name: 'Group' };
  const tag = {
    error: 'Invalid tag ID',
    invalid_property: 'tag_ids',
    tag_ids_index: 1,
    tag_id: 66,
  };
  assert.deepEqual(await problemsOf(plain, { child_transactions: parts }), [
    { child_transactions_index: 0, ...amount },
    { child_transactions_index: 1, ...amount },
    { child_transactions_index: 0, ...invalid, category_id: 899 },
    { child_transactions_index: 1, ...invalid, ...named },
    { child_transactions_index: 2, ...tag },
  ]);
  const missing = await problemsOf(plain, { child_transactions: [{ payee: 'P' }, {}] });
  assert.partialDeepStrictEqual(
    missing,
    [0, 1].map((index) => ({
      child_transactions_index: index,
      error: 'Missing required property',
      invalid_property: 'amount',
    })),
  );
  // In the currency of the book, the parts would be larger than any amount.
  const over = [{ amount: '900000000000' }, { amount: '-899999999999.9999' }];
  assert.equal((await problemsOf(rich, { child_transactions: over })).length, 1);
  for (const id of [987_654, 2001]) assert.equal((await send('POST', url(id), halves)).status, 404);
  for (const id of [987_654, 2001, plain, child, group])
    assert.equal((await refused('DELETE', url(id)))[0]?.['id'], id);
  const unknown = await send<{ message: string }>('DELETE', url(987_654));
  assert.equal(unknown.body.message, 'Not Found');
  const tooMany = Array.from({ length: 501 }, () => ({ amount: 0 }));
  for (const child_transactions of [[], [{ amount: 1 }], tooMany])
    await refused('POST', url(plain), { child_transactions });
});
