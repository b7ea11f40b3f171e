import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction, TransactionListResponse } from '../schema.ts';
import { openGroupingBook } from '../testing/grouping-book.ts';

const book = await openGroupingBook();
const { send, refused, changes, add, rows, balance, known } = book;
const { bread, food, tag, cash, card } = known;
const url = (id: number) => `/v2/transactions/split/${id}`;

async function listed(): Promise<number[]> {
  const list = '/v2/transactions?start_date=2024-05-01';
  const { body } = await send<TransactionListResponse>('GET', list);
  return body.transactions.map(({ id }) => id);
}

test('the parts are shown instead of the original, until they are deleted with their files', async () => {
  const values = { amount: 884_500, notes: 'N', original_name: 'SHOP 1', category_id: bread.id };
  const own = { external_id: 'x', tag_ids: `[${tag.id}]` };
  const [id = 0] = await add({ ...values, ...own, manual_account_id: cash.id });
  assert.equal(await balance(), -884_500);
  const before = (await rows(id))[0]!;
  await changes();
  const parts = [
    { amount: '44.23' },
    { amount: 44, payee: 'Penny', date: '2024-05-03', category_id: null, notes: '' },
    { amount: 0.22, notes: null, tag_ids: [tag.id, tag.id] },
  ];
  const made = await send<Transaction>('POST', url(id), { child_transactions: parts });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { children = [], updated_at, is_split_parent, amount, tag_ids } = made.body;
  assert.deepEqual([is_split_parent, amount, tag_ids], [true, '88.4500', [tag.id]]);
  assert.ok(updated_at > before.updated_at);
  const [first, second, third] = children;
  assert.deepEqual(first, {
    ...{ id: first?.id, date: '2024-05-01', amount: '44.2300', currency: 'eur', to_base: 44.23 },
    ...{ payee: 'Shop', original_name: 'SHOP 1', notes: 'N', category_id: bread.id },
    ...{ recurring_id: null, plaid_account_id: null, manual_account_id: cash.id },
    ...{ external_id: null, tag_ids: [], status: 'reviewed', is_pending: false },
    ...{ created_at: updated_at, updated_at, source: 'split' },
    ...{ is_split_parent: false, split_parent_id: id },
    ...{ is_group_parent: false, group_parent_id: null },
    ...{ plaid_metadata: null, custom_metadata: null, files: [] },
  });
  assert.deepEqual(
    [second?.payee, second?.date, second?.category_id, second?.notes],
    ['Penny', '2024-05-03', null, null],
  );
  assert.deepEqual([third?.amount, third?.notes, third?.tag_ids], ['0.2200', null, [tag.id]]);
  assert.deepEqual((await send('GET', `/v2/transactions/${id}`)).body, made.body);
  const shown = [second, third, first].map((part) => part!.id);
  assert.deepEqual([await listed(), await balance()], [shown, -884_500]);
  await book.attach(first.id);
  const kept = await book.attach(id);
  assert.equal((await send('DELETE', url(id))).status, 204);
  assert.deepEqual([await listed(), await balance()], [[id], -884_500]);
  assert.deepEqual(await book.files(), [kept]);
  const after = (await rows(id))[0]!;
  assert.ok(after.updated_at > updated_at);
  assert.deepEqual({ ...after, updated_at: '' }, { ...before, updated_at: '' });
  assert.deepEqual(await changes(), ['splitTransaction', 'test', 'test', 'unsplitTransaction']);
});

