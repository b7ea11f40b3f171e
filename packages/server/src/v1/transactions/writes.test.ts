import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { select } from '../../db/rows.ts';
import { tags } from '../../db/tables/tables.ts';
import { as } from '../../http/testing/test-app.ts';
import { makeWriteClient } from '../../ledger/transactions/testing/write-client.ts';
import type { TransactionRow } from '../../ledger/transactions/writes.ts';

/* What both versions show after any writes is in mapping.property.test.ts. */

const client = await makeWriteClient();
const { send, rowOf, balance, changes, made, scene } = client;
after(() => made.app.close());
const { cash, bank, locked, food, group, tagA, tagB } = scene;
const bookId = made.ada.identity.book.id;
const list = '/v1/transactions';
const row = { date: '2026-01-05', amount: '10', currency: 'eur', payee: 'Shop' };
const path = (id: number) => `${list}/${id}`;

async function insert(body: object): Promise<number[]> {
  const response = await send<{ ids: number[] }>('POST', list, body);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  assert.deepEqual(Object.keys(response.body), ['ids']);
  return response.body.ids;
}

async function insertOne(values: object = {}): Promise<number> {
  return (await client.insert({ ...row, ...values })).transactions[0]!.id;
}

async function put(id: number, transaction: object, others: object = {}): Promise<TransactionRow> {
  const { status, body } = await send('PUT', path(id), { transaction, ...others });
  assert.deepEqual([status, body], [200, { updated: true }], JSON.stringify(body));
  return (await rowOf(id))!;
}

async function split(id: number, body: object): Promise<number[]> {
  const response = await send<{ split: number[] }>('PUT', path(id), body);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  const { split: ids } = response.body;
  assert.deepEqual(response.body, { updated: true, split: ids });
  return ids;
}

const unsplit = (body: object) => send('POST', `${list}/unsplit`, body);

/** Returns the problems of a request that is refused without a change. */
async function refused(method: string, url: string, body: object): Promise<unknown> {
  await changes();
  const response = await send<{ error: unknown }>(method, url, body);
  assert.equal(response.status, 404, JSON.stringify(response.body));
  assert.deepEqual(Object.keys(response.body), ['error']);
  assert.deepEqual(await changes(), []);
  return response.body.error;
}

const tagNames = async () =>
  (await made.engine.read(() => select(tags, { book_id: bookId }))).map(({ name }) => name);

test('null, unknown and absent properties have no effect, and defaults apply', async () => {
  const nulls = { category_id: null, notes: null, tags: null, currency: null, status: null };
  const others = { asset_id: null, recurring_id: null, external_id: null, is_pending: true };
  const sent = { date: '2024-01-29', amount: '81.09477003457965', ...nulls, ...others };
  const [id = 0, second = 0] = await insert({
    transactions: [sent, { ...row, date: '2026-01-05T23:59:00-08:00', currency: 'EUR', note: 'x' }],
    apply_rules: null,
    check_for_recurring: true,
    skip_balance_update: null,
  });
  assert.ok(second > id);
  const { payee, original_name, amount, status, currency, source, ...rest } = (await rowOf(id))!;
  assert.deepEqual(
    [payee, original_name, amount, status, currency, source],
    ['[No Payee]', '[No Payee]', 810_948, 'unreviewed', 'eur', 'api'],
  );
  assert.deepEqual([rest.category_id, rest.tag_ids, rest.is_pending], [null, '[]', false]);
  const other = (await rowOf(second))!;
  assert.deepEqual([other.date, other.currency], ['2026-01-05', 'eur']);
});

test('balances move only if the request says so', async () => {
  const transactions = [{ ...row, asset_id: cash }];
  const before = (await balance(cash))!;
  await insert({ transactions });
  assert.equal(await balance(cash), before);
  const [id = 0] = await insert({ transactions, skip_balance_update: false });
  assert.equal(await balance(cash), before - 100_000);
  assert.equal(
    (await put(id, { amount: -12.345_67 }, { debit_as_negative: true })).amount,
    123_457,
  );
  assert.equal(await balance(cash), before - 100_000);
  await put(id, { amount: '13.3457' }, { skip_balance_update: false });
  assert.equal(await balance(cash), before - 110_000);
});

test('tags are found by id or name without letter case, and new names create tags', async () => {
  const known = await tagNames();
  await changes();
  const [first = 0, second = 0] = await insert({
    transactions: [
      { ...row, tags: [tagA, 'A', 'New tag'] },
      { ...row, tags: [' new TAG '] },
    ],
  });
  assert.deepEqual(await changes(), ['createNewTransactionsV1']);
  assert.deepEqual(await tagNames(), [...known, 'New tag']);
  const [one, other] = [await rowOf(first), await rowOf(second)];
  const [, made] = JSON.parse(one!.tag_ids) as number[];
  assert.deepEqual([one!.tag_ids, other!.tag_ids], [`[${tagA},${made}]`, `[${made}]`]);
  const unknown = [{ ...row, tags: ['Never made', 999_999] }];
  await refused('POST', list, { transactions: unknown });
  assert.deepEqual(await tagNames(), [...known, 'New tag']);
});

