import assert from 'node:assert/strict';
import { test } from 'node:test';
import { find } from '../../db/rows.ts';
import {
  cryptoAccounts,
  cryptoBalances,
  manualAccounts,
  plaidAccounts,
} from '../../db/tables/tables.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import { unlinkCryptoAccount } from '../../sync/crypto/actions.ts';
import type { AccountHistory } from './schema.ts';

const { made, book, send, ok, status, refused, changes, ben } = await openBooks();
const url = '/v2/balance_history';
const thisMonth = '2023-11';
const quantity = `1.5${'0'.repeat(17)}`;

/** Accounts in the primary currency except the manual one, for which there is no rate. */
const ids = await book.change(function* (change) {
  const by = { created_by_name: 'Ada', balance_as_of: change.at };
  const manual = yield* change.insert(manualAccounts, {
    name: 'Cash',
    institution_name: 'Bank',
    type: 'cash',
    subtype: 's',
    currency: 'usd',
    ...by,
    balance: 12_345_600,
    to_base: 0,
  });
  const plaid = yield* change.insert(plaidAccounts, {
    name: 'Card',
    institution_name: 'Bank',
    type: 'credit',
    subtype: 'card',
    mask: '1',
    currency: 'eur',
    balance: 70_000,
    to_base: 70_000,
    date_linked: '2020-01-01',
    linked_by_name: 'Ada',
  });
  const synced = yield* change.insert(cryptoAccounts, {
    provider: 'kraken',
    status: 'active',
    sealed_credentials: Buffer.of(1),
    created_by_name: 'Ada',
  });
  const asset = { account_id: synced.id, quantity, read_at: change.at };
  const price = { to_base: 650_000, price_as_of: change.at };
  yield* change.insert(cryptoBalances, { ...asset, symbol: 'btc', name: 'BTC', ...price });
  yield* change.insert(cryptoBalances, { ...asset, symbol: 'odd', name: 'ODD' });
  return { manual: manual.id, plaid: plaid.id, synced: synced.id };
});
await changes();

const path = {
  manual: `${url}/manual/${ids.manual}`,
  plaid: `${url}/plaid/${ids.plaid}`,
  btc: `${url}/crypto_synced/${ids.synced}/BTC`,
};
const read = async (at: string) =>
  (await ok<{ balance_history: AccountHistory[] }>('GET', at)).balance_history;
const write = (at: string, ...balances: readonly object[]) =>
  ok<AccountHistory>('PUT', at, { balances });
const monthsOf = ({ balances }: AccountHistory) => balances.map(({ month }) => month);
const idsOf = ({ balances }: AccountHistory) =>
  balances.map((entry) => ('id' in entry ? entry.id : 0));
const places = async (...request: Parameters<typeof refused>) =>
  (await refused(...request)).map((each) =>
    [each['request_balances_index'], each['invalid_property']].join(' '),
  );

test('the present balance of each account with a known one is that of this month', async () => {
  const current = { type: 'current', month: thisMonth, crypto_balance: null };
  const all = await read(url);
  const euros = { ...current, currency: 'eur' };
  const btc = { ...euros, balance: '65.0000', to_base: 65, crypto_balance: quantity };
  assert.deepEqual(all, [
    {
      source: { type: 'manual', manual_account_id: ids.manual },
      balances: [{ ...current, balance: '1234.5600', currency: 'usd', to_base: 0 }],
    },
    {
      source: { type: 'plaid', plaid_account_id: ids.plaid },
      balances: [{ ...euros, balance: '7.0000', to_base: 7 }],
    },
    {
      source: { type: 'crypto_synced', crypto_synced_id: ids.synced, symbol: 'btc' },
      balances: [btc],
    },
  ]);
  assert.deepEqual(await read(path.manual), [all[0]]);
  assert.deepEqual(await read(path.btc), [all[2]]);
  const [odd] = await read(`${url}/crypto_synced/${ids.synced}/odd`);
  assert.deepEqual(odd!.balances, [], 'no price');
  assert.deepEqual(await ben.ok('GET', url), { balance_history: [] });
});

