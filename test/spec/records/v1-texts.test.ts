import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changing } from '../../../packages/server/src/changes/changing.ts';
import { find } from '../../../packages/server/src/db/rows.ts';
import { plaidAccounts } from '../../../packages/server/src/db/tables.ts';
import { addPlaidAccount, newName, withBody } from '../../service/json-requests.ts';
import { startService } from '../../service/started-service.ts';

/* The texts of v1 that clients know, word for word, with their status and their form. */

const service = await startService();
after(() => service.close());

async function send<T>(method: string, path: string, body?: object): Promise<[number, T]> {
  const asking = body === undefined ? { method } : withBody(method, body);
  const { status, text } = await service.ask(`/v1/${path}`, asking);
  return [status, JSON.parse(text) as T];
}

async function made<T>(method: string, path: string, body: object): Promise<T> {
  const [status, value] = await send<T>(method, path, body);
  assert.equal(status, 200, JSON.stringify(value));
  return value;
}

const date = '2026-01-05';
const insert = async (...rows: object[]): Promise<number[]> =>
  (
    await made<{ ids: number[] }>('POST', 'transactions', {
      transactions: rows.map((row) => ({ date, amount: 2, payee: newName(), ...row })),
    })
  ).ids;
const group = (...transactions: number[]): Promise<number> =>
  made<number>('POST', 'transactions/group', { transactions, date, payee: newName() });
const category = async (body: object): Promise<number> =>
  (await made<{ category_id: number }>('POST', 'categories', { name: newName(), ...body }))
    .category_id;

test('transactions: refusals are 404, most of them lists', async () => {
  const only = `transactions?start_date=${date}`;
  const both = 'Both start_date and end_date must be specified.';
  assert.deepEqual(await send('GET', only), [404, { error: both }]);
  const missing = { error: 'Transaction ID not found.' };
  assert.deepEqual(await send('GET', 'transactions/87654321'), [404, missing]);
  const rows = [{}, { date, amount: 1, status: 'maybe' }];
  assert.deepEqual(await send('POST', 'transactions', { transactions: rows }), [
    404,
    {
      error: [
        'Transaction 0 is missing date.',
        'Transaction 0 is missing amount.',
        'Transaction 1 status must be either cleared or uncleared: maybe',
      ],
    },
  ]);
  const unknown = "This transaction doesn't exist or you don't have access to it.";
  const noted = { transaction: { notes: 'x' } };
  assert.deepEqual(await send('PUT', 'transactions/87654321', noted), [404, { error: [unknown] }]);
});

test('transactions: an external id that exists refuses the whole request', async () => {
  const account = { name: newName(), type_name: 'cash', balance: '1' };
  const { id: asset_id } = await made<{ id: number }>('POST', 'assets', account);
  const row = { date, amount: 2, asset_id, external_id: 'X' };
  await insert(row);
  const { bookId } = service.ada;
  const text = `Key (user_external_id, asset_id, account_id)=(X, ${asset_id}, ${bookId}) already exists.`;
  const list = `transactions?start_date=${date}&end_date=${date}&asset_id=${asset_id}`;
  const body = { transactions: [{ ...row, external_id: 'Y' }, row] };
  assert.deepEqual(await send('POST', 'transactions', body), [404, { error: [text] }]);
  const [, { transactions }] = await send<{ transactions: object[] }>('GET', list);
  assert.equal(transactions.length, 1);
});

test('transactions: splits and groups', async () => {
  const [one, two, three, four] = await insert({}, {}, {}, {});
  const split = { split: [{ amount: 1 }, { amount: 2 }] };
  const sum = 'Sums of split transaction do not add up to the original transaction amount!';
  assert.deepEqual(await send('PUT', `transactions/${one}`, split), [404, { error: [sum] }]);
  const unsplit = { parent_ids: [one, two] };
  const notSplit = `The following transaction ids are not valid to unsplit: ${one}, ${two}`;
  assert.deepEqual(await send('POST', 'transactions/unsplit', unsplit), [404, { error: notSplit }]);
  const none = `Transaction ${one} is not a transaction group, or part of a transaction group.`;
  const path = `transactions/group?transaction_id=${one}`;
  assert.deepEqual(await send('GET', path), [404, { error: [none] }]);
  const id = await group(two!, three!);
  const again = { transactions: [two, four], date, payee: 'x' };
  const grouped = `Transaction ${two} is in a transaction group already (${id}) and cannot be added to another transaction group.`;
  assert.deepEqual(await send('POST', 'transactions/group', again), [404, { error: [grouped] }]);
  const gone = `No transactions found for this group_id ${four}.`;
  assert.deepEqual(await send('DELETE', `transactions/group/${four}`), [404, { error: [gone] }]);
});

