import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction, TransactionListResponse } from '../schema.ts';
import { openGroupingBook } from '../testing/grouping-book.ts';

const book = await openGroupingBook();
const { send, refused, changes, add, rows, balance, known } = book;
const { bread, food, tag, cash, card } = known;
const url = '/v2/transactions/group';
const fields = { date: '2024-05-02', payee: 'Day trip' };
await changes();

async function listed(): Promise<number[]> {
  const list = '/v2/transactions?start_date=2024-05-01';
  const { body } = await send<TransactionListResponse>('GET', list);
  return body.transactions.map(({ id }) => id);
}

test('a group is shown instead of its members, until it is deleted with its files', async () => {
  const shared = { category_id: bread.id };
  const ids = await add(
    { ...shared, manual_account_id: cash.id, amount: 25_000 },
    { ...shared, plaid_account_id: card.id, amount: -5000 },
  );
  const before = [await listed(), await balance()];
  assert.deepEqual(before, [ids.toReversed(), -25_000]);
  const [first] = await rows(...ids);
  await changes();
  const made = await send<Transaction>('POST', url, { ...fields, ids, tag_ids: [tag.id, tag.id] });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { children = [], ...group } = made.body;
  const { id, created_at } = group;
  assert.deepEqual(group, {
    ...{ id, ...fields, amount: '2.0000', currency: 'eur', to_base: 2, original_name: 'Day trip' },
    ...{ category_id: bread.id, notes: null, status: 'reviewed', tag_ids: [tag.id] },
    ...{ recurring_id: null, plaid_account_id: null, manual_account_id: null, external_id: null },
    ...{ is_pending: false, created_at, updated_at: created_at, source: 'api' },
    ...{ is_split_parent: false, split_parent_id: null },
    ...{ is_group_parent: true, group_parent_id: null },
    ...{ plaid_metadata: null, custom_metadata: null, files: [] },
  });
  assert.deepEqual(
    children.map((child) => [child.id, child.group_parent_id, child.manual_account_id]),
    [
      [ids[0], id, cash.id],
      [ids[1], id, null],
    ],
  );
  assert.deepEqual((await send('GET', `/v2/transactions/${id}`)).body, made.body);
  assert.deepEqual([await listed(), await balance()], [[id], -25_000]);
  await book.attach(id);
  const { status, body } = await send('DELETE', `${url}/${id}`);
  assert.deepEqual([status, body], [204, null]);
  assert.deepEqual([await listed(), await balance()], before);
  assert.deepEqual(await book.files(), []);
  assert.ok((await rows(ids[0]!))[0]!.updated_at > children[0]!.updated_at);
  assert.ok(children[0]!.updated_at > first!.updated_at);
  assert.equal((await send('DELETE', `${url}/${id}`)).status, 404);
  assert.deepEqual(await changes(), ['groupTransactions', 'test', 'ungroupTransactions']);
});

test('a group of several currencies is in that of the book, and has what the request sets', async () => {
  const dollars = { currency: 'usd', amount: 20_000, to_base: 18_000 };
  const ids = await add({ ...dollars, status: 'unreviewed' }, { category_id: bread.id });
  const { body } = await send<Transaction>('POST', url, { ...fields, ids });
  assert.deepEqual(
    [body.amount, body.currency, body.to_base, body.category_id, body.status],
    ['2.8000', 'eur', 2.8, null, 'unreviewed'],
  );
  const same = await add(dollars, { ...dollars, category_id: bread.id });
  const set = { notes: '', category_id: null, status: 'reviewed' };
  const second = await send<Transaction>('POST', url, { ...fields, ids: same, ...set });
  const { amount, currency, to_base, ...rest } = second.body;
  assert.deepEqual([amount, currency, to_base], ['4.0000', 'usd', 3.6]);
  assert.deepEqual([rest.notes, rest.category_id, rest.status], [null, null, 'reviewed']);
  const shared = await add({ category_id: bread.id }, { category_id: bread.id });
  const none = { ...fields, ids: shared, category_id: null };
  assert.equal((await send<Transaction>('POST', url, none)).body.category_id, null);
});

test('everything that cannot be grouped is reported at once', async () => {
  const [plain = 0, member = 0, part = 0, whole = 0, repeated = 0] = await add(
    ...[{}, {}, { amount: 20_000 }, {}, { recurring_id: 7 }],
  );
  const [other = 0] = await add({});
  const group = await send<Transaction>('POST', url, { ...fields, ids: [member, other] });
  const groupId = group.body.id;
  const halves = { child_transactions: [{ amount: 1 }, { amount: '1.0' }] };
  const split = await send<Transaction>('POST', `/v2/transactions/split/${part}`, halves);
  const child = split.body.children![0]!.id;
  const ids = [plain, 987_654, plain, groupId, member, part, child, repeated, 2001, 987_654, 0, -5];
  const category = { category_id: food.id, tag_ids: [tag.id, 55] };
  const errors = await refused('POST', url, { ...fields, ids, ...category });
  assert.deepEqual(
    errors.map(({ errMsg, ...keys }) => (assert.equal(typeof errMsg, 'string'), keys)),
    [
      { ids_index: 1, id: 987_654 },
      { ids_index: 2, transaction_id: plain, invalid_property: 'ids' },
      { ids_index: 3, id: groupId },
      { ids_index: 4, id: member, group_parent_id: groupId },
      { ids_index: 5, id: part },
      { ids_index: 6, id: child },
      { ids_index: 7, id: repeated },
      // A transaction of another book.
      { ids_index: 8, id: 2001 },
      { ids_index: 9, transaction_id: 987_654, invalid_property: 'ids' },
      { ids_index: 10, id: 0 },
      { ids_index: 11, id: -5 },
      {
        ...{ error: 'Invalid category ID', invalid_property: 'category_id' },
        ...{ category_id: food.id, category_group_name: 'Food' },
      },
      { error: 'Invalid tag ID', invalid_property: 'tag_ids', tag_ids_index: 1, tag_id: 55 },
    ],
  );
  const huge = await add({ amount: Number.MAX_SAFE_INTEGER }, {});
  const [sum] = await refused('POST', url, { ...fields, ids: huge });
  assert.equal(sum?.['invalid_property'], 'ids');
  const [notGroup] = await refused('DELETE', `${url}/${whole}`);
  assert.equal(notGroup?.['id'], whole);
  for (const path of [987_654, 2001, 0])
    assert.equal((await send('DELETE', `${url}/${path}`)).status, 404);
  for (const body of [
    null,
    {},
    { ...fields, ids: [] },
    { ...fields, ids: [plain] },
    { ...fields, ids: Array.from({ length: 501 }, (_, at) => at) },
    { ...fields, ids: [plain, `${whole}`] },
    { ...fields, ids: [plain, 1e300] },
    { ...fields, ids: [plain, whole], date: '2024-02-30' },
    { ...fields, ids: [plain, whole], payee: 'a\0' },
    { ...fields, ids: [plain, whole], notes: '\ud800' },
    { ...fields, ids: [plain, whole], status: 'delete_pending' },
    { ...fields, ids: [plain, whole], tags: [] },
    { ...fields, ids: [plain, whole], category_id: 1e300 },
  ])
    await refused('POST', url, body);
});
