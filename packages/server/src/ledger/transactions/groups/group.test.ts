import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { select } from '../../../db/rows.ts';
import { transactionFiles } from '../../../db/tables/tables.ts';
import type { Transaction, TransactionListResponse } from '../schema.ts';
import { keysOf, makeWriteClient } from '../testing/write-client.ts';
import type { NewTransaction } from '../writes.ts';
import { pick } from '../../../http/testing/pick.ts';

const client = await makeWriteClient();
const { made, send, refused, changes, add, rowOf, scene } = client;
after(() => made.app.close());
const { cash, bank, food, group: categoryGroup, tagA } = scene;
const url = '/v2/transactions/group';
const fields = { date: '2024-05-02', payee: 'Day trip' };

/** The listed transactions of the test, and the balance of the account. */
async function shown(): Promise<unknown[]> {
  const list = '/v2/transactions?start_date=2024-05-01';
  const { body } = await send<TransactionListResponse>('GET', list);
  return [body.transactions.map(({ id }) => id), await client.balance(cash)];
}

test('a group is shown instead of its members, until it is deleted with its files', async () => {
  const shared = { category_id: food };
  const ids = await add(
    { ...shared, manual_account_id: cash, amount: 25_000 },
    { ...shared, plaid_account_id: bank, amount: -5000 },
  );
  const before = await shown();
  assert.deepEqual(before, [ids.toReversed(), -25_000]);
  const first = (await rowOf(ids[0]!))!;
  await changes();
  const created = await send<Transaction>('POST', url, { ...fields, ids, tag_ids: [tagA, tagA] });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { children = [], ...group } = created.body;
  const { id, created_at } = group;
  const { category_id, tag_ids, amount, currency, to_base, original_name, source, status } = group;
  assert.deepEqual(
    [category_id, tag_ids, amount, currency, to_base, original_name, source, status],
    [food, [tagA], '2.0000', 'eur', 2, 'Day trip', 'api', 'reviewed'],
  );
  const { manual_account_id, plaid_account_id, is_group_parent, group_parent_id, files } = group;
  assert.deepEqual(
    [manual_account_id, plaid_account_id, is_group_parent, group_parent_id, files, group.notes],
    [null, null, true, null, [], null],
  );
  assert.equal(group.updated_at, created_at);
  assert.deepEqual(pick(children, 'id', 'group_parent_id', 'manual_account_id'), [
    [ids[0], id, cash],
    [ids[1], id, null],
  ]);
  assert.deepEqual((await send('GET', `/v2/transactions/${id}`)).body, created.body);
  assert.deepEqual(await shown(), [[id], before[1]]);
  await client.attach(id);
  const deleted = await send('DELETE', `${url}/${id}`);
  assert.deepEqual([deleted.status, deleted.body], [204, null]);
  assert.deepEqual(await shown(), before);
  const { id: book_id } = made.ada.identity.book;
  assert.deepEqual(await made.engine.read(() => select(transactionFiles, { book_id })), []);
  const times = [first, children[0]!, (await rowOf(ids[0]!))!].map((row) => row.updated_at);
  assert.deepEqual([...new Set(times)].toSorted(), times);
  assert.equal((await send('DELETE', `${url}/${id}`)).status, 404);
  assert.deepEqual(await changes(), ['groupTransactions', 'test', 'ungroupTransactions']);
});

test('a group of several currencies is in that of the book, and has what the request sets', async () => {
  const dollars = { currency: 'usd', amount: 20_000, to_base: 18_000 };
  const inFood = { category_id: food };
  const valuesOf = async (rows: readonly Partial<NewTransaction>[], set = {}) => {
    const { body } = await send<Transaction>('POST', url, {
      ...fields,
      ids: await add(...rows),
      ...set,
    });
    const { amount, currency, to_base, category_id, status, notes } = body;
    return [amount, currency, to_base, category_id, status, notes];
  };
  assert.deepEqual(await valuesOf([{ ...dollars, status: 'unreviewed' }, inFood]), [
    '2.8000',
    'eur',
    2.8,
    null,
    'unreviewed',
    null,
  ]);
  assert.deepEqual(
    await valuesOf([dollars, { ...dollars, ...inFood }], { notes: '', status: 'unreviewed' }),
    ['4.0000', 'usd', 3.6, null, 'unreviewed', null],
  );
  const none = await valuesOf([inFood, inFood], { category_id: null, notes: 'N' });
  assert.deepEqual(none, ['2.0000', 'eur', 2, null, 'reviewed', 'N']);
});

test('everything that cannot be grouped is reported at once', async () => {
  const [plain = 0, member = 0, other = 0, part = 0, whole = 0, repeated = 0] = await add(
    {},
    {},
    {},
    { amount: 20_000 },
    {},
    { recurring_id: 7 },
  );
  const group = await send<Transaction>('POST', url, { ...fields, ids: [member, other] });
  const groupId = group.body.id;
  const halves = { child_transactions: [{ amount: 1 }, { amount: '1.0' }] };
  const split = await send<Transaction>('POST', `/v2/transactions/split/${part}`, halves);
  const child = split.body.children![0]!.id;
  const ids = [plain, 987_654, plain, groupId, member, part, child, repeated, 2001, 987_654, 0, -5];
  const category = { category_id: categoryGroup, tag_ids: [tagA, 55] };
  assert.deepEqual(keysOf(await refused('POST', url, { ...fields, ids, ...category })), [
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
      error: 'Invalid category ID',
      invalid_property: 'category_id',
      category_id: categoryGroup,
      category_group_name: 'Group',
    },
    { error: 'Invalid tag ID', invalid_property: 'tag_ids', tag_ids_index: 1, tag_id: 55 },
  ]);
  const huge = await add({ amount: Number.MAX_SAFE_INTEGER }, {});
  const [sum] = await refused('POST', url, { ...fields, ids: huge });
  assert.equal(sum?.['invalid_property'], 'ids');
  assert.equal((await refused('DELETE', `${url}/${whole}`))[0]?.['id'], whole);
  for (const path of [987_654, 2001, 0])
    assert.equal((await send('DELETE', `${url}/${path}`)).status, 404);
  const tooMany = Array.from({ length: 501 }, (_, at) => at);
  for (const few of [[], [plain], tooMany]) await refused('POST', url, { ...fields, ids: few });
});
