import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it, mock } from 'node:test';
import { inspect } from 'node:util';
import { sealCredentials } from '../../outside/credentials.ts';
import type { CryptoBalance } from '../prices/worth.ts';
import type { Fault } from '../testing/provider-server.ts';
import {
  bookId,
  credentials,
  encryptionKey,
  failureOf,
  nowIso,
  priceIso,
  prices,
  startScene,
} from '../testing/scene.ts';
import type { Scene } from '../testing/scene.ts';
import { createCryptoReader, type ProviderSettings, type ReadRequest } from './reader.ts';

const providers = ['kraken', 'coinbase', 'ethereum'] as const;
const knownIso = '2026-11-20T00:00:00.000Z';
const ether: CryptoBalance = {
  symbol: 'eth',
  name: 'ETH',
  quantity: '2.000000000000000000',
  coingecko_id: 'ethereum',
  to_base: 50_000_000,
  price_as_of: knownIso,
};

const canary = 'canary-in-a-url';
const { kraken, coinbase } = credentials;
const secrets = [canary, kraken.apiKey, kraken.privateKey, coinbase.privateKey.split('\n')[1]!];
secrets.push(encryptionKey.toString('hex'), encryptionKey.toString('base64'));

function assertDiscreet(value: unknown): void {
  const printed = inspect(value, { depth: 9, showHidden: true });
  for (const secret of secrets) assert.ok(!printed.includes(secret), printed);
}

