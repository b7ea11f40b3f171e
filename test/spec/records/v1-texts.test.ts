import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changing } from '../../../packages/server/src/book/change.ts';
import { find } from '../../../packages/server/src/db/rows.ts';
import { plaidAccounts } from '../../../packages/server/src/db/tables/tables.ts';
import { newName, post, withBody } from '../../service/json-requests.ts';
import { startService } from '../../service/started-service.ts';
import { addPlaidAccount } from '../../../packages/server/src/operations/testing/outside-records.ts';

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

/** Asserts that a request is refused with a status, and a text or several, under the key "error". */
async function refused(status: number, error: unknown, ...request: Parameters<typeof send>) {
  assert.deepEqual(await send(...request), [status, { error }]);
}

const date = '2026-01-05';
const insert = async (...rows: object[]): Promise<number[]> => {
  const transactions = rows.map((row) => ({ date, amount: 2, payee: newName(), ...row }));
  return (await made<{ ids: number[] }>('POST', 'transactions', { transactions })).ids;
};
const category = async (body: object = {}, path = 'categories'): Promise<number> =>
  (await made<{ category_id: number }>('POST', path, { name: newName(), ...body })).category_id;

test('transactions: refusals are 404, most of them lists', async () => {
  const both = 'Both start_date and end_date must be specified.';
  await refused(404, both, 'GET', `transactions?start_date=${date}`);
  await refused(404, 'Transaction ID not found.', 'GET', 'transactions/87654321');
  const wrong = [
    'Transaction 0 is missing date.',
    'Transaction 0 is missing amount.',
    'Transaction 1 status must be either cleared or uncleared: maybe',
  ];
  const transactions = [{}, { date, amount: 1, status: 'maybe' }];
  await refused(404, wrong, 'POST', 'transactions', { transactions });
  const unknown = "This transaction doesn't exist or you don't have access to it.";
  const transaction = { notes: 'x' };
  await refused(404, [unknown], 'PUT', 'transactions/87654321', { transaction });
});

test('transactions: an external id that exists refuses the whole request', async () => {
  const account = { name: newName(), type_name: 'cash', balance: '1' };
  const { id: asset_id } = await made<{ id: number }>('POST', 'assets', account);
  const row = { date, amount: 2, asset_id, external_id: 'X' };
  await insert(row);
  const { bookId } = service.ada;
  const text = `Key (user_external_id, asset_id, account_id)=(X, ${asset_id}, ${bookId}) already exists.`;
  const body = { transactions: [{ ...row, external_id: 'Y' }, row] };
  await refused(404, [text], 'POST', 'transactions', body);
  const list = `transactions?start_date=${date}&end_date=${date}&asset_id=${asset_id}`;
  const [, { transactions }] = await send<{ transactions: object[] }>('GET', list);
  assert.equal(transactions.length, 1);
});

test('transactions: splits and groups', async () => {
  const [one, two, three, four] = await insert({}, {}, {}, {});
  const split = [{ amount: 1 }, { amount: 2 }];
  const sum = 'Sums of split transaction do not add up to the original transaction amount!';
  await refused(404, [sum], 'PUT', `transactions/${one}`, { split });
  const parent_ids = [one, two];
  const notSplit = `The following transaction ids are not valid to unsplit: ${one}, ${two}`;
  await refused(404, notSplit, 'POST', 'transactions/unsplit', { parent_ids });
  const none = `Transaction ${one} is not a transaction group, or part of a transaction group.`;
  await refused(404, [none], 'GET', `transactions/group?transaction_id=${one}`);
  const group = { transactions: [two, three], date, payee: 'x' };
  const id = await made<number>('POST', 'transactions/group', group);
  const again = { ...group, transactions: [two, four] };
  const grouped = `Transaction ${two} is in a transaction group already (${id}) and cannot be added to another transaction group.`;
  await refused(404, [grouped], 'POST', 'transactions/group', again);
  const gone = `No transactions found for this group_id ${four}.`;
  await refused(404, [gone], 'DELETE', `transactions/group/${four}`);
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
  const text =
    'You cannot change the amount for this transaction because it was automatically imported.';
  await refused(404, [text], 'PUT', `transactions/${id}`, { transaction: { amount: 3 } });
});

test('categories: refusals are 200', async () => {
  const name = newName();
  const one = `categories/${await category({ name })}`;
  const group = await category({}, 'categories/group');
  const missing = 'This category id does not exist.';
  await refused(200, missing, 'GET', 'categories/87654321');
  await refused(200, 'Missing category name.', 'POST', 'categories', {});
  const long = 'x'.repeat(141);
  const longName = 'Category name must be less than 40 characters.';
  await refused(200, longName, 'POST', 'categories', { name: long.slice(0, 101) });
  const tooLong = 'Category description must be less than 140 characters.';
  await refused(200, tooLong, 'POST', 'categories', { name: newName(), description: long });
  const taken = `A category with the same name (${name}) already exists.`;
  await refused(200, taken, 'POST', 'categories/group', { name });
  const notAdded =
    'The following category id(s) could not be added as a group because you do not have permissions for this category, or it is already a category group: 87654321';
  const added = { name: newName(), category_ids: [87654321] };
  await refused(200, notAdded, 'POST', 'categories/group', added);
  await refused(200, 'No valid fields to update for this category.', 'PUT', one, {});
  const isGroup = 'You may not set the is_group property for an existing category.';
  await refused(200, isGroup, 'PUT', one, { is_group: true });
  const noGroup = 'This category cannot be assigned a group because it is a category group.';
  await refused(200, noGroup, 'PUT', `categories/${group}`, { group_id: group });
});

test('budgets: refusals are 200', async () => {
  const group_id = await category({}, 'categories/group');
  const member = await category({ group_id });
  const start_date = '2026-01-01';
  await made('PUT', 'budgets', { start_date, category_id: member, amount: 10.01 });
  const low = { start_date, category_id: group_id, amount: 5 };
  const least = 'Budget must be greater than or equal to the sum of sub-category budgets ($10.01).';
  await refused(200, least, 'PUT', 'budgets', low);
  const format = 'start_date must be a valid date in format YYYY-MM-01';
  await refused(200, format, 'PUT', 'budgets', { ...low, start_date: '2026-01-02' });
});

test('recurring items: refusals are 404', async () => {
  const error = 'Invalid start_date. Must be in format YYYY-MM-DD';
  for (const path of ['recurring_items', 'recurring_expenses'])
    await refused(404, error, 'GET', `${path}?start_date=soon`);
});

test('accounts and crypto: refusals are 200 lists', async () => {
  const types =
    'type_name must be one of: cash, credit, investment, other, real estate, loan, vehicle, cryptocurrency, employee compensation';
  const asset = { name: newName(), type_name: 'gold', balance: 1 };
  assert.deepEqual(await send('POST', 'assets', asset), [200, { errors: [types] }]);
  const coin = { name: newName(), symbol: 'btc', balance: '1' };
  const path = `crypto/manual/${await post(service, '/v2/crypto/manual', coin)}`;
  const [status, body] = await send<{ errors: string[] }>('PUT', path, { currency: 'nope' });
  assert.equal(status, 200);
  const unknown = /^currency is invalid for crypto: nope\. It may not be supported yet\./;
  assert.match(body.errors.join(), unknown);
});
