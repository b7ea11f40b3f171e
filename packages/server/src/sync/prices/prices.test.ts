import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formatQuantity } from '@coffer/core/quantities';
import { startPriceServer, type PriceServer } from '../testing/price-server.ts';
import { jsonResponse, startProviderServer } from '../testing/provider-server.ts';
import type { ProviderServer } from '../testing/provider-server.ts';
import { createAssetSource, parsePrice, readPrices } from './asset-source.ts';
import type { AssetSource, PriceRequest } from './asset-source.ts';
import { withWorth, worthOf, type CryptoBalance, type CryptoHolding } from './worth.ts';

const nowMs = Date.UTC(2026, 0, 2);
const updatedAt = Date.UTC(2026, 0, 1) / 1000;
const updatedAtIso = '2026-01-01T00:00:00.000Z';

describe('the price source', () => {
  let server: PriceServer;
  before(async () => {
    server = await startPriceServer({ prices: {}, updatedAt });
  });
  after(() => server.close());

  const read = (rest: Partial<PriceRequest> = {}) =>
    readPrices({
      pricesUrl: server.url,
      ids: ['bitcoin', 'ethereum'],
      currency: 'usd',
      nowMs,
      signal: AbortSignal.timeout(20_000),
      ...rest,
    });

  /** The price of bitcoin when the price source sends this entry for it. */
  async function priceIn(entry: string) {
    await server.fail({ text: `{"bitcoin":${entry}}` });
    const prices = await read();
    await server.fail(null);
    return prices.get('bitcoin') ?? null;
  }

  it('returns prices with all their digits, and their time', async () => {
    server.setPrices({
      bitcoin: { usd: '65000.123456789012345678', eur: '1' },
      ethereum: { usd: '1.2e-8' },
    });
    const bitcoin = { mantissa: 65_000_123_456_789_012_345_678n, exponent: -18 };
    const ethereum = { mantissa: 12n, exponent: -9 };
    for (const [id, price] of Object.entries({ bitcoin, ethereum }))
      assert.deepEqual((await read()).get(id), { ...price, as_of: updatedAtIso });
  });

  it('receives all ids in one request, with the currency of the book and the key of the operator', async () => {
    const pricesUrl = `${server.url}/?x_cg_demo_api_key=key`;
    await read({ pricesUrl, currency: 'eur' });
    const { path, query } = server.calls.at(-1)!;
    assert.equal(path, '/api/v3/simple/price');
    assert.deepEqual(Object.fromEntries(query), {
      x_cg_demo_api_key: 'key',
      ids: 'bitcoin,ethereum',
      vs_currencies: 'eur',
      include_last_updated_at: 'true',
      precision: 'full',
    });
  });

  it('has no price for an unknown asset or currency', async () => {
    server.setPrices({ bitcoin: { usd: '1' } });
    assert.deepEqual([...(await read()).keys()], ['bitcoin']);
    assert.equal((await read({ currency: 'xpf' })).size, 0);
    assert.equal((await read({ currency: 'constructor' })).size, 0);
    assert.equal((await read({ ids: ['constructor', '__proto__'] })).size, 0);
    const before = server.calls.length;
    assert.equal((await read({ ids: [] })).size, 0);
    assert.equal(server.calls.length, before, 'no request without ids');
  });

  it('has no price in an invalid entry', async () => {
    const time = `"last_updated_at":${updatedAt}`;
    const dayAfter = nowMs / 1000 + 86_400;
    const prices = ['null', '"1"', '-1', '1e999'].map((usd) => `{"usd":${usd},${time}}`);
    const times = ['null', '"1"', '0', '1.5', `${updatedAt}000`, `${dayAfter + 1}`];
    const timed = times.map((text) => `{"usd":1,"last_updated_at":${text}}`);
    for (const entry of ['null', '1', '[1]', '{"usd":1}', ...prices, ...timed])
      assert.equal(await priceIn(entry), null, entry);
    const tomorrow = await priceIn(`{"usd":1,"last_updated_at":${dayAfter}}`);
    assert.equal(tomorrow?.as_of, '2026-01-03T00:00:00.000Z');
  });
});

