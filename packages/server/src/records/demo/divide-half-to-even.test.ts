import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { divideHalfToEven } from './divide-half-to-even.ts';

test('the quotient is the nearest whole number, and the even one of two as near', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
      fc.bigInt({ min: 1n, max: 10n ** 6n }),
      (dividend, divisor) => {
        const quotient = BigInt(divideHalfToEven(dividend, divisor));
        const twiceError = 2n * (dividend - quotient * divisor);
        const size = twiceError < 0n ? -twiceError : twiceError;
        assert.ok(size <= divisor);
        if (size === divisor) assert.equal(quotient % 2n, 0n);
      },
    ),
  );
});

test('halves go to the even side, whatever the sign', () => {
  const halves = [-25n, -15n, -5n, 5n, 15n, 25n, 35n];
  assert.deepEqual(
    halves.map((half) => divideHalfToEven(half, 10n)),
    [-2, -2, 0, 0, 2, 2, 4],
  );
});