describe('a reader', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene();
  });
  after(() => scene.close());
  beforeEach(() => {
    scene.warnings.length = 0;
  });

  it('reads balances with their values, at the time of its clock', async () => {
    const { balances, ...rest } = await scene.reader().read(scene.request('kraken'));
    const texts = balances.map((each) => Object.values(each).map(String).join(' '));
    const first = `btc BTC 0.500000000000000000 bitcoin 325000500 ${priceIso}`;
    assert.deepEqual(texts, [first, 'new NEW 3.000000000000000000 null null null']);
    const bitcoin = { coingecko_id: 'bitcoin', price: '650001e-1', as_of: priceIso };
    assert.deepEqual(rest, { readAtIso: nowIso, prices: [bitcoin] });
    assert.deepEqual(scene.warnings, []);
  });

  it('uses the nonce and the currency of the request', async () => {
    const request = scene.request('kraken', { currency: 'eur' });
    const { balances } = await scene.reader().read(request);
    assert.equal(scene.servers.kraken.nonces.at(-1), request.nonce);
    assert.equal(scene.servers.prices.calls.at(-1)?.query.get('vs_currencies'), 'eur');
    // The price source has no price in euros.
    assert.equal(balances[0]?.to_base, null);
  });

  it('times out when the provider is slow, after 5 seconds by default', async () => {
    await scene.servers.kraken.fail('slowBody');
    const slow = scene.reader({ timeoutMs: 80 }).read(scene.request('kraken'));
    assert.equal((await failureOf(slow)).reason, 'timeout');
    await scene.servers.kraken.fail(null);
    const timeout = mock.method(AbortSignal, 'timeout');
    await createCryptoReader({ providers: scene.settings }).read(scene.request('ethereum'));
    timeout.mock.restore();
    const found = timeout.mock.calls.map((call) => call.arguments);
    assert.deepEqual(found, [[5000], [5000]]);
  });

  it('succeeds when the price source fails, and keeps the known prices', async () => {
    const faults: [Fault, string][] = [
      ['down', 'unreachable'],
      [{ status: 429 }, 'rateLimited'],
      ['html', 'unreachable'],
      ['endless', 'nonsense'],
      [{ json: [] }, 'nonsense'],
      ['slowHeader', 'timeout'],
      ['slowBody', 'timeout'],
    ];
    const timeoutOf = AbortSignal.timeout.bind(AbortSignal);
    for (const [fault, reason] of faults) {
      for (const known of [[], [ether]]) {
        await scene.servers.prices.fail(fault);
        // The provider is read first and has plenty of time; a slow price source has little.
        const timesMs = [20_000, reason === 'timeout' ? 80 : 20_000];
        const timeout = mock.method(AbortSignal, 'timeout', () => timeoutOf(timesMs.shift()!));
        const { balances } = await scene.reader().read(scene.request('ethereum', { known }));
        timeout.mock.restore();
        await scene.servers.prices.fail(null);
        const found = balances.map(({ to_base, price_as_of }) => [to_base, price_as_of]);
        assert.deepEqual(found, [known.length === 0 ? [null, null] : [25_000_000, knownIso]]);
        const { details, message } = scene.warnings.at(-1)!;
        assert.equal((details as { reason: string }).reason, reason);
        assert.equal(message, 'Crypto prices could not be read');
      }
    }
  });

  it('keeps the known price of an asset that the price source no longer lists', async () => {
    scene.servers.prices.setPrices({ bitcoin: { usd: '1' } });
    const read = async () =>
      (await scene.reader().read(scene.request('ethereum', { known: [ether] }))).balances;
    const kept = { ...ether, quantity: '1.000000000000000000', to_base: 25_000_000 };
    assert.deepEqual(await read(), [kept]);
    scene.servers.prices.setPrices(prices);
    assert.deepEqual(await read(), [{ ...kept, to_base: 30_000_000, price_as_of: priceIso }]);
  });

  it('requests no prices without a price source, and keeps the known ones', async () => {
    const { calls } = scene.servers.prices;
    const before = [calls.length, scene.warnings.length];
    const reader = scene.reader({ providers: { ...scene.settings, pricesUrl: null } });
    for (const [known, expected] of [
      [[], null],
      [[ether], 25_000_000],
    ] as const) {
      const { balances, prices } = await reader.read(scene.request('ethereum', { known }));
      assert.deepEqual([balances.map(({ to_base }) => to_base), prices], [[expected], []]);
    }
    assert.deepEqual([calls.length, scene.warnings.length], before);
  });

  it('fails as unconfigured without a node or a key, and with another key or book', async () => {
    const calls = () => scene.servers.kraken.calls.length + scene.servers.ethereum.calls.length;
    const before = calls();
    const ofAnother = sealCredentials(encryptionKey, bookId + 1, credentials.kraken);
    const cases: [Partial<ProviderSettings>, ReadRequest, RegExp][] = [
      [{ ethereumRpcUrl: null }, scene.request('ethereum'), /no Ethereum node/],
      [{ encryptionKey: null }, scene.request('kraken'), /no encryption key/],
      [{ encryptionKey: randomBytes(32) }, scene.request('kraken'), /another encryption key/],
      [{}, scene.request('kraken', { sealedCredentials: ofAnother }), /damaged/],
    ];
    for (const [change, request, message] of cases) {
      const reader = scene.reader({ providers: { ...scene.settings, ...change } });
      const error = await failureOf(reader.read(request));
      assertDiscreet(error);
      assert.equal(error.reason, 'unconfigured');
      assert.match(error.message, message);
    }
    assert.equal(calls(), before);
  });

  it('has no secret in any error or warning', async () => {
    const base = (url: string) => `${url}/${canary}?key=${canary}`;
    const urls = Object.entries(scene.settings).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? base(value) : value,
    ]);
    const reader = scene.reader({ providers: Object.fromEntries(urls) as ProviderSettings });
    const faults: Fault[] = ['down', 'reset', 'html', 'notHttp', { status: 401 }, { status: 500 }];
    await scene.servers.prices.fail('reset');
    for (const provider of providers) {
      for (const fault of [...faults, { json: { error: [credentials.kraken.apiKey] } }]) {
        await scene.servers[provider].fail(fault);
        assertDiscreet(await failureOf(reader.read(scene.request(provider))));
      }
      await scene.servers[provider].fail(null);
    }
    await reader.read(scene.request('ethereum'));
    await scene.servers.prices.fail(null);
    assert.ok(scene.warnings.length > 0);
    assertDiscreet(scene.warnings);
  });
});
