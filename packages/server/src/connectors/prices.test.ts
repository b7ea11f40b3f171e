import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CryptoHolding } from '../records/crypto.ts';
import { readPrices, withWorth } from './prices.ts';
import type { PriceRequest } from './prices.ts';
import { startPriceServer } from './testing/price-server.ts';
import type { PriceServer } from './testing/price-server.ts';

const nowMs = Date.UTC(2026, 0, 2);
const updatedAt = Date.UTC(2026, 0, 1) / 1000;
const updatedAtIso = '2026-01-01T00:00:00.000Z';

const bitcoin: CryptoHolding = {
  symbol: 'btc',
  name: 'BTC',
  quantity: '0.100000000000000000',
  coingeckoId: 'bitcoin',
};
const unknown = { ...bitcoin, symbol: 'new', name: 'NEW', coingeckoId: null };

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

  /** The price of bitcoin when the answer says this of it. */
  async function answered(entry: string) {
    await server.fail({ text: `{"bitcoin":${entry}}` });
    const prices = await read();
    await server.fail(null);
    return prices.get('bitcoin') ?? null;
  }

  it('gives prices as they were written, with their time', async () => {
    server.setPrices({
      bitcoin: { usd: '65000.123456789012345678', eur: '1' },
      ethereum: { usd: '1.2e-8' },
    });
    const prices = await read();
    assert.deepEqual(
      [...prices],
      [
        [
          'bitcoin',
          { mantissa: 65_000_123_456_789_012_345_678n, exponent: -18, asOfIso: updatedAtIso },
        ],
        ['ethereum', { mantissa: 12n, exponent: -9, asOfIso: updatedAtIso }],
      ],
    );
  });

  it('is asked for all ids at once, in the currency of the book, with the key of the operator', async () => {
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

  it('is not asked for nothing', async () => {
    const before = server.calls.length;
    assert.equal((await read({ ids: [] })).size, 0);
    assert.equal(server.calls.length, before);
  });

  it('has no price for an asset or a currency that it does not know', async () => {
    server.setPrices({ bitcoin: { usd: '1' } });
    assert.deepEqual([...(await read()).keys()], ['bitcoin']);
    assert.equal((await read({ currency: 'xpf' })).size, 0);
    assert.equal((await read({ currency: 'constructor' })).size, 0);
    assert.equal((await read({ ids: ['constructor', '__proto__'] })).size, 0);
  });

  it('has no price in an entry that is strange', async () => {
    const time = `"last_updated_at":${updatedAt}`;
    const strange = {
      null: 'null',
      'a number': '1',
      'a list': '[1]',
      'a price of null': `{"usd":null,${time}}`,
      'a price in a text': `{"usd":"1",${time}}`,
      'a negative price': `{"usd":-1,${time}}`,
      'a huge price': `{"usd":1e999,${time}}`,
      'no time': '{"usd":1}',
      'a time of null': '{"usd":1,"last_updated_at":null}',
      'a time in a text': '{"usd":1,"last_updated_at":"1"}',
      'a time of zero': '{"usd":1,"last_updated_at":0}',
      'a time with a fraction': '{"usd":1,"last_updated_at":1.5}',
      'a time in milliseconds': `{"usd":1,"last_updated_at":${updatedAt}000}`,
      'a time of the day after tomorrow': `{"usd":1,"last_updated_at":${nowMs / 1000 + 86_401}}`,
    };
    for (const [title, entry] of Object.entries(strange)) {
      assert.equal(await answered(entry), null, title);
    }
    const tomorrow = await answered(`{"usd":1,"last_updated_at":${nowMs / 1000 + 86_400}}`);
    assert.equal(tomorrow?.asOfIso, '2026-01-03T00:00:00.000Z');
  });

  it('fails as a provider does', async () => {
    const reasons = [
      ['down', 'unreachable'],
      [{ status: 503 }, 'unreachable'],
      [{ status: 429 }, 'rateLimited'],
      ['html', 'nonsense'],
      ['deepJson', 'nonsense'],
      ['endless', 'nonsense'],
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

  it('lets holdings without a price be without a worth', () => {
    const price = { mantissa: 65_000n, exponent: 0, asOfIso: updatedAtIso };
    assert.deepEqual(withWorth([bitcoin, unknown], new Map([['bitcoin', price]])), [
      { ...bitcoin, toBase: 65_000_000, priceAsOfIso: updatedAtIso },
      { ...unknown, toBase: null, priceAsOfIso: null },
    ]);
    const beyond = { ...price, exponent: 90 };
    assert.deepEqual(withWorth([bitcoin], new Map([['bitcoin', beyond]])), [
      { ...bitcoin, toBase: null, priceAsOfIso: null },
    ]);
  });
});
