import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readCoinbaseHoldings, type CoinbaseRequest } from './coinbase.ts';
import { connectorContract } from '../connector-contract.ts';
import { startCoinbaseServer } from '../testing/coinbase-server.ts';
import { exampleCoinbaseCredentials } from '../testing/example-credentials.ts';

const bitcoin = (quantity: string) => ({
  symbol: 'btc',
  name: 'BTC',
  quantity,
  coingecko_id: 'bitcoin',
});
const money = (value: unknown, currency = 'BTC') => ({ value, currency });
const page = (rest: object) => ({ accounts: [], has_next: false, cursor: '', ...rest });
const btc = { currency: 'BTC', available_balance: money('1'), hold: money('1') };
const account = (rest: object) => page({ accounts: [{ ...btc, ...rest }] });
const tooMany = Array.from({ length: 1001 }, (_, n) => {
  return { currency: `C${n}`, available_balance: money('1', `C${n}`) };
});
const invalidResponses = [
  ...[undefined, null, {}, [null], ['canary-in-response'], tooMany].map((accounts) =>
    page({ accounts }),
  ),
  account({ currency: undefined }),
  account({ currency: 1 }),
  account({ currency: 'B C', available_balance: money('1', 'B C'), hold: null }),
  account({ available_balance: undefined }),
  account({ available_balance: '1' }),
  account({ available_balance: money('1', 'ETH') }),
  account({ hold: money('1', 'ETH') }),
  account({ hold: money('-1') }),
  ...[0.1, 1e30, '-1', '1e-8', 'NaN', `0.${'0'.repeat(18)}1`, `1${'0'.repeat(30)}`, undefined].map(
    (value) => account({ available_balance: money(value) }),
  ),
  page({ has_next: true, cursor: 7 }),
];

for (const algorithm of ['ES256', 'EdDSA'] as const) {
  const { credentials, publicKey } = exampleCoinbaseCredentials(algorithm);
  const { keyName, privateKey } = credentials;
  const balances = { BTC: { available: '0.12345678', hold: '0.000000000000000001' } };
  const server = await startCoinbaseServer({ keyName, publicKey, balances, pageSize: 2 });
  after(() => server.close());
  const read = (rest: Partial<CoinbaseRequest> = {}) =>
    readCoinbaseHoldings({
      url: server.url,
      keyName,
      privateKey,
      now: Date.now,
      signal: AbortSignal.timeout(20_000),
      ...rest,
    });
  const quantities = async () =>
    Object.fromEntries((await read()).map(({ symbol, quantity }) => [symbol, quantity]));

  if (algorithm === 'ES256')
    connectorContract('the Coinbase connector', {
      server,
      secrets: [privateKey, keyName, privateKey.split('\n')[1]!],
      holdings: [bitcoin('0.123456780000000001')],
      read: (signal) => read({ signal }),
      invalidResponses,
    });

  describe(`the Coinbase connector with ${algorithm}`, () => {
    it('adds holds to available amounts, without fiat money and zeros', async () => {
      server.setBalances({
        BTC: { available: '0.5', hold: '0.25' },
        ETH: { available: '0', hold: '0.000000000000000001' },
        USD: '12.34',
        EUR: '1.00',
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
      const found = calls.map(({ query }) => query.get('cursor'));
      assert.deepEqual(found, [null, '2', '4']);
      // The server accepts each token once, and only for its URL.
      assert.equal(new Set(calls.map(({ headers }) => headers.authorization)).size, 3);
    });

    it('is refused with another key, another name or a wrong clock', async () => {
      const other = exampleCoinbaseCredentials(algorithm).credentials;
      for (const wrong of [
        { privateKey: other.privateKey },
        { keyName: 'organizations/a/apiKeys/b' },
        { now: () => Date.now() - 121_000 },
        { now: () => Date.now() + 10_000 },
      ])
        await assert.rejects(read(wrong), { name: 'CryptoRefreshError', reason: 'refused' });
      const before = server.calls.length;
      await assert.rejects(read({ privateKey: 'canary' }), { reason: 'refused' });
      assert.equal(server.calls.length, before, 'no request with a key that is not valid');
    });

    it('reads at most 20 pages, and stops after one without the cursor of the next', async () => {
      const balances = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`C${n}`, '1']));
      server.setBalances(balances(40));
      assert.equal(Object.keys(await quantities()).length, 40);
      server.setBalances(balances(41));
      const sent = async (): Promise<number> => {
        const before = server.calls.length;
        await assert.rejects(quantities(), { reason: 'nonsense' });
        return server.calls.length - before;
      };
      assert.equal(await sent(), 20);
      for (const [has_next, cursor, count] of [
        ['true', 'c', 1],
        [true, '', 1],
        [true, 'c'.repeat(1001), 1],
        // The second page gives its own cursor as the next one.
        [true, 'c'.repeat(1000), 2],
      ] as const) {
        await server.fail({ json: page({ has_next, cursor }) });
        assert.equal(await sent(), count);
      }
      await server.fail(null);
    });

    it('adds up two accounts with the same currency, and accepts accounts without a hold', async () => {
      const types = ['ACCOUNT_TYPE_CRYPTO', 'ACCOUNT_TYPE_VAULT'];
      const available_balance = money('1.5');
      const accounts = types.map((type) => ({ currency: 'BTC', available_balance, type }));
      await server.fail({ json: { accounts, has_next: false } });
      assert.deepEqual(await quantities(), { btc: '3.000000000000000000' });
      await server.fail(null);
    });
  });
}
