import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { onEngines } from '../../http/testing/engine-book.ts';
import { strictClient } from '../../http/testing/strict-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { noServices } from '../../services.ts';
import * as actions from './actions.ts';
import { coingeckoIdIn } from './actions.ts';
import type { Asset } from './asset-source.ts';
import { catalogue, firstAddedId } from './catalogue.ts';

const pi: Asset = { coingecko_id: 'pi-network', symbol: 'pi', name: 'Pi Network' };
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
      { ...pi, coingecko_id: 'btc-bridged', symbol: 'btc' },
      { ...pi, coingecko_id: 'bitcoin', symbol: 'new' },
    ]) {
      find = () => Promise.resolve(found);
      const { keys } = await refusal('btc-bridged');
      assert.deepEqual(keys, { ...expected, coingecko_url: pageOf('btc-bridged') });
    }
  });

  it('keep 200 characters of a longer name', async () => {
    const long = { coingecko_id: 'long', symbol: 'long', name: '\u{1f600}'.repeat(201) };
    find = () => Promise.resolve(long);
    const sent = { coingecko_url: pageOf('long') };
    const body = await ada.ok<{ full_name: string }>('POST', path, sent);
    assert.equal(body.full_name, '\u{1f600}'.repeat(200));
  });
});

onEngines('stored cryptocurrencies', (open) => {
  it('are those of the catalogue, then the added ones, which replace entries like them', async () => {
    const { engine } = await open();
    const add = (columns: Parameters<typeof actions.addCryptocurrency>[0]) =>
      engine.write(() => actions.addCryptocurrency(columns));
    const of = (symbol: string) => engine.read(() => actions.cryptocurrencyOf(symbol));
    const columns = { coingecko_id: 'pi-network', symbol: 'pi', full_name: 'Pi' };
    const added = await add(columns);
    assert.ok(added!.id > firstAddedId, 'ids of their own range');
    assert.equal(await add(columns), undefined);
    assert.equal(await add({ ...columns, coingecko_id: 'other' }), undefined);
    assert.deepEqual(await engine.read(actions.listCryptocurrencies), [...catalogue, added]);
    assert.deepEqual([await of('pi'), await of('nocoin')], [added, undefined]);
    assert.equal((await of('btc'))?.id, 1);
    // Two entries of a later catalogue have the same id at CoinGecko or symbol.
    const both = await add({ coingecko_id: 'ethereum', symbol: 'sol', full_name: 'Both' });
    const all = await engine.read(actions.listCryptocurrencies);
    assert.equal(all.length, catalogue.length);
    assert.deepEqual(all.slice(-2), [added, both]);
    assert.deepEqual([await of('sol'), await of('eth')], [both, undefined]);
  });

  it('keep the newest price of each asset and currency, in whatever order prices arrive', async () => {
    const { engine } = await open();
    const remember = (currency: string, ...prices: (readonly [string, string, number])[]) =>
      engine.write(() =>
        actions.rememberPrices(
          currency,
          prices.map(([coingecko_id, price, day]) => ({ coingecko_id, price, as_of: asOf(day) })),
        ),
      );
    const asOf = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
    const known = async (currency: string) => {
      const found = await engine.read(() => actions.pricesOf(currency, ['a', 'b', 'c', 'd']));
      return [...found].map(([id, { price, as_of }]) => [id, price, as_of]).toSorted();
    };
    await remember('eur', ['a', '1', 5], ['b', '2.5', 5]);
    await remember('usd', ['a', '9', 1]);
    await remember('eur', ['c', '3e-9', 1], ['b', '7', 6], ['a', '8', 4]);
    await remember('eur', ['a', '8', 5]);
    const euros = [
      ['a', '1', asOf(5)],
      ['b', '7', asOf(6)],
      ['c', '3e-9', asOf(1)],
    ];
    assert.deepEqual([await known('eur'), await known('usd')], [euros, [['a', '9', asOf(1)]]]);
    await remember('eur');
    assert.deepEqual(await known('eur'), euros);
    // Stored before the clock went back.
    for (const [price, time] of [
      ['2', '2900-01-01T00:00:00.000Z'],
      ['3', asOf(2)],
    ] as const)
      await engine.write(() =>
        actions.rememberPrices('chf', [{ coingecko_id: 'a', price, as_of: time }]),
      );
    assert.deepEqual(await known('chf'), [['a', '3', asOf(2)]]);
  });
});

describe('the value of a balance', () => {
  const row = { coingecko_id: 'a', currency: 'eur', price: '65000.1', as_of: 'then' };
  const unit = 10n ** 18n;

  it('is negative for a debt, and zero for nothing', () => {
    assert.deepEqual(actions.worthAt(unit / 2n, row), {
      to_base: 325_000_500,
      price_as_of: 'then',
    });
    assert.deepEqual(actions.worthAt(-unit / 2n, row), {
      to_base: -325_000_500,
      price_as_of: 'then',
    });
    assert.deepEqual(actions.worthAt(-1n, row), { to_base: 0, price_as_of: 'then' });
  });

  it('is null without a price, and for more than an amount can hold', () => {
    const none = { to_base: null, price_as_of: null };
    assert.deepEqual(actions.worthAt(unit, undefined), none);
    assert.deepEqual(actions.worthAt(unit, { ...row, price: '1e90' }), none);
  });
});

it('the id is taken from a page in any language', () => {
  for (const [url, id] of [
    ['https://www.coingecko.com/en/coins/cardano', 'cardano'],
    ['https://www.coingecko.com/zh-tw/coins/Bitcoin/', 'bitcoin'],
    ['http://coingecko.com/coins/0x?utm=1#about', '0x'],
    ['https://WWW.coingecko.com/es-la/coins/btc.b-x/historical_data', 'btc.b-x'],
  ] as const)
    assert.equal(coingeckoIdIn(url), id, url);
});

it('other URLs have no id', () => {
  for (const url of [
    '',
    'cardano',
    'https://www.coingecko.com/en/coins/',
    'https://www.coingecko.com/en/exchanges/kraken',
    'https://www.coingecko.com.evil.example/en/coins/cardano',
    'https://www.coingecko.com:8443/en/coins/cardano',
    'https://evil.example/www.coingecko.com/en/coins/cardano',
    'https://www.coingecko.com/en/coins/a%2Fb',
    'ftp://www.coingecko.com/en/coins/cardano',
    `https://www.coingecko.com/en/coins/${'a'.repeat(101)}`,
  ])
    assert.equal(coingeckoIdIn(url), null, url);
});

it('the catalogue has about 150 entries, in the order of their ids, each with its own texts', () => {
  assert.ok(catalogue.length > 140);
  const ids = catalogue.map(({ id }) => id);
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  assert.ok(ids[0] === 1 && ids.at(-1)! < firstAddedId);
  for (const key of ['id', 'coingecko_id', 'symbol', 'full_name'] as const)
    assert.equal(new Set(catalogue.map((each) => each[key])).size, catalogue.length, key);
  for (const { symbol, coingecko_id } of catalogue)
    assert.match(`${symbol} ${coingecko_id}`, /^[a-z0-9]{1,25} [a-z0-9-]{1,100}$/);
});
