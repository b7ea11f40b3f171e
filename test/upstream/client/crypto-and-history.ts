import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { components } from '@lunch-money/lunch-money-js-v2';
import { held } from '../../service/crypto-providers.ts';
import type { StartedClient } from './started-client.ts';

type TheirAccount = components['schemas']['syncedCryptoAccount'];

interface Made {
  readonly id: number;
  readonly [key: string]: unknown;
}
interface History {
  readonly source: { readonly deleted_account_id?: number };
  readonly balances: readonly { readonly id: number; readonly month: string; balance: string }[];
}

/** Tests the paths without a method: crypto, cryptocurrencies and the balance history. */
export function testCryptoAndHistory({
  service,
  providers,
  client,
  rawClient,
}: StartedClient): void {
  const { ada } = service;
  test('it lists, gets and refreshes synced crypto, by its inner client', async () => {
    const id = await providers.add(service.engine, ada, 'coinbase');
    const params = { path: { id } };
    const refreshed = await rawClient.POST('/crypto/synced/{id}/refresh', { params });
    assert.equal(refreshed.response.status, 200);
    const { balances } = refreshed.data as TheirAccount;
    assert.deepEqual(
      balances.map(({ symbol, balance, to_base: worth }) => [symbol, balance, worth]),
      held.coinbase,
    );
    const list = await rawClient.GET('/crypto/synced');
    assert.deepEqual(list.data, { crypto_synced: [refreshed.data] });
    const one = await rawClient.GET('/crypto/synced/{id}', { params });
    assert.deepEqual(one.data, refreshed.data);
    const path = { id, symbol: balances[0]!.symbol };
    const single = await rawClient.GET('/crypto/synced/{id}/{symbol}', { params: { path } });
    assert.deepEqual(single.data, balances[0]);
  });

  test('it creates, gets, lists, updates and deletes manual crypto', async () => {
    const body = { name: 'Cold wallet', symbol: 'btc', balance: '0.5' };
    const made = await rawClient.POST('/crypto/manual', { body });
    const { id } = made.data as Made;
    const params = { path: { id } };
    const changed = await rawClient.PUT('/crypto/manual/{id}', { params, body: { balance: '2' } });
    const one = await rawClient.GET('/crypto/manual/{id}', { params });
    assert.deepEqual(one.data, changed.data);
    assert.equal((one.data as Made)['balance'], `2.${'0'.repeat(18)}`);
    const list = await rawClient.GET('/crypto/manual');
    assert.deepEqual(list.data, { crypto_manual: [one.data] });
    assert.equal((await rawClient.DELETE('/crypto/manual/{id}', { params })).response.status, 204);
    assert.equal((await rawClient.GET('/crypto/manual/{id}', { params })).response.status, 404);
  });

  test('it lists cryptocurrencies, and adds one if the price source has it', async () => {
    const { data } = await rawClient.GET('/cryptocurrencies');
    const { cryptocurrencies } = data as { cryptocurrencies: { symbol: string }[] };
    assert.ok(cryptocurrencies.some(({ symbol }) => symbol === 'btc'));
    const body = { coingecko_url: 'https://www.coingecko.com/en/coins/pi-network' };
    const unknown = await rawClient.POST('/cryptocurrencies', { body });
    assert.equal(unknown.response.status, 422);
    await providers.prices.fail({ json: { id: 'pi-network', symbol: 'pi', name: 'Pi Network' } });
    const added = await rawClient.POST('/cryptocurrencies', { body });
    await providers.prices.fail(null);
    assert.equal(added.response.status, 201);
    const { id, ...coin } = added.data as Made;
    assert.ok(id > 0);
    const names = { coingecko_id: 'pi-network', symbol: 'pi', full_name: 'Pi Network' };
    assert.deepEqual(coin, names);
  });

  test('it writes, reads and deletes the balance history', async () => {
    const account = { name: 'With a history', type: 'cash', balance: 1 } as const;
    const { id } = await client.manualAccounts.create(account);
    const path = { account_type: 'manual', account_id: id };
    const place = '/balance_history/{account_type}/{account_id}';
    const body = { balances: [{ month: '2025-12', balance: '5' }] };
    const written = await rawClient.PUT(place, { params: { path }, body });
    const entry = (written.data as History).balances[0]!;
    assert.deepEqual([entry.month, entry.balance], ['2025-12', '5.0000']);
    const query = { start_month: '2025-12', end_month: '2025-12' };
    const read = await rawClient.GET(place, { params: { path, query } });
    assert.deepEqual(read.data, { balance_history: [written.data] });
    const all = await rawClient.GET('/balance_history', { params: { query } });
    assert.deepEqual(all.data, { balance_history: [written.data] });
    const params = { path: { id: entry.id } };
    const remove = () => rawClient.DELETE('/balance_history/entries/{id}', { params });
    assert.equal((await remove()).response.status, 204);
    assert.equal((await remove()).response.status, 404);
    await rawClient.PUT(place, { params: { path }, body });
    await client.manualAccounts.delete(id);
    const former = (await rawClient.GET('/balance_history', { params: { query } })).data;
    const [deleted] = (former as { balance_history: History[] }).balance_history;
    const account_id = deleted!.source.deleted_account_id;
    const details = '/balance_history/deleted/{account_id}/details';
    const named = { params: { path: { account_id } }, body: { name: 'Former' } };
    assert.equal((await rawClient.PUT(details, named)).response.status, 200);
    const ofDeleted = { params: { path: { account_type: 'deleted', account_id } } };
    assert.equal((await rawClient.DELETE(place, ofDeleted)).response.status, 204);
  });

  test('it writes, reads and deletes the balance history of synced crypto', async () => {
    const { data } = await rawClient.GET('/crypto/synced');
    const { crypto_synced: accounts } = data as { crypto_synced: { id: number }[] };
    const path = { account_id: accounts[0]!.id, symbol: 'btc' };
    const place = '/balance_history/crypto_synced/{account_id}/{symbol}';
    const body = { balances: [{ month: '2025-12', balance: '5', crypto_balance: '0.1' }] };
    const written = await rawClient.PUT(place, { params: { path }, body });
    assert.equal((written.data as History).balances[0]?.month, '2025-12');
    const query = { start_month: '2025-12', end_month: '2025-12' };
    const read = await rawClient.GET(place, { params: { path, query } });
    assert.deepEqual(read.data, { balance_history: [written.data] });
    assert.equal((await rawClient.DELETE(place, { params: { path } })).response.status, 204);
  });
}
