import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { Asset } from '../../connectors/prices/asset-source.ts';
import { strictClient } from '../../http/testing/strict-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { CryptoRefreshError } from '../crypto/rules.ts';
import { noServices } from '../services.ts';
import { catalogue, firstAddedId } from './catalogue.ts';

const pi: Asset = { coingeckoId: 'pi-network', symbol: 'pi', name: 'Pi Network' };
let find = (_id: string): Promise<Asset | null> => Promise.resolve(null);
const requested: string[] = [];
const assetSource = {
  ...noServices.assetSource,
  find: (id: string) => {
    requested.push(id);
    return find(id);
  },
};
const test = await makeTestApp({ services: { ...noServices, assetSource } });
after(() => test.app.close());
const ada = strictClient(test, test.ada);
const ben = strictClient(test, test.ben);
const path = '/v2/cryptocurrencies';
const pageOf = (id: string) => `https://www.coingecko.com/en/coins/${id}`;
type List = Readonly<{ cryptocurrencies: readonly { readonly id: number }[] }>;
type Refusal = Readonly<{ message: string; errors: readonly Record<string, unknown>[] }>;

async function refusal(id: string, url = pageOf(id)) {
  const { status, body } = await ada.send<Refusal>('POST', path, { coingecko_url: url });
  assert.equal(status, 422);
  assert.equal(body.message, 'Request Validation Failure');
  assert.equal(body.errors.length, 1);
  const { errMsg, ...keys } = body.errors[0]!;
  return { errMsg: String(errMsg), keys };
}

describe('cryptocurrencies', () => {
  beforeEach(() => {
    requested.length = 0;
    find = () => Promise.resolve(pi);
  });

  it('are listed, and an added one is listed for all books at once', async () => {
    const before = await ben.send<List>('GET', path);
    assert.deepEqual(before.body.cryptocurrencies, catalogue);
    const sent = { coingecko_url: 'https://www.coingecko.com/fr/coins/pi-network' };
    const { status, body } = await ada.send<{ id: number }>('POST', path, sent);
    assert.equal(status, 201);
    const { id, ...rest } = body;
    assert.ok(id > firstAddedId);
    const names = { coingecko_id: 'pi-network', symbol: 'pi', full_name: 'Pi Network' };
    assert.deepEqual(rest, names);
    assert.deepEqual(requested, ['pi-network']);
    // Ben's book has the same version as before, so no ETag may match.
    const headers = { 'if-none-match': before.etag!, authorization: `Bearer ${test.ben.token}` };
    const again = await test.app.inject({ url: path, headers });
    assert.equal(again.statusCode, 200);
    assert.deepEqual((JSON.parse(again.body) as List).cryptocurrencies.at(-1), body);
    assert.deepEqual(await ada.changes(), []);
  });

  it('refuse a malformed URL and a supported id, without asking the price source', async () => {
    const { errMsg, keys } = await refusal('', 'https://example.com/coins/x');
    assert.match(errMsg, /"https:\/\/example.com\/coins\/x"/);
    assert.equal(keys['invalid_property'], 'coingecko_url');
    const supported = { existing_coingecko_id: 'bitcoin', existing_symbol: 'btc' };
    assert.deepEqual((await refusal('bitcoin')).keys, supported);
    assert.deepEqual(requested, []);
  });

  it('refuse an id that the price source does not know, or cannot be used', async () => {
    for (const found of [null, { ...pi, symbol: 'x'.repeat(26) }]) {
      find = () => Promise.resolve(found);
      const { keys } = await refusal('xyz');
      assert.deepEqual(keys, { coingecko_url: pageOf('xyz') });
    }
  });

  it('refuse an asset whose symbol, or whose own id, is supported', async () => {
    const expected = { existing_coingecko_id: 'bitcoin', existing_symbol: 'btc' };
    for (const found of [
      { ...pi, coingeckoId: 'btc-bridged', symbol: 'btc' },
      { ...pi, coingeckoId: 'bitcoin', symbol: 'new' },
    ]) {
      find = () => Promise.resolve(found);
      const { keys } = await refusal('btc-bridged');
      assert.deepEqual(keys, { ...expected, coingecko_url: pageOf('btc-bridged') });
    }
  });

  it('report a price source that fails, and its wait', async () => {
    for (const [reason, status, wait] of [
      ['rateLimited', 502, '30'],
      ['unreachable', 502, undefined],
      ['timeout', 504, undefined],
    ] as const) {
      const error = new CryptoRefreshError(reason, 'It failed', wait ? Number(wait) : null);
      find = () => Promise.reject(error);
      const { statusCode, headers, body } = await test.app.inject({
        ...{ method: 'POST', url: path },
        headers: { authorization: `Bearer ${test.ada.token}`, 'content-type': 'application/json' },
        payload: JSON.stringify({ coingecko_url: pageOf('new-coin') }),
      });
      assert.deepEqual([statusCode, headers['retry-after']], [status, wait]);
      assert.deepEqual((JSON.parse(body) as Refusal).errors, [{ errMsg: 'It failed', reason }]);
    }
    find = () => Promise.reject(new Error('a bug'));
    assert.equal(await ada.status('POST', path, { coingecko_url: pageOf('new-coin') }), 500);
  });

  it('keep 200 characters of a longer name', async () => {
    const long = { coingeckoId: 'long', symbol: 'long', name: '\u{1f600}'.repeat(201) };
    find = () => Promise.resolve(long);
    const sent = { coingecko_url: pageOf('long') };
    const body = await ada.ok<{ full_name: string }>('POST', path, sent);
    assert.equal(body.full_name, '\u{1f600}'.repeat(200));
  });
});
