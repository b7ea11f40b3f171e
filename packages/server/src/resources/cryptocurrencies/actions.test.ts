import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../../db/engine.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import {
  addCryptocurrency,
  cryptocurrencyOf,
  listCryptocurrencies,
  pricesOf,
  rememberPrices,
  worthAt,
} from './actions.ts';
import { catalogue, firstAddedId } from './catalogue.ts';
import { runs } from '../../../../core/src/testing/length.ts';

for (const { name, skip, open } of usualEngines)
  describe(`cryptocurrencies on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    it('are those of the catalogue, then the added ones with ids of their own range', async () => {
      const columns = { coingecko_id: 'pi-network', symbol: 'pi', full_name: 'Pi' };
      const added = await engine.write(() => addCryptocurrency(columns));
      assert.ok(added!.id > firstAddedId);
      assert.equal(await engine.write(() => addCryptocurrency(columns)), undefined);
      const sameSymbol = { ...columns, coingecko_id: 'other' };
      assert.equal(await engine.write(() => addCryptocurrency(sameSymbol)), undefined);
      assert.deepEqual(await engine.read(listCryptocurrencies), [...catalogue, added]);
      assert.deepEqual(await engine.read(() => cryptocurrencyOf('pi')), added);
      assert.equal((await engine.read(() => cryptocurrencyOf('btc')))?.id, 1);
      assert.equal(await engine.read(() => cryptocurrencyOf('nocoin')), undefined);
    });

    it('replace entries of a later catalogue that have the same id at CoinGecko or symbol', async () => {
      const own = { coingecko_id: 'ethereum', symbol: 'sol', full_name: 'Both' };
      const added = await engine.write(() => addCryptocurrency(own));
      const all = await engine.read(listCryptocurrencies);
      assert.equal(all.length, catalogue.length);
      assert.deepEqual(all.at(-1), added);
      assert.deepEqual(await engine.read(() => cryptocurrencyOf('sol')), added);
      assert.equal(await engine.read(() => cryptocurrencyOf('eth')), undefined);
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
