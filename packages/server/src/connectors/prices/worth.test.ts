import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CryptoBalance, CryptoHolding } from '../../resources/crypto/rules.ts';
import { formatQuantity } from '@coffer/core/quantities';
import { parsePrice } from './price-source.ts';
import { withWorth, worthOf } from './worth.ts';

const unit = 10n ** 18n;

function worth(quantity: bigint, source: string): number | null {
  const price = parsePrice(source);
  assert.ok(price !== null, source);
  return worthOf(quantity, price);
}

/** Asserts that a value is the nearest to `exact / scale`, the even one at exactly half, or null if it is too large. */
function assertRounded(got: number | null, exact: bigint, scale: bigint): void {
  if (got === null) {
    assert.ok(exact > BigInt(Number.MAX_SAFE_INTEGER) * scale);
    return;
  }
  const twiceOff = 2n * (BigInt(got) * scale - exact);
  const distance = twiceOff < 0n ? -twiceOff : twiceOff;
  assert.ok(distance <= scale, `${got} for ${exact} / ${scale}`);
  if (distance === scale) assert.equal(got % 2, 0);
}

describe('the value of a quantity', () => {
  it('is rounded once, half to even', () => {
    assert.equal(worth(unit, '0.00005'), 0);
    assert.equal(worth(unit, '0.00015'), 2);
    assert.equal(worth(unit, '0.00025'), 2);
    assert.equal(worth(unit, '0.000250000000000000000001'), 3);
    assert.equal(worth(unit, '0.00024999999999999999999'), 2);
    assert.equal(worth(unit / 2n, '0.0003'), 2);
    assert.equal(worth(1n, '1e18'), 10_000);
    assert.equal(worth(unit, '1.00015'), 10_002);
  });

  it('is null above 2^53 − 1 ten-thousandths', () => {
    const most = '900719925474.0991';
    assert.equal(worth(unit, most), Number.MAX_SAFE_INTEGER);
    assert.equal(worth(unit, '900719925474.09914'), Number.MAX_SAFE_INTEGER);
    assert.equal(worth(unit, '900719925474.0992'), null);
    assert.equal(worth(10n ** 36n - 1n, '1e100'), null);
  });

  it('is within half a ten-thousandth of the exact product, and even at exactly half', () => {
    const quantity = fc.bigInt({ min: 0n, max: 10n ** 24n });
    const digits = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(quantity, digits, fc.integer({ min: 0, max: 12 }), (held, mantissa, places) => {
        const text = mantissa.toString().padStart(places + 1, '0');
        const at = text.length - places;
        const source = places === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`;
        const got = worth(held, source);
        // Everything is over 10^(18 + places): the product has this many places more than ten-thousandths.
        assertRounded(got, held * mantissa * 10_000n, 10n ** BigInt(18 + places));
      }),
    );
  });
});

describe('holdings with their values', () => {
  const asOfIso = '2026-01-01T00:00:00.000Z';
  const knownIso = '2025-12-31T23:59:00.000Z';
  const bitcoin: CryptoHolding = {
    symbol: 'btc',
    name: 'BTC',
    quantity: '0.100000000000000000',
    coingeckoId: 'bitcoin',
  };
  const unlisted: CryptoHolding = { ...bitcoin, symbol: 'new', name: 'NEW', coingeckoId: null };
  const price = { mantissa: 65_000n, exponent: 0, asOfIso };
  const none = new Map<string, never>();
  const noWorth = { toBase: null, priceAsOfIso: null };

  function knownWith(rest: Partial<CryptoBalance> = {}): CryptoBalance {
    return { ...bitcoin, toBase: 60_000_000, priceAsOfIso: knownIso, ...rest };
  }

  /** The value that a new quantity keeps from a known balance. */
  function kept(quantity: bigint, known: CryptoBalance) {
    const [balance] = withWorth([{ ...bitcoin, quantity: formatQuantity(quantity) }], none, [
      known,
    ]);
    return [balance!.toBase, balance!.priceAsOfIso];
  }

  it('have a value from their price, never the known one, and none without a price or above 2^53 − 1', () => {
    const prices = new Map([['bitcoin', price]]);
    const priced = { ...bitcoin, toBase: 65_000_000, priceAsOfIso: asOfIso };
    assert.deepEqual(withWorth([bitcoin, unlisted], prices, []), [
      priced,
      { ...unlisted, ...noWorth },
    ]);
    assert.deepEqual(withWorth([bitcoin], prices, [knownWith()]), [priced]);
    const beyond = new Map([['bitcoin', { ...price, exponent: 90 }]]);
    assert.deepEqual(withWorth([bitcoin], beyond, [knownWith()]), [{ ...bitcoin, ...noWorth }]);
  });

  it('keep the known price of their symbol and its time when no price can be read', () => {
    const known = [
      knownWith({ symbol: 'eth', toBase: 7 }),
      knownWith(),
      knownWith({ symbol: 'new', toBase: 9 }),
    ];
    assert.deepEqual(withWorth([bitcoin, unlisted], none, known), [
      { ...bitcoin, toBase: 60_000_000, priceAsOfIso: knownIso },
      { ...unlisted, toBase: 9, priceAsOfIso: knownIso },
    ]);
    const others = [knownWith({ symbol: 'eth' }), knownWith({ ...noWorth })];
    assert.deepEqual(withWorth([bitcoin], none, others), [{ ...bitcoin, ...noWorth }]);
  });

  it('keep a value in proportion to the quantity, rounded once, half to even', () => {
    const two = knownWith({ quantity: '2.000000000000000000', toBase: 5 });
    assert.deepEqual(kept(unit, two), [2, knownIso]);
    assert.deepEqual(kept(3n * unit, two), [8, knownIso]);
    assert.deepEqual(kept(unit + 1n, two), [3, knownIso]);
    assert.deepEqual(kept(unit - 1n, two), [2, knownIso]);
    const all = knownWith({ quantity: '1.000000000000000000', toBase: Number.MAX_SAFE_INTEGER });
    assert.deepEqual(kept(unit, all), [Number.MAX_SAFE_INTEGER, knownIso]);
    assert.deepEqual(kept(2n * unit, all), [null, null]);
    const zero = knownWith({ quantity: '0.000000000000000000', toBase: 0 });
    assert.deepEqual(kept(unit, zero), [null, null]);
  });

  it('keep a value within half a ten-thousandth of the exact proportion', () => {
    const quantity = fc.bigInt({ min: 1n, max: 10n ** 30n });
    const toBase = fc.integer({ min: 0, max: 10 ** 9 });
    fc.assert(
      fc.property(quantity, quantity, toBase, (before, after, worthBefore) => {
        const known = knownWith({ quantity: formatQuantity(before), toBase: worthBefore });
        const [got] = kept(after, known);
        const exact = BigInt(worthBefore) * after;
        assertRounded(got as number | null, exact, before);
      }),
    );
  });
});
