import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readCoinbaseHoldings } from './coinbase.ts';
import type { CoinbaseRequest } from './coinbase.ts';
import { connectorContract } from '../connector-contract.ts';
import { startCoinbaseServer } from '../testing/coinbase-server.ts';
import { exampleCoinbaseCredentials } from '../testing/example-credentials.ts';

function page(rest: object) {
  return { accounts: [], has_next: false, cursor: '', ...rest };
}

function account(rest: object) {
  const money = { value: '1', currency: 'BTC' };
  const type = 'ACCOUNT_TYPE_CRYPTO';
  return page({
    accounts: [{ currency: 'BTC', type, available_balance: money, hold: money, ...rest }],
  });
}

function amount(value: unknown) {
  return account({ available_balance: { value, currency: 'BTC' } });
}

function start(key: ReturnType<typeof exampleCoinbaseCredentials>) {
  const balances = { BTC: { available: '0.12345678', hold: '0.000000000000000001' } };
  const { keyName } = key.credentials;
  return startCoinbaseServer({ keyName, publicKey: key.publicKey, balances, pageSize: 2 });
}

const keys = { ES256: exampleCoinbaseCredentials(), EdDSA: exampleCoinbaseCredentials('EdDSA') };
const servers = { ES256: await start(keys.ES256), EdDSA: await start(keys.EdDSA) };
after(() => Promise.all(Object.values(servers).map((each) => each.close())));

for (const algorithm of ['ES256', 'EdDSA'] as const) {
  const { keyName, privateKey } = keys[algorithm].credentials;
  const server = servers[algorithm];
  connectorContract(`the Coinbase connector with ${algorithm}`, {
    server,
    secrets: [privateKey, keyName, privateKey.split('\n')[1] ?? privateKey],
    holdings: [
      { symbol: 'btc', name: 'BTC', quantity: '0.123456780000000001', coingeckoId: 'bitcoin' },
    ],
    read: (signal) =>
      readCoinbaseHoldings({
        url: server.url,
        keyName,
        privateKey,
        now: Date.now,
        signal,
      }),
    invalidResponses: {
      'no accounts': page({ accounts: undefined }),
      'accounts of null': page({ accounts: null }),
      'accounts that are an object': page({ accounts: {} }),
      'an account of null': page({ accounts: [null] }),
      'an account that is a string': page({ accounts: ['canary-in-response'] }),
      'no currency': account({ currency: undefined }),
      'a currency that is a number': account({ currency: 1 }),
      'a currency with a space': account({
        currency: 'B C',
        available_balance: { value: '1', currency: 'B C' },
        hold: null,
      }),
      'no balance': account({ available_balance: undefined }),
      'a balance that is a string': account({ available_balance: '1' }),
      'a balance in another currency': account({
        available_balance: { value: '1', currency: 'ETH' },
      }),
      'a hold in another currency': account({ hold: { value: '1', currency: 'ETH' } }),
      'an amount as a number': amount(0.1),
      'an amount as a huge number': amount(1e30),
      'a negative amount': amount('-1'),
      'a negative hold': account({ hold: { value: '-1', currency: 'BTC' } }),
      'an amount with an exponent': amount('1e-8'),
      'an amount that is not a number': amount('NaN'),
      'an amount with 19 places': amount(`0.${'0'.repeat(18)}1`),
      'an amount of 10^30': amount(`1${'0'.repeat(30)}`),
      'no amount': amount(undefined),
      'a next page without a cursor': page({ has_next: true }),
      'a next page with a cursor that is a number': page({ has_next: true, cursor: 7 }),
      'a next page with an endless cursor': page({ has_next: true, cursor: 'c'.repeat(1001) }),
      'a next page that is the same page': page({ has_next: true, cursor: 'c' }),
      'a next page that is a string': page({ has_next: 'true', cursor: 'c' }),
      'more than 1,000 assets': page({
        accounts: Array.from({ length: 1001 }, (_, n) => ({
          currency: `C${n}`,
          available_balance: { value: '1', currency: `C${n}` },
        })),
      }),
    },
  });
}

