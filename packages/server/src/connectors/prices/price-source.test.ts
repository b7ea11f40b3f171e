import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parsePrice, readPrices } from './price-source.ts';
import type { PriceRequest } from './price-source.ts';
import { startPriceServer } from '../testing/price-server.ts';
import type { PriceServer } from '../testing/price-server.ts';

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
    const mantissa = 65_000_123_456_789_012_345_678n;
    assert.deepEqual(
      [...(await read())],
      [
        ['bitcoin', { mantissa, exponent: -18, asOfIso: updatedAtIso }],
        ['ethereum', { mantissa: 12n, exponent: -9, asOfIso: updatedAtIso }],
      ],
    );
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
    assert.equal(tomorrow?.asOfIso, '2026-01-03T00:00:00.000Z');
  });

  it('fails for the same reasons as a provider', async () => {
    const reasons = [
      ['down', 'unreachable'],
      [{ status: 429 }, 'rateLimited'],
      [{ json: [] }, 'nonsense'],
    ] as const;
    for (const [fault, reason] of reasons) {
      await server.fail(fault);
      await assert.rejects(read(), { name: 'CryptoRefreshError', reason });
    }
    await server.fail('slowBody');
    await assert.rejects(read({ signal: AbortSignal.timeout(80) }), { reason: 'timeout' });
    await server.fail(null);
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
