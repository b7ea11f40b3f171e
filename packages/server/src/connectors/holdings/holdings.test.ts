import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Holdings } from './holdings.ts';

describe('holdings', () => {
  it('are the exact sums of the amounts by symbol, without zeros', () => {
    const symbol = fc.constantFrom('BTC', 'btc', 'Eth', 'doge', '1inch');
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(fc.array(fc.tuple(symbol, amount)), (added) => {
        const holdings = new Holdings('Somebody');
        const sums = new Map<string, bigint>();
        for (const [name, value] of added) {
          holdings.add(name, value);
          const key = name.toLowerCase();
          sums.set(key, (sums.get(key) ?? 0n) + value);
        }
        const expected = [...sums].filter(([, sum]) => sum > 0n).sort();
        assert.deepEqual(
          holdings.list().map((one) => [one.symbol, BigInt(one.quantity.replace('.', ''))]),
          expected,
        );
      }),
    );
  });

  it('have symbols of 1 to 25 letters and digits', () => {
    const holdings = new Holdings('Somebody');
    holdings.add('A'.repeat(25), 1n);
    for (const strange of ['', 'a'.repeat(26), 'a b', 'a.b', 'ü', 'constructor!']) {
      assert.throws(() => holdings.add(strange, 1n), { reason: 'nonsense' }, strange);
      // A zero needs no symbol.
      holdings.add(strange, 0n);
    }
    // No inherited property is an id.
    holdings.add('constructor', 1n);
    const quantity = '0.000000000000000001';
    assert.deepEqual(
      holdings.list(),
      ['A'.repeat(25), 'CONSTRUCTOR'].map((name) => {
        return { symbol: name.toLowerCase(), name, quantity, coingeckoId: null };
      }),
    );
  });
});