test('past balances are written by month, and an entry keeps its id', async () => {
  const first = await write(
    path.manual,
    { month: '2023-10', balance: '41500.1', currency: 'eur' },
    { month: '2023-09', balance: 0.00005, crypto_balance: null, symbol: null },
  );
  assert.deepEqual(monthsOf(first), ['2023-09', '2023-10']);
  const base = { type: 'historical', crypto_balance: null };
  const [small, large] = idsOf(first);
  const euros = { balance: '41500.1000', currency: 'eur', to_base: 41500.1 };
  assert.deepEqual(first.balances, [
    { ...base, id: small, month: '2023-09', balance: '0.0000', currency: 'usd', to_base: 0 },
    { ...base, id: large, month: '2023-10', ...euros },
  ]);
  // As in a response, but without its type.
  const whole = { ...first.balances[1], type: undefined, id: 'x', balance: 5 };
  const again = await write(path.manual, whole);
  assert.deepEqual(idsOf(again), [large]);
  assert.equal(again.balances[0]!.balance, '5.0000');
  const { etag } = await send('GET', path.manual);
  await write(path.manual, { month: '2023-10', balance: 5, currency: 'eur' });
  assert.equal((await send('GET', path.manual)).etag, etag, 'nothing differs');
  const btc = await write(path.btc, { month: '2023-08', balance: 1, crypto_balance: '-0.5' });
  const source = { type: 'crypto_synced', crypto_synced_id: ids.synced, symbol: 'btc' };
  assert.deepEqual(btc.source, source);
  const kept = await write(path.btc, { month: '2023-08', balance: 2, symbol: 'BTC' });
  assert.equal(kept.balances[0]!.crypto_balance, `-0.5${'0'.repeat(17)}`);
  assert.equal(kept.balances[0]!.currency, 'eur');
  assert.deepEqual(await changes(), [
    'upsertBalanceHistoryForAccount',
    'upsertBalanceHistoryForAccount',
    'upsertBalanceHistoryForCryptoSynced',
    'upsertBalanceHistoryForCryptoSynced',
  ]);
});

test('a list has the months of its range, and this month only when it is one of them', async () => {
  const range = (from: string, to: string) => read(`${url}?start_month=${from}&end_month=${to}`);
  const months = async (...of: [string, string]) => (await range(...of)).map(monthsOf);
  assert.deepEqual(await months('2023-09', '2023-10'), [['2023-09', '2023-10']]);
  assert.deepEqual(await months('2023-10', thisMonth), [
    ['2023-10', thisMonth],
    [thisMonth],
    [thisMonth],
  ]);
  assert.deepEqual(await months('2023-08', '2023-08'), [['2023-08']]);
  assert.deepEqual(await months('0001-01', '0001-01'), []);
  const bad: Readonly<Record<string, string>> = {
    'start_month=2023-01': '/query',
    'end_month=2023-01': '/query',
    'start_month=2023-10&end_month=2023-09': '/query/start_month',
    'start_month=2023-10&end_month=2023-12': '/query/end_month',
    'start_month=2023-10-01&end_month=2023-11': '/query/start_month',
  };
  for (const [query, place] of Object.entries(bad))
    for (const at of [url, path.manual, path.btc])
      assert.equal((await refused('GET', `${at}?${query}`))[0]!['instancePath'], place, query);
  const both = await refused('GET', `${url}?start_month=2024-02&end_month=2024-01`);
  assert.equal(both.length, 3);
});

test('every problem of the entries is reported with its index, and nothing changes', async () => {
  const problems = await places('PUT', path.manual, {
    balances: [
      { month: thisMonth, balance: 1 },
      { month: '2023-13', balance: 1e300, symbol: 'btc' },
      { month: '2023-01', balance: 1, crypto_balance: '1' },
      { month: '2023-01', balance: 1 },
      { month: '2023-02', balance: 1 },
    ],
  });
  const first = ['0 month', '1 month', '1 balance', '1 symbol'];
  assert.deepEqual(problems, [...first, '2 crypto_balance', '3 month']);
  const eth = { month: '2023-01', balance: 1, symbol: 'eth' };
  assert.deepEqual(await places('PUT', path.btc, { balances: [eth] }), ['0 symbol']);
  const entry = { month: '2023-01', balance: 1 };
  for (const part of [{ type: 'historical' }, { month: '0000-01' }, { crypto_balance: '1e3' }])
    await refused('PUT', path.manual, { balances: [{ ...entry, ...part }] });
  const bad = [entry, { ...entry, month: '2023-02', balance: '1.23456' }];
  assert.deepEqual(await places('PUT', path.manual, { balances: bad }), ['1 balance']);
  const longest = { ...entry, crypto_balance: `${'9'.repeat(18)}.${'9'.repeat(18)}` };
  await write(path.btc, longest);
  await refused('PUT', path.btc, { balances: [{ ...longest, crypto_balance: '9'.repeat(19) }] });
});