test('the parts total the original exactly in the currency of the book, whatever its sign', async () => {
  for (const [amount, to_base, shares] of [
    [30_000, 10_000, [3333, 3333, 3334]],
    [-30_000, -10_000, [-3333, -3333, -3334]],
    [3, 100, [33, 33, 34]],
    [30_000, 0, [0, 0, 0]],
  ] as const) {
    const account = { currency: 'usd', plaid_account_id: card.id, is_pending: true };
    const [id = 0] = await add({ amount, to_base, ...account });
    const part = { amount: (amount / 3 / 10_000).toFixed(4) };
    const body = { child_transactions: [part, part, part] };
    const { children = [] } = (await send<Transaction>('POST', url(id), body)).body;
    const stored = await rows(...children.map((child) => child.id));
    assert.deepEqual(
      stored.map((row) => row?.to_base),
      shares,
    );
    assert.ok(stored.every((row) => row?.plaid_account_id === card.id && row.is_pending));
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
  const [plain = 0, repeated = 0, a = 0, b = 0] = await add(...[{}, { recurring_id: 7 }, {}, {}]);
  const grouping = { ids: [a, b], date: '2024-05-01', payee: 'G' };
  const group = (await send<Transaction>('POST', '/v2/transactions/group', grouping)).body.id;
  const halves = { child_transactions: [{ amount: 0.5 }, { amount: '0.5' }] };
  const parent = (await add({}))[0]!;
  const split = await send<Transaction>('POST', url(parent), halves);
  const child = split.body.children![0]!.id;
  const keysOf = async (id: number, body: unknown) =>
    (await refused('POST', url(id), body)).map(
      ({ errMsg, ...keys }) => (assert.equal(typeof errMsg, 'string'), keys),
    );
  const two = { child_transactions: [{ amount: 1 }, { amount: 1 }] };
  assert.deepEqual(await keysOf(repeated, two), [{ id: repeated }, {}]);
  assert.deepEqual(await keysOf(group, two), [{}]);
  assert.deepEqual(await keysOf(a, two), [{ id: a, group_parent_id: group }, {}]);
  assert.deepEqual(await keysOf(parent, halves), [{}]);
  assert.deepEqual(await keysOf(child, halves), [{}, {}]);
  const [sum] = await refused('POST', url(plain), two);
  assert.deepEqual(sum, {
    errMsg: 'Sum of split transactions do not add up to the original transaction amount.',
  });
  const far = '9'.repeat(13);
  const invalid = { error: 'Invalid category ID', invalid_property: 'category_id' };
  const parts = [
    { amount: far, category_id: 899 },
    { amount: 1e300, category_id: food.id },
    { amount: '0.5', tag_ids: [tag.id, 66] },
  ];
  assert.deepEqual(await keysOf(plain, { child_transactions: parts }), [
    { child_transactions_index: 0, error: 'Invalid amount', invalid_property: 'amount' },
    { child_transactions_index: 1, error: 'Invalid amount', invalid_property: 'amount' },
    { child_transactions_index: 0, ...invalid, category_id: 899 },
    {
      ...{ child_transactions_index: 1, ...invalid },
      ...{ category_id: food.id, category_group_name: 'Food' },
    },
    {
      ...{ child_transactions_index: 2, error: 'Invalid tag ID', invalid_property: 'tag_ids' },
      ...{ tag_ids_index: 1, tag_id: 66 },
    },
  ]);
  const missing = await refused('POST', url(plain), { child_transactions: [{ payee: 'P' }, {}] });
  assert.deepEqual(
    missing.map(({ child_transactions_index, error, invalid_property }) => [
      ...[child_transactions_index, error, invalid_property],
    ]),
    [0, 1].map((index) => [index, 'Missing required property', 'amount']),
  );
  // In the currency of the book, the parts would be larger than any amount.
  const [rich = 0] = await add({ amount: 1, to_base: 1_000_000, currency: 'usd' });
  const over = [{ amount: '900000000000' }, { amount: '-899999999999.9999' }];
  assert.equal((await refused('POST', url(rich), { child_transactions: over })).length, 1);
  for (const id of [987_654, 2001]) {
    assert.equal((await send('POST', url(id), halves)).status, 404);
    assert.equal((await refused('DELETE', url(id)))[0]?.['id'], id);
  }
  for (const id of [plain, child, group])
    assert.equal((await refused('DELETE', url(id)))[0]?.['id'], id);
  const unknown = await send<{ message: string }>('DELETE', url(987_654));
  assert.equal(unknown.body.message, 'Not Found');
  for (const child_transactions of [
    null,
    [],
    [{ amount: 1 }],
    [{ amount: '1' }, { amount: '0.00000' }],
    [{ amount: 1 }, { amount: null }],
    [{ amount: 1 }, { amount: 0, date: '2024-02-30' }],
    [{ amount: 1 }, { amount: 0, payee: '\0' }],
    [{ amount: 1 }, { amount: 0, tag_ids: ['1'] }],
    [{ amount: 1 }, { amount: 0, currency: 'usd' }],
    Array.from({ length: 501 }, () => ({ amount: 0 })),
  ])
    await refused('POST', url(plain), { child_transactions });
});