test('all problems of all rows are reported with their places', async () => {
  const transactions = [
    {},
    { ...row, status: 'recurring', category_id: group },
    { ...row, date: '2026-02-30', amount: 'ten', currency: 'zzz', asset_id: 999_999 },
    { ...row, date: '2026-01-05junk', plaid_account_id: locked, tags: [999_999] },
    { ...row, amount: `1${'0'.repeat(50)}`, plaid_account_id: bank, asset_id: cash },
  ];
  assert.deepEqual(await refused('POST', list, { transactions }), [
    'Transaction 0 is missing date.',
    'Transaction 0 is missing amount.',
    'Transaction 1 status must be either cleared or uncleared: recurring',
    'Transaction 2 date must be in format YYYY-MM-DD: 2026-02-30',
    'Transaction 2 amount must be a number: ten',
    'Transaction 2 currency is not supported: zzz',
    'Transaction 3 date must be in format YYYY-MM-DD: 2026-01-05junk',
    `Transaction 4 amount must be a number: 1${'0'.repeat(50)}`,
    `Transaction 1 category ID is a category group: ${group}`,
    'Transaction 2 manual account ID does not exist: 999999',
    `Transaction 3 plaid account does not allow modifications to transactions: ${locked}`,
    'Transaction 3 tag_ids[0] ID does not exist: 999999',
    'Transaction 4 must not have both manual_account_id and plaid_account_id',
  ]);
  assert.deepEqual(await refused('POST', list, { transactions: [{ ...row, amount: true }] }), [
    'Body property transactions/0/amount must be of type number or a string or null, not true',
  ]);
  assert.deepEqual(await refused('POST', list, {}), ['Missing body property transactions']);
});

test('an external id that exists refuses the whole request, or is skipped', async () => {
  const [known, fresh] = ['k', 'f'].map((id) => ({
    ...row,
    payee: id,
    asset_id: cash,
    external_id: id,
  }));
  await insert({ transactions: [known] });
  const text = (id: string) =>
    `Key (user_external_id, asset_id, account_id)=(${id}, ${cash}, ${bookId}) already exists.`;
  const transactions = [fresh, known, { ...row, payee: 'Other' }, fresh];
  assert.deepEqual(await refused('POST', list, { transactions }), [text('k'), text('f')]);
  const ids = await insert({ transactions, skip_duplicates: true });
  const rows = await Promise.all(ids.map(rowOf));
  assert.deepEqual(
    rows.map((each) => [each!.external_id, each!.payee]),
    [
      ['f', 'f'],
      [null, 'Other'],
    ],
  );
});

test('without a new transaction the response is 204 without a body, also repeated', async () => {
  const transactions = [{ ...row, date: '2025-12-31', payee: 'Once' }];
  for (let time = 0; time < 2; time += 1) assert.equal((await insert({ transactions })).length, 1);
  const headers = { ...as(made.ada), 'content-type': 'application/json', 'idempotency-key': 'k' };
  const payload = JSON.stringify({ transactions, skip_duplicates: true });
  for (const replayed of [undefined, 'true']) {
    const response = await made.app.inject({ method: 'POST', url: list, headers, payload });
    assert.deepEqual([response.statusCode, response.body], [204, '']);
    assert.equal(response.headers['idempotency-replayed'], replayed);
  }
});

test('values of an update replace those before, and null is no value', async () => {
  const id = await insertOne({ manual_account_id: cash, external_id: 'x', notes: 'N' });
  const before = (await rowOf(id))!;
  const others = { asset_id: null, plaid_account_id: null, recurring_id: null, external_id: null };
  const nulls = { ...others, date: null, payee: null, notes: null, amount: null, status: null };
  assert.deepEqual(await put(id, nulls), before);
  const sent = { id, ...others, payee: 'P', date: '2026-02-03T10:00:00Z', notes: '', tags: ['b'] };
  const more = { category_id: food, status: 'cleared', currency: 'usd', is_group: false };
  const after = await put(id, { ...sent, ...more });
  assert.deepEqual(after, {
    ...before,
    updated_at: after.updated_at,
    to_base: after.to_base,
    payee: 'P',
    date: '2026-02-03',
    notes: null,
    tag_ids: `[${tagB}]`,
    category_id: food,
    status: 'reviewed',
    currency: 'usd',
  });
  const cleared = await put(id, { category_id: null, tags: null });
  assert.deepEqual([cleared.category_id, cleared.tag_ids], [null, '[]']);
});

