import assert from 'node:assert/strict';
import { test } from 'node:test';
import { select } from '../../../db/rows.ts';
import { tags } from '../../../db/tables.ts';
import { as } from '../../../http/testing/test-app.ts';
import { makeWriteClient } from '../testing/write-client.ts';

const client = await makeWriteClient();
const { send, rowOf, balance, changes, made } = client;
const { cash, bank, locked, food, group, tagA } = client.scene;
const bookId = made.ada.identity.book.id;
const path = '/v1/transactions';
const row = { date: '2026-01-05', amount: '7.40', payee: 'Shop' };

/** Inserts transactions and returns their ids. */
async function insert(body: object): Promise<number[]> {
  const response = await send<{ ids: number[] }>('POST', path, body);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  assert.deepEqual(Object.keys(response.body), ['ids']);
  return response.body.ids;
}

/** Returns the problems of a request that is refused without a change. */
async function refused(body: object): Promise<unknown> {
  await changes();
  const response = await send<{ error: unknown }>('POST', path, body);
  assert.equal(response.status, 404, JSON.stringify(response.body));
  assert.deepEqual(Object.keys(response.body), ['error']);
  assert.deepEqual(await changes(), []);
  return response.body.error;
}

const tagNames = async () =>
  (await made.engine.read(() => select(tags, { book_id: bookId }))).map(({ name }) => name);

test('null, unknown and absent properties have no effect, and defaults apply', async () => {
  const nulls = { ...{ category_id: null, notes: null, tags: null, currency: null, status: null } };
  const others = { asset_id: null, recurring_id: null, external_id: null, is_pending: true };
  const sent = { date: '2024-01-29', amount: '81.09477003457965', ...nulls, ...others };
  const [id = 0, second = 0] = await insert({
    transactions: [sent, { ...row, payee: null, note: 'x' }],
    ...{ apply_rules: null, check_for_recurring: true, skip_balance_update: null },
  });
  assert.ok(second > id);
  const { payee, original_name, amount, status, currency, source, ...rest } = (await rowOf(id))!;
  assert.deepEqual(
    [payee, original_name, amount, status, currency, source],
    ['[No Payee]', '[No Payee]', 810_948, 'unreviewed', 'eur', 'api'],
  );
  assert.deepEqual([rest.category_id, rest.tag_ids, rest.is_pending], [null, '[]', false]);
});

test('values are translated, timestamps keep their date, and amounts get the sign', async () => {
  const all = {
    ...{ date: '2026-01-05T23:59:00.000-08:00', amount: -7.123_456, payee: 'Shop' },
    ...{ category_id: food, notes: 'N', status: 'cleared', asset_id: cash, external_id: 'x' },
    currency: 'EUR',
  };
  const [id = 0] = await insert({ transactions: [all], debit_as_negative: true });
  const { date, amount, original_name, category_id, notes, status, ...rest } = (await rowOf(id))!;
  assert.deepEqual(
    [date, amount, original_name, category_id, notes, status],
    ['2026-01-05', 71_235, 'Shop', food, 'N', 'reviewed'],
  );
  const { manual_account_id, external_id, currency } = rest;
  assert.deepEqual([manual_account_id, external_id, currency], [cash, 'x', 'eur']);
});

test('balances move only if the request says so', async () => {
  const transactions = [{ ...row, asset_id: cash, currency: 'eur' }];
  const before = (await balance(cash))!;
  await insert({ transactions });
  assert.equal(await balance(cash), before);
  await insert({ transactions, skip_balance_update: false });
  assert.equal(await balance(cash), before - 74_000);
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
  await refused({ transactions: [{ ...row, tags: ['Never made', 999_999] }] });
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
  assert.deepEqual(await refused({ transactions }), [
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
  assert.deepEqual(await refused({ transactions: [{ ...row, amount: true }] }), [
    'Body property transactions/0/amount must be of type number or a string or null, not true',
  ]);
  assert.deepEqual(await refused({}), ['Missing body property transactions']);
});

test('an external id that exists refuses the whole request, or is skipped', async () => {
  const [known, fresh] = ['k', 'f'].map((id) => ({
    ...{ ...row, payee: id, asset_id: cash, external_id: id },
  }));
  await insert({ transactions: [known] });
  const text = (id: string) =>
    `Key (user_external_id, asset_id, account_id)=(${id}, ${cash}, ${bookId}) already exists.`;
  const transactions = [fresh, known, { ...row, payee: 'Other' }, fresh];
  assert.deepEqual(await refused({ transactions }), [text('k'), text('f')]);
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
  assert.equal((await insert({ transactions })).length, 1);
  assert.equal((await insert({ transactions })).length, 1);
  const headers = { ...as(made.ada), 'content-type': 'application/json', 'idempotency-key': 'k' };
  const payload = JSON.stringify({ transactions, skip_duplicates: true });
  for (const replayed of [undefined, 'true']) {
    const response = await made.app.inject({ method: 'POST', url: path, headers, payload });
    assert.deepEqual([response.statusCode, response.body], [204, '']);
    assert.equal(response.headers['idempotency-replayed'], replayed);
  }
});
