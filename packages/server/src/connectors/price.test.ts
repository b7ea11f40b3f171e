import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parsePrice, worthOf } from './price.ts';

const unit = 10n ** 18n;

function worth(quantity: bigint, source: string): number | null {
  const price = parsePrice(source);
  assert.ok(price !== null, source);
  return worthOf(quantity, price);
}

describe('a price', () => {
  it('is read from a number literal without losing a digit', () => {
    const cases = {
      '0': [0n, 0],
      '65000.12': [6_500_012n, -2],
      '0.1': [1n, -1],
      '1.2e-8': [12n, -9],
      '5E+3': [5n, 3],
      '9007199254740993': [9_007_199_254_740_993n, 0],
      '0.1000000000000000055511151231257827': [1_000_000_000_000_000_055_511_151_231_257_827n, -34],
    } as const;
    for (const [source, [mantissa, exponent]] of Object.entries(cases)) {
      assert.deepEqual(parsePrice(source), { mantissa, exponent }, source);
    }
  });

  it('is none below zero, beyond all bounds and where it is no number', () => {
    for (const source of [
      '-1',
      '-0',
      '1e101',
      '1e-101',
      '1e9999',
      'NaN',
      '',
      '1'.repeat(101),
      '0x1',
    ]) {
      assert.equal(parsePrice(source), null, source);
    }
  });
});

describe('the worth of a quantity', () => {
  it('is rounded once, a half to the even neighbour', () => {
    assert.equal(worth(unit, '0.00005'), 0);
    assert.equal(worth(unit, '0.00015'), 2);
    assert.equal(worth(unit, '0.00025'), 2);
    assert.equal(worth(unit, '0.000250000000000000000001'), 3);
    assert.equal(worth(unit, '0.00024999999999999999999'), 2);
    assert.equal(worth(unit / 2n, '0.0003'), 2);
    assert.equal(worth(1n, '1e18'), 10_000);
  });

  it('is exact where a product of doubles is not', () => {
    // 0.1 + 0.2 of a coin at 1.1, and a hundred million of one at eight places.
    assert.equal(worth((3n * unit) / 10n, '1.1'), 3300);
    assert.equal(worth(123_456_789n * unit, '0.00000012'), 148_148);
    assert.equal(worth(unit, '1.00005'), 10_000);
    assert.equal(worth(unit, '1.00015'), 10_002);
  });

  it('is none above 2^53 − 1 ten-thousandths', () => {
    const most = '900719925474.0991';
    assert.equal(worth(unit, most), Number.MAX_SAFE_INTEGER);
    assert.equal(worth(unit, '900719925474.09914'), Number.MAX_SAFE_INTEGER);
    assert.equal(worth(unit, '900719925474.0992'), null);
    assert.equal(worth(10n ** 36n - 1n, '1e100'), null);
  });

  it('is within half a ten-thousandth of the exact product, and even when it is just half', () => {
    const quantity = fc.bigInt({ min: 0n, max: 10n ** 24n });
    const digits = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(quantity, digits, fc.integer({ min: 0, max: 12 }), (held, mantissa, places) => {
        const text = mantissa.toString().padStart(places + 1, '0');
        const at = text.length - places;
        const source = places === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`;
        const got = worth(held, source);
        // Everything over 10^(18 + places): the product has so many places more than ten-thousandths.
        const scale = 10n ** BigInt(18 + places);
        const exact = held * mantissa * 10_000n;
        if (got === null) {
          assert.ok(exact > BigInt(Number.MAX_SAFE_INTEGER) * scale);
          return;
        }
        const twiceOff = 2n * (BigInt(got) * scale - exact);
        const distance = twiceOff < 0n ? -twiceOff : twiceOff;
        assert.ok(distance <= scale, `${held} × ${source} = ${got}`);
        if (distance === scale) assert.equal(got % 2, 0);
      }),
    );
  });
});