describe('a price', () => {
  it('is parsed from a number literal without losing a digit', () => {
    for (const [source, mantissa, exponent] of [
      ['0', 0n, 0],
      ['65000.12', 6_500_012n, -2],
      ['0.1', 1n, -1],
      ['1.2e-8', 12n, -9],
      ['5E+3', 5n, 3],
      ['9007199254740993', 9_007_199_254_740_993n, 0],
      ['0.1000000000000000055511151231257827', 1_000_000_000_000_000_055_511_151_231_257_827n, -34],
    ] as const)
      assert.deepEqual(parsePrice(source), { mantissa, exponent }, source);
  });

  it('is null below zero, out of bounds, and for text that is not a number', () => {
    const others = '-1|-0|1e101|1e-101|1e9999|NaN||0x1'.split('|');
    for (const source of [...others, '1'.repeat(101)])
      assert.equal(parsePrice(source), null, source);
  });
});

const asset = { id: 'bitcoin', symbol: 'BTC', name: ' Bitcoin ', links: { homepage: ['x'] } };

describe('the asset source', () => {
  let server: ProviderServer;
  let source: AssetSource;
  before(async () => {
    server = await startProviderServer(({ path }) => {
      if (path === '/v3/coins/bitcoin') return jsonResponse(asset);
      if (path !== '/v3/simple/price') return jsonResponse({ error: 'coin not found' }, 404);
      const text = `{"a":{"eur":1.5e-7,"last_updated_at":1},"b":{"eur":${'1'.repeat(99)}e-99,"last_updated_at":1}}`;
      return { status: 200, text };
    });
    const pricesUrl = `${server.url}/v3/?key=k`;
    source = createAssetSource({ pricesUrl, now: () => nowMs, timeoutMs: 2000 });
  });
  after(() => server.close());

  it('finds an asset by its id, with the query of the operator', async () => {
    const found = { coingecko_id: 'bitcoin', symbol: 'btc', name: 'Bitcoin' };
    assert.deepEqual(await source.find('bitcoin'), found);
    const { query } = server.calls.at(-1)!;
    assert.equal(query.get('key'), 'k');
    assert.equal(query.get('market_data'), 'false');
  });

  it('has no asset for an unknown id, and none for another path of the API', async () => {
    assert.equal(await source.find('no/such?coin'), null);
    assert.equal(server.calls.at(-1)!.path, '/v3/coins/no%2Fsuch%3Fcoin');
    const before = server.calls.length;
    for (const id of ['list', 'markets']) assert.equal(await source.find(id), null);
    assert.equal(server.calls.length, before);
  });

  it('fails for the same reasons as a provider, and for an asset without its texts', async () => {
    const reasons = [
      ['down', 'unreachable'],
      [{ status: 404, type: 'text/html' }, 'unreachable'],
      [{ status: 429 }, 'rateLimited'],
      [{ json: { ...asset, symbol: 7 } }, 'nonsense'],
      [{ json: { ...asset, name: 'a\0' } }, 'nonsense'],
      [{ json: { ...asset, id: ' ' } }, 'nonsense'],
    ] as const;
    for (const [fault, reason] of reasons) {
      await server.fail(fault);
      await assert.rejects(source.find('bitcoin'), { name: 'CryptoRefreshError', reason });
    }
    await server.fail(null);
  });

  it('fails as unconfigured without a URL', async () => {
    const none = createAssetSource({ pricesUrl: null });
    for (const failing of [none.find('bitcoin'), none.prices(['bitcoin'], 'eur')])
      await assert.rejects(failing, { reason: 'unconfigured', message: /set PRICES_URL/ });
  });

  it('reads prices as literals that can be parsed, and leaves out those that are too long', async () => {
    const prices = await source.prices(['a', 'b', 'c'], 'eur');
    const as_of = '1970-01-01T00:00:01.000Z';
    assert.deepEqual(prices, [{ coingecko_id: 'a', price: '15e-8', as_of }]);
    const ended = AbortSignal.abort();
    await assert.rejects(source.prices(['a'], 'eur', ended), { reason: 'timeout' });
  });
});

const unit = 10n ** 18n;

function worth(quantity: bigint, source: string): number | null {
  const price = parsePrice(source);
  assert.ok(price !== null, source);
  return worthOf(quantity, price);
}

