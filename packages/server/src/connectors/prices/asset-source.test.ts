import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { jsonResponse, startProviderServer } from '../testing/provider-server.ts';
import type { ProviderServer } from '../testing/provider-server.ts';
import { createAssetSource } from './asset-source.ts';
import type { AssetSource } from './asset-source.ts';
import { parsePrice } from './price-source.ts';

const nowMs = Date.UTC(2026, 0, 2);
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
    assert.deepEqual(await source.find('bitcoin'), {
      ...{ coingeckoId: 'bitcoin', symbol: 'btc', name: 'Bitcoin' },
    });
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

  it('reads prices as literals that can be parsed, and leaves out those that are too long', async () => {
    const prices = await source.prices(['a', 'b', 'c'], 'eur');
    const asOfIso = '1970-01-01T00:00:01.000Z';
    assert.deepEqual(prices, [{ coingeckoId: 'a', price: '15e-8', asOfIso }]);
    assert.deepEqual(parsePrice(prices[0]!.price), { mantissa: 15n, exponent: -8 });
    const ended = AbortSignal.abort();
    await assert.rejects(source.prices(['a'], 'eur', ended), { reason: 'timeout' });
  });
});