test('what cannot be changed is refused with the documented texts', async () => {
  const missing = "This transaction doesn't exist or you don't have access to it.";
  const note = { transaction: { notes: 'x' } };
  assert.deepEqual(await refused('PUT', path(999_999), note), [missing]);
  const id = await insertOne();
  const nothing = 'No valid fields to update for this transaction.';
  for (const body of [{}, { transaction: null }, { transaction: { id, foo: 1 } }, { notes: 'x' }])
    assert.deepEqual(await refused('PUT', path(id), body), [nothing]);
  const wrong = { date: 'x', amount: 'x', status: 'pending', currency: 'zzz' };
  const both = { transaction: wrong, split: [{ amount: 'y' }] };
  assert.deepEqual(await refused('PUT', path(id), both), [
    'Date must be in format YYYY-MM-DD: x',
    'Amount must be a number: x',
    'Currency is not supported: zzz',
    'Status must be either cleared or uncleared: pending',
    'Split 0 amount must be a number: y',
  ]);
  const unknown = { category_id: group, asset_id: 999_999, tags: [999_999], amount: 'z' };
  assert.deepEqual(await refused('PUT', path(id), { transaction: unknown }), [
    'Amount must be a number: z',
    `Category ID is a category group: ${group}`,
    'Manual account ID does not exist: 999999',
    'Tag_ids[0] ID does not exist: 999999',
  ]);
});

test('rows of synced accounts are locked unless their account allows changes', async () => {
  const id = await insertOne({ plaid_account_id: bank });
  assert.equal((await put(id, { amount: 11 })).amount, 110_000);
  await client.mark([id, { plaid_account_id: locked }]);
  const transaction = { amount: 12, currency: 'usd', asset_id: cash, external_id: 'e' };
  const end = 'for this transaction because it was automatically imported.';
  assert.deepEqual(await refused('PUT', path(id), { transaction }), [
    `You cannot change the amount ${end}`,
    `You cannot change the currency ${end}`,
    `You cannot assign an asset_id ${end}`,
    `You cannot assign an external_id ${end}`,
  ]);
  const full = { amount: '11.0000', currency: 'eur', asset_id: null, external_id: null };
  assert.equal((await put(id, { ...full, notes: 'N', tags: [tagA] })).notes, 'N');
});

test('parts have the values of the transaction where theirs are absent or null', async () => {
  const own = { notes: 'N', category_id: food, tag_ids: [tagA], manual_account_id: cash };
  const id = await insertOne(own);
  const nulls = { payee: null, date: null, category_id: null, notes: null };
  const sent = { payee: 'Bread', date: '2026-01-06', notes: 'M', id: 5, status: 'cleared' };
  const parts = [
    { amount: '-4.0000', ...nulls },
    { amount: -6, ...sent },
  ];
  const body = { split: parts, transaction: null, debit_as_negative: true };
  const [first = 0, second = 0] = await split(id, body);
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

test('the sum of parts is that of the stored amount, also if the request changes it', async () => {
  const sums = 'Sums of split transaction do not add up to the original transaction amount!';
  const id = await insertOne({ manual_account_id: cash });
  for (const parts of [[{ amount: 9.9999 }], [{ amount: 4 }, { amount: 5 }]])
    assert.deepEqual(await refused('PUT', path(id), { split: parts }), [sums]);
  const changed = { transaction: { amount: 5, payee: 'New' }, split: [{ amount: 5 }] };
  assert.deepEqual(await refused('PUT', path(id), changed), [sums]);
  const ids = await split(id, { ...changed, split: [{ amount: 8 }, { amount: 2 }] });
  const rows = await Promise.all([id, ...ids].map(rowOf));
  assert.deepEqual(
    rows.map((each) => [each!.amount, each!.payee]),
    [50_000, 80_000, -30_000].map((amount) => [amount, 'New']),
  );
  assert.deepEqual(await refused('PUT', path(id), { split: [{ amount: 5 }] }), [
    'You cannot split an already split transaction. Unsplit it before splitting again.',
  ]);
});

test('unsplit deletes the parts of all transactions or of none', async () => {
  const [one, two, plain] = [await insertOne(), await insertOne(), await insertOne()];
  const parts = { split: [{ amount: 4 }, { amount: 6 }] };
  const [ofOne, ofTwo] = [await split(one, parts), await split(two, parts)];
  const ids = [one, plain, 999_999, ofTwo[0]];
  assert.equal(
    await refused('POST', `${list}/unsplit`, { parent_ids: ids }),
    `The following transaction ids are not valid to unsplit: ${ids.slice(1).join(', ')}`,
  );
  const kept = await unsplit({ parent_ids: [one, one] });
  assert.deepEqual([kept.status, kept.body], [200, ofOne]);
  const rows = [await rowOf(one), await rowOf(ofOne[0]!)];
  assert.deepEqual([rows[0]!.is_split_parent, rows[1]], [false, undefined]);
  const removed = await unsplit({ parent_ids: [two], remove_parents: true });
  assert.deepEqual([removed.status, removed.body], [200, [...ofTwo, two]]);
  assert.equal(await rowOf(two), undefined);
});