describe('the Coinbase connector', () => {
  const server = servers.ES256;
  const { credentials } = keys.ES256;
  const read = (rest: Partial<CoinbaseRequest> = {}) =>
    readCoinbaseHoldings({
      url: server.url,
      ...credentials,
      now: Date.now,
      signal: AbortSignal.timeout(20_000),
      ...rest,
    });

  async function quantities() {
    const holdings = await read();
    return Object.fromEntries(holdings.map(({ symbol, quantity }) => [symbol, quantity]));
  }

  it('adds holds to available amounts, without fiat money and zeros', async () => {
    server.setBalances({
      BTC: { available: '0.5', hold: '0.25' },
      ETH: { available: '0', hold: '0.000000000000000001' },
      USD: '12.34',
      EUR: '1.00',
      JPY: '100',
      SOL: '0.000000000000000000',
      ERN: '3',
    });
    assert.deepEqual(await quantities(), {
      btc: '0.750000000000000000',
      eth: '0.000000000000000001',
      ern: '3.000000000000000000',
    });
  });

  it('reads all pages, and signs each request', async () => {
    server.setBalances({ BTC: '1', ETH: '2', SOL: '3', ADA: '4', DOT: '5' });
    const before = server.calls.length;
    assert.deepEqual(Object.keys(await quantities()), ['ada', 'btc', 'dot', 'eth', 'sol']);
    const calls = server.calls.slice(before);
    assert.deepEqual(
      calls.map(({ query }) => query.get('cursor')),
      [null, '2', '4'],
    );
    // The server accepts each token once, and only for its URL.
    assert.equal(new Set(calls.map(({ headers }) => headers.authorization)).size, 3);
  });

  it('reads at most 20 pages', async () => {
    const balances = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`C${n}`, '1']));
    server.setBalances(balances(40));
    assert.equal(Object.keys(await quantities()).length, 40);
    server.setBalances(balances(41));
    const before = server.calls.length;
    await assert.rejects(quantities(), { reason: 'nonsense' });
    assert.equal(server.calls.length, before + 20);
  });

  it('stops after a page without the cursor of the next one', async () => {
    const pages: [string | boolean, string, number][] = [
      ['true', 'c', 1],
      [true, '', 1],
      [true, 'c'.repeat(1001), 1],
      // The second page gives its own cursor as the next one.
      [true, 'c'.repeat(1000), 2],
    ];
    for (const [hasNext, cursor, calls] of pages) {
      await server.fail({ json: page({ has_next: hasNext, cursor }) });
      const before = server.calls.length;
      await assert.rejects(quantities(), { reason: 'nonsense' });
      assert.equal(server.calls.length - before, calls, cursor.slice(0, 10));
    }
    await server.fail(null);
  });

  it('leaves out accounts of the type fiat in any currency', async () => {
    await server.fail({ json: account({ type: 'ACCOUNT_TYPE_FIAT' }) });
    assert.deepEqual(await quantities(), {});
    await server.fail(null);
  });

  it('adds up two accounts with the same currency, and accepts accounts without a hold', async () => {
    const btc = (type: string) => ({
      currency: 'BTC',
      type,
      available_balance: { value: '1.5', currency: 'BTC' },
    });
    const accounts = [btc('ACCOUNT_TYPE_CRYPTO'), btc('ACCOUNT_TYPE_VAULT')];
    await server.fail({ json: { accounts, has_next: false } });
    assert.deepEqual(await quantities(), { btc: '3.000000000000000000' });
    await server.fail(null);
  });

  it('is refused with another key, another name or a wrong clock', async () => {
    const { privateKey } = exampleCoinbaseCredentials().credentials;
    const refused = { name: 'CryptoRefreshError', reason: 'refused' };
    await assert.rejects(read({ privateKey }), refused);
    await assert.rejects(read({ keyName: 'organizations/a/apiKeys/b' }), refused);
    await assert.rejects(read({ now: () => Date.now() - 121_000 }), refused);
    await assert.rejects(read({ now: () => Date.now() + 10_000 }), refused);
  });

  it('is refused without a request when the private key is not valid', async () => {
    const before = server.calls.length;
    await assert.rejects(read({ privateKey: 'canary' }), { reason: 'refused' });
    assert.equal(server.calls.length, before);
  });
});
