import assert from 'node:assert/strict';
import { test } from 'node:test';
import { find } from '../../db/rows.ts';
import { plaidAccounts, syncRequests } from '../../db/tables/tables.ts';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import { as } from '../../http/testing/test-app.ts';
import type { InjectOptions } from 'fastify';
import type { PlaidAccount } from './plaid-schema.ts';

const names = { name: 'Freedom', institution_name: 'Chase' };
const texts = { ...names, type: 'credit', subtype: 'credit card' };

test('plaid accounts are listed and found', async () => {
  const { book, ok } = await openBooks();
  const url = '/v2/plaid_accounts';
  const linked = { linked_by_name: 'Ada', date_linked: '2020-01-28', currency: 'eur' };
  await book.change(function* (change) {
    const plain = { ...texts, ...linked, mask: '', balance: 0 };
    yield* change.insert(plaidAccounts, plain);
    yield* change.insert(plaidAccounts, {
      ...plain,
      mask: '1973',
      balance: -1_234_567,
      to_base: -9_007_199_254_740_991,
      credit_limit: 150_000_000,
      display_name: '',
      status: 'not found',
      plaid_item_id: 'x',
      allow_transaction_modifications: false,
      import_start_date: '2023-01-01',
      last_import: '2025-01-24T12:57:09.190Z',
    });
  });
  const [plain, full] = (await ok<{ plaid_accounts: PlaidAccount[] }>('GET', url)).plaid_accounts;
  const never = { balance_last_update: null, last_fetch: null, plaid_last_successful_update: null };
  assert.deepEqual(plain, {
    id: plain!.id,
    plaid_item_id: null,
    ...texts,
    ...linked,
    mask: '',
    display_name: null,
    status: 'active',
    allow_transaction_modifications: true,
    limit: null,
    balance: '0.0000',
    to_base: 0,
    import_start_date: null,
    last_import: null,
    ...never,
  });
  const { id, limit, balance, to_base, status, display_name } = full!;
  assert.deepEqual([limit, balance, status, display_name], [15_000, '-123.4567', 'not found', '']);
  assert.equal(to_base, -900_719_925_474.0991);
  assert.deepEqual(await ok('GET', `${url}/${id}`), full);
});

test('a synced account is locked and unlocked', async () => {
  const { book, ok, status: statusOf, refused } = await openBooks();
  const { id } = await book.change(function* (change) {
    const linked = { linked_by_name: 'Ada', date_linked: '2020-01-28', currency: 'eur' };
    return yield* change.insert(plaidAccounts, { ...texts, ...linked, mask: '', balance: 0 });
  });
  const url = `/coffer/plaid_accounts/${id}`;
  const row = { date: '2026-01-02', amount: 1, payee: 'P', plaid_account_id: id };
  const insert = () => statusOf('POST', '/v2/transactions', { transactions: [row] });
  for (const isAllowed of [false, true]) {
    const body = { allow_transaction_modifications: isAllowed };
    const changed = await ok<PlaidAccount>('PUT', url, body);
    assert.equal(changed.allow_transaction_modifications, isAllowed);
    assert.deepEqual(await ok('GET', `/v2/plaid_accounts/${id}`), changed);
    assert.equal(await insert(), isAllowed ? 201 : 400);
  }
  for (const body of [{}, { allow_transaction_modifications: 1 }, { name: 'X' }])
    await refused('PUT', url, body);
});

const { made, book } = await openBooks();
const read = '2025-01-24T12:57:09.190Z';
const textsV1 = {
  ...texts,
  mask: '1973',
  currency: 'usd',
  date_linked: '2020-01-28',
  display_name: 'Card',
};
const dates = {
  import_start_date: '2023-01-01',
  last_import: read,
  last_fetch: read,
  plaid_last_successful_update: read,
  balance_last_update: read,
};
const statuses = {
  active: 'active',
  inactive: 'inactive',
  closed: 'inactive',
  deactivated: 'inactive',
  'not found': 'not found',
  'not supported': 'not supported',
  relink: 'relink',
  syncing: 'syncing',
  revoked: 'error',
  error: 'error',
};

async function send(method: string, url: string, options: object = {}): Promise<[number, unknown]> {
  const request = { method, url, headers: as(made.ada), ...options } as InjectOptions;
  const { statusCode, body } = await made.app.inject(request);
  return [statusCode, JSON.parse(body)];
}

test('synced accounts are listed with the keys and the statuses of v1', async () => {
  assert.deepEqual(await send('GET', '/v1/plaid_accounts'), [200, { plaid_accounts: [] }]);
  const rows = await book.change(function* (change) {
    const own = { ...textsV1, linked_by_name: 'Ada' };
    const full = { ...own, ...dates, balance: 12_345, to_base: 10_000, credit_limit: 25_000_000 };
    const ids = [(yield* change.insert(plaidAccounts, full)).id];
    for (const status of Object.keys(statuses))
      ids.push((yield* change.insert(plaidAccounts, { ...own, status, balance: 0 })).id);
    return ids;
  });
  const [, body] = await send('GET', '/v1/plaid_accounts');
  const [full, ...others] = (body as { plaid_accounts: Record<string, unknown>[] }).plaid_accounts;
  const money = { limit: 2500, balance: '1.2345', to_base: 1 };
  assert.deepEqual(full, { id: rows[0], ...textsV1, ...dates, ...money, status: 'active' });
  assert.deepEqual(pick(others, 'status'), Object.values(statuses));
  const { limit, balance_last_update: updated, last_fetch: fetched } = others[0]!;
  assert.deepEqual([limit, updated, fetched], [null, '2020-01-28T00:00:00.000Z', null]);
});

test('a fetch is requested with and without a body, and not twice in a minute', async () => {
  const fetch = (options?: object) => send('POST', '/v1/plaid_accounts/fetch', options);
  const json = { ...as(made.ada), 'content-type': 'application/json' };
  const [{ id } = assert.fail()] = await book.rows(plaidAccounts);
  const ranged = { start_date: '2026-01-01', end_date: '2026-01-31', plaid_account_id: id };
  const nulls = { start_date: null, end_date: null, plaid_account_id: null, more: 1 };
  const bodies = [{}, { headers: json }, ...[{}, nulls, ranged].map((payload) => ({ payload }))];
  for (const options of bodies) {
    assert.deepEqual(await fetch(options), [200, true]);
    assert.deepEqual(await fetch(options), [200, false]);
    made.clock.advance(60_000);
  }
  const stored = await book.read(() => find(syncRequests, { book_id: book.id }));
  const { first_date, last_date, plaid_account_id } = stored!;
  assert.deepEqual([first_date, last_date, plaid_account_id], Object.values(ranged));
  const refused: [object, string][] = [
    [{ start_date: '2026-01-01' }, "Both 'start_date' and 'end_date' must be specified."],
    [{ ...ranged, plaid_account_id: 8765 }, 'There is no synced account with the id: 8765.'],
    [
      { ...ranged, start_date: '2026-02-01' },
      'start_date 2026-02-01 is later than end_date 2026-01-31',
    ],
  ];
  for (const [payload, error] of refused)
    assert.deepEqual(await fetch({ payload }), [400, { error }]);
});
