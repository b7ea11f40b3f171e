import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../core/src/testing/length.ts';
import { onEngines } from '../../http/testing/engine-book.ts';
import {
  addCryptocurrency,
  cryptocurrencyOf,
  listCryptocurrencies,
  pricesOf,
  rememberPrices,
  worthAt,
} from './actions.ts';
import { catalogue, firstAddedId } from './catalogue.ts';
import { coingeckoIdIn } from './rules.ts';

onEngines('cryptocurrencies', (open) => {
  it('are those of the catalogue, then the added ones, which replace entries like them', async () => {
    const { engine } = await open();
    const add = (columns: Parameters<typeof addCryptocurrency>[0]) =>
      engine.write(() => addCryptocurrency(columns));
    const of = (symbol: string) => engine.read(() => cryptocurrencyOf(symbol));
    const columns = { coingecko_id: 'pi-network', symbol: 'pi', full_name: 'Pi' };
    const added = await add(columns);
    assert.ok(added!.id > firstAddedId, 'ids of their own range');
    assert.equal(await add(columns), undefined);
    assert.equal(await add({ ...columns, coingecko_id: 'other' }), undefined);
    assert.deepEqual(await engine.read(listCryptocurrencies), [...catalogue, added]);
    assert.deepEqual([await of('pi'), await of('nocoin')], [added, undefined]);
    assert.equal((await of('btc'))?.id, 1);
    // Two entries of a later catalogue have the same id at CoinGecko or symbol.
    const both = await add({ coingecko_id: 'ethereum', symbol: 'sol', full_name: 'Both' });
    const all = await engine.read(listCryptocurrencies);
    assert.equal(all.length, catalogue.length);
    assert.deepEqual(all.slice(-2), [added, both]);
    assert.deepEqual([await of('sol'), await of('eth')], [both, undefined]);
  });

  it('keep the newest price of each asset and currency, in whatever order prices arrive', async () => {
    const price = fc.record({
      coingeckoId: fc.constantFrom('a', 'b', 'c'),
      price: fc.constantFrom('1', '2.5', '3e-9'),
      day: fc.integer({ min: 1, max: 9 }),
    });
    const batch = fc.record({
      currency: fc.constantFrom('eur', 'usd'),
      prices: fc.uniqueArray(price, { selector: ({ coingeckoId }) => coingeckoId }),
    });
    const { engine } = await open();
    const model = new Map<string, { price: string; as_of: string }>();
    await fc.assert(
      fc.asyncProperty(batch, async ({ currency, prices: drawn }) => {
        const prices = drawn.map(({ day, ...each }) => ({
          ...each,
          asOfIso: `2026-01-0${day}T00:00:00.000Z`,
        }));
        await engine.write(() => rememberPrices(currency, prices));
        for (const { coingeckoId, price, asOfIso } of prices) {
          const key = `${coingeckoId} ${currency}`;
          if ((model.get(key)?.as_of ?? '') < asOfIso) model.set(key, { price, as_of: asOfIso });
        }
        const ids = ['a', 'b', 'c', 'd'];
        const found = await engine.read(() => pricesOf(currency, ids));
        for (const id of ids) {
          const row = found.get(id);
          const known = row && { price: row.price, as_of: row.as_of };
          assert.deepEqual(known, model.get(`${id} ${currency}`));
        }
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('the value of a balance', () => {
  const row = { coingecko_id: 'a', currency: 'eur', price: '65000.1', as_of: 'then' };
  const unit = 10n ** 18n;

  it('is negative for a debt, and zero for nothing', () => {
    assert.deepEqual(worthAt(unit / 2n, row), { to_base: 325_000_500, price_as_of: 'then' });
    assert.deepEqual(worthAt(-unit / 2n, row), { to_base: -325_000_500, price_as_of: 'then' });
    assert.deepEqual(worthAt(-1n, row), { to_base: 0, price_as_of: 'then' });
  });

  it('is null without a price, and for more than an amount can hold', () => {
    const none = { to_base: null, price_as_of: null };
    assert.deepEqual(worthAt(unit, undefined), none);
    assert.deepEqual(worthAt(unit, { ...row, price: '1e90' }), none);
  });
});

test('the id is taken from a page in any language', () => {
  for (const [url, id] of [
    ['https://www.coingecko.com/en/coins/cardano', 'cardano'],
    ['https://www.coingecko.com/zh-tw/coins/Bitcoin/', 'bitcoin'],
    ['http://coingecko.com/coins/0x?utm=1#about', '0x'],
    ['https://WWW.coingecko.com/es-la/coins/btc.b-x/historical_data', 'btc.b-x'],
  ] as const)
    assert.equal(coingeckoIdIn(url), id, url);
});

test('other URLs have no id', () => {
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

test('the catalogue has about 150 entries, in the order of their ids, each with its own texts', () => {
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