describe('the value of a quantity', () => {
  it('is rounded once, half to even', () => {
    for (const [price, rounded] of [
      ['0.00005', 0],
      ['0.00015', 2],
      ['0.00025', 2],
      ['0.000250000000000000000001', 3],
      ['0.00024999999999999999999', 2],
      ['1.00015', 10_002],
    ] as const)
      assert.equal(worth(unit, price), rounded, price);
    assert.deepEqual([worth(unit / 2n, '0.0003'), worth(1n, '1e18')], [2, 10_000]);
  });

  it('is null above 2^53 − 1 ten-thousandths', () => {
    const most = '900719925474.0991';
    assert.equal(worth(unit, most), Number.MAX_SAFE_INTEGER);
    assert.equal(worth(unit, '900719925474.09914'), Number.MAX_SAFE_INTEGER);
    assert.equal(worth(unit, '900719925474.0992'), null);
    assert.equal(worth(10n ** 36n - 1n, '1e100'), null);
  });
});

describe('holdings with their values', () => {
  const as_of = '2026-01-01T00:00:00.000Z';
  const knownIso = '2025-12-31T23:59:00.000Z';
  const named = { symbol: 'btc', name: 'BTC', coingecko_id: 'bitcoin' };
  const bitcoin: CryptoHolding = { ...named, quantity: '0.100000000000000000' };
  const unlisted: CryptoHolding = { ...bitcoin, symbol: 'new', name: 'NEW', coingecko_id: null };
  const price = { mantissa: 65_000n, exponent: 0, as_of };
  const none = new Map<string, never>();
  const noWorth = { to_base: null, price_as_of: null };

  function knownWith(rest: Partial<CryptoBalance> = {}): CryptoBalance {
    return { ...bitcoin, to_base: 60_000_000, price_as_of: knownIso, ...rest };
  }

  /** The value that a new quantity keeps from a known balance. */
  function kept(quantity: bigint, known: CryptoBalance) {
    const holding = { ...bitcoin, quantity: formatQuantity(quantity) };
    const [balance] = withWorth([holding], none, [known]);
    return [balance!.to_base, balance!.price_as_of];
  }

  it('have a value from their price, never the known one, and none without a price or above 2^53 − 1', () => {
    const prices = new Map([['bitcoin', price]]);
    const priced = { ...bitcoin, to_base: 65_000_000, price_as_of: as_of };
    const none = { ...unlisted, ...noWorth };
    assert.deepEqual(withWorth([bitcoin, unlisted], prices, []), [priced, none]);
    assert.deepEqual(withWorth([bitcoin], prices, [knownWith()]), [priced]);
    const beyond = new Map([['bitcoin', { ...price, exponent: 90 }]]);
    assert.deepEqual(withWorth([bitcoin], beyond, [knownWith()]), [{ ...bitcoin, ...noWorth }]);
  });

  it('keep the known price of their symbol and its time when no price can be read', () => {
    const [ether, fresh] = [
      { symbol: 'eth', to_base: 7 },
      { symbol: 'new', to_base: 9 },
    ];
    const known = [knownWith(ether), knownWith(), knownWith(fresh)];
    assert.deepEqual(withWorth([bitcoin, unlisted], none, known), [
      { ...bitcoin, to_base: 60_000_000, price_as_of: knownIso },
      { ...unlisted, to_base: 9, price_as_of: knownIso },
    ]);
    const others = [knownWith({ symbol: 'eth' }), knownWith({ ...noWorth })];
    assert.deepEqual(withWorth([bitcoin], none, others), [{ ...bitcoin, ...noWorth }]);
  });

  it('keep a value in proportion to the quantity, rounded once, half to even', () => {
    const [two, one, zero] = [2n, 1n, 0n].map((units) => formatQuantity(units * unit));
    const most = Number.MAX_SAFE_INTEGER;
    for (const [quantity, to_base, now, expected] of [
      [two, 5, unit, 2],
      [two, 5, 3n * unit, 8],
      [two, 5, unit + 1n, 3],
      [two, 5, unit - 1n, 2],
      [one, most, unit, most],
      [one, most, 2n * unit, null],
      [zero, 0, unit, null],
    ] as const) {
      const known = knownWith({ quantity: quantity!, to_base });
      const atIso = expected === null ? null : knownIso;
      assert.deepEqual(kept(now, known), [expected, atIso], `${quantity} ${now}`);
    }
  });
});