test('unknown symbols and entries are 404', async () => {
  const body = { balances: [{ month: '2023-01', balance: 1 }] };
  for (const at of [`${url}/crypto_synced/${ids.synced}/doge`, `${url}/deleted/99999999`])
    for (const [method, sent] of [['GET'], ['PUT', body], ['DELETE']] as const)
      assert.equal(await status(method, at, sent), 404, `${method} ${at}`);
});

test('entries are deleted one by one, and by account', async () => {
  const [first] = await read(path.manual);
  const [id] = idsOf(first!);
  const entry = `${url}/entries/${id}`;
  assert.deepEqual([await status('DELETE', entry), await status('DELETE', entry)], [204, 404]);
  assert.deepEqual((await read(path.manual)).map(monthsOf), [['2023-10', thisMonth]]);
  await write(path.plaid, { month: '2023-10', balance: 1 });
  for (const at of [path.plaid, path.btc, path.plaid]) await ok('DELETE', at);
  assert.deepEqual((await read(path.plaid)).map(monthsOf), [[thisMonth]]);
  assert.deepEqual((await read(path.btc)).map(monthsOf), [[thisMonth]]);
});

test('the history of a deleted account stays, with details that can be changed', async () => {
  await write(path.btc, { month: '2023-01', balance: 3, crypto_balance: '2' });
  await ok('DELETE', `/v2/manual_accounts/${ids.manual}`);
  assert.ok(await unlinkCryptoAccount(made.engine, book.id, ids.synced));
  const [, ...deleted] = await read(url);
  const idOf = (at: number) =>
    (deleted[at]!.source as { deleted_account_id: number }).deleted_account_id;
  const details = {
    name: 'Cash',
    institution_name: 'Bank',
    display_name: null,
    account_type: 'cash',
    subtype: 's',
    mask: null,
  };
  const source = { type: 'deleted', ...details, symbol: null };
  assert.deepEqual(deleted[0]!.source, { ...source, deleted_account_id: idOf(0) });
  assert.deepEqual(deleted.map(monthsOf), [['2023-10'], ['2023-01']]);
  const crypto = deleted[1]!.source as { name: string; symbol: string };
  assert.deepEqual([crypto.name, crypto.symbol], ['kraken', 'btc']);
  assert.equal(deleted[1]!.balances[0]!.crypto_balance, `2.${'0'.repeat(18)}`);
  const at = `${url}/deleted/${idOf(0)}`;
  for (const body of [{}, { symbol: 'x' }, { name: 5 }, { name: 'a\0' }])
    await refused('PUT', `${at}/details`, body);
  const sent = { name: 'Old', mask: '1234', subtype: null };
  const now = { ...details, ...sent };
  assert.deepEqual(await ok('PUT', `${at}/details`, sent), now);
  const tolerated = { month: '2023-01', balance: 1, symbol: 'any', crypto_balance: '1' };
  const written = await write(at, tolerated);
  assert.deepEqual(written.source, { ...source, ...now, deleted_account_id: idOf(0) });
  assert.deepEqual((await read(at)).map(monthsOf), [['2023-01', '2023-10']]);
  await ok('DELETE', at);
  for (const gone of [at, path.manual]) assert.equal(await status('GET', gone), 404);
});

test('a new month has another ETag; an account that a clock was ahead to open has its balance', async () => {
  const { etag } = await send('GET', url);
  made.clock.advance(20 * 86_400_000);
  assert.notEqual((await send('GET', url)).etag, etag);
  assert.deepEqual((await read(path.plaid)).map(monthsOf), [['2023-12']]);
  await write(path.plaid, { month: thisMonth, balance: 1 });
  await book.change(function* (change) {
    const account = yield* find(plaidAccounts, { id: ids.plaid });
    yield* change.update(plaidAccounts, account!, { date_linked: '2099-01-01' });
  });
  assert.equal((await read(path.plaid))[0]!.balances.at(-1)?.type, 'current');
});
