import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Holdings } from './holdings.ts';
import { formatQuantity, isQuantity, parseQuantity } from './quantity.ts';

const anyQuantity = fc.bigInt({ min: 0n, max: 10n ** 36n - 1n });

describe('a quantity', () => {
  it('is printed with 18 places and read back as it was', () => {
    fc.assert(
      fc.property(anyQuantity, (value) => {
        const text = formatQuantity(value);
        assert.match(text, /^(0|[1-9][0-9]{0,17})\.[0-9]{18}$/);
        assert.equal(parseQuantity(text), value);
        assert.equal(BigInt(text.replace('.', '')), value);
      }),
    );
  });

  it('is the same with fewer places where the rest are zero', () => {
    fc.assert(
      fc.property(fc.nat(), fc.stringMatching(/^[0-9]{1,18}$/), (units, fraction) => {
        const value = BigInt(units) * 10n ** 18n + BigInt(fraction.padEnd(18, '0'));
        assert.equal(parseQuantity(`${units}.${fraction}`), value);
      }),
    );
  });

  it('is none with a sign, an exponent, a space, 19 places or 19 digits', () => {
    const strange = [
      ...[
        '',
        '.',
        '1.',
        '.5',
        '-1',
        '+1',
        ' 1',
        '1 ',
        '1\n',
        '1e3',
        '1,5',
        '0x1',
        'NaN',
        '1.2.3',
        '١',
      ],
      `0.${'0'.repeat(19)}`,
      `1${'0'.repeat(18)}`,
    ];
    for (const text of strange) assert.equal(parseQuantity(text), null, JSON.stringify(text));
  });

  it('is not negative, and below 10^18 units', () => {
    assert.equal(isQuantity(-1n), false);
    assert.equal(isQuantity(0n), true);
    assert.equal(isQuantity(10n ** 36n - 1n), true);
    assert.equal(isQuantity(10n ** 36n), false);
  });
});

describe('holdings', () => {
  it('are the exact sums of what was added, by symbol, without what is zero', () => {
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
      // What is zero has no need of a symbol.
      holdings.add(strange, 0n);
    }
    assert.deepEqual(holdings.list(), [
      {
        symbol: 'a'.repeat(25),
        name: 'A'.repeat(25),
        quantity: '0.000000000000000001',
        coingeckoId: null,
      },
    ]);
  });

  it('know no id for the names that all objects have', () => {
    const holdings = new Holdings('Somebody');
    holdings.add('constructor', 1n);
    assert.equal(holdings.list()[0]?.coingeckoId, null);
  });
});