test('transactions: what a bank reported cannot be changed', async () => {
  const { engine, ada } = service;
  const plaid_account_id = await addPlaidAccount(engine, ada);
  const [id] = await insert({ plaid_account_id });
  await engine.write(() =>
    changing({ bookId: ada.bookId, actor: 'test', operation: 'test' }, function* (change) {
      const account = yield* find(plaidAccounts, { id: plaid_account_id });
      yield* change.update(plaidAccounts, account!, { allow_transaction_modifications: false });
    }),
  );
  const end = 'for this transaction because it was automatically imported.';
  assert.deepEqual(await send('PUT', `transactions/${id}`, { transaction: { amount: 3 } }), [
    ...[404, { error: [`You cannot change the amount ${end}`] }],
  ]);
});

test('categories: refusals are 200', async () => {
  const refused = async (method: string, path: string, body: object, error: string) =>
    assert.deepEqual(await send(method, path, body), [200, { error }]);
  const missing = 'This category id does not exist.';
  assert.deepEqual(await send('GET', 'categories/87654321'), [200, { error: missing }]);
  await refused('POST', 'categories', {}, 'Missing category name.');
  const long = { name: 'x'.repeat(101) };
  await refused('POST', 'categories', long, 'Category name must be less than 40 characters.');
  const described = { name: newName(), description: 'x'.repeat(141) };
  const tooLong = 'Category description must be less than 140 characters.';
  await refused('POST', 'categories', described, tooLong);
  const name = newName();
  const first = await category({ name });
  const taken = `A category with the same name (${name}) already exists.`;
  await refused('POST', 'categories/group', { name }, taken);
  const notAdded =
    'The following category id(s) could not be added as a group because you do not have permissions for this category, or it is already a category group: 87654321';
  const group = { name: newName(), category_ids: [87654321] };
  await refused('POST', 'categories/group', group, notAdded);
  const one = `categories/${first}`;
  await refused('PUT', one, {}, 'No valid fields to update for this category.');
  const isGroup = 'You may not set the is_group property for an existing category.';
  await refused('PUT', one, { is_group: true }, isGroup);
  const { category_id: outer } = await made<{ category_id: number }>('POST', 'categories/group', {
    name: newName(),
  });
  const noGroup = 'This category cannot be assigned a group because it is a category group.';
  await refused('PUT', `categories/${outer}`, { group_id: outer }, noGroup);
});

test('budgets: refusals are 200', async () => {
  const { category_id: group_id } = await made<{ category_id: number }>(
    'POST',
    'categories/group',
    {
      name: newName(),
    },
  );
  const member = await category({ group_id });
  const start_date = '2026-01-01';
  await made('PUT', 'budgets', { start_date, category_id: member, amount: 10.01 });
  const low = { start_date, category_id: group_id, amount: 5 };
  const least = 'Budget must be greater than or equal to the sum of sub-category budgets ($10.01).';
  assert.deepEqual(await send('PUT', 'budgets', low), [200, { error: least }]);
  const late = { ...low, start_date: '2026-01-02' };
  const format = 'start_date must be a valid date in format YYYY-MM-01';
  assert.deepEqual(await send('PUT', 'budgets', late), [200, { error: format }]);
});

test('recurring items: refusals are 404', async () => {
  const error = 'Invalid start_date. Must be in format YYYY-MM-DD';
  for (const path of ['recurring_items', 'recurring_expenses'])
    assert.deepEqual(await send('GET', `${path}?start_date=soon`), [404, { error }]);
});

test('accounts and crypto: refusals are 200 lists', async () => {
  const types =
    'type_name must be one of: cash, credit, investment, other, real estate, loan, vehicle, cryptocurrency, employee compensation';
  const asset = { name: newName(), type_name: 'gold', balance: 1 };
  assert.deepEqual(await send('POST', 'assets', asset), [200, { errors: [types] }]);
  const coin = { name: newName(), symbol: 'btc', balance: '1' };
  const { text } = await service.ask('/v2/crypto/manual', withBody('POST', coin));
  const { id } = JSON.parse(text) as { id: number };
  const [status, body] = await send<{ errors: string[] }>('PUT', `crypto/manual/${id}`, {
    currency: 'nope',
  });
  assert.equal(status, 200);
  assert.match(
    body.errors.join(),
    /^currency is invalid for crypto: nope\. It may not be supported yet\./,
  );
});
