import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maxAmount } from '@coffer/core/money';
import { parseAmountInput } from './amounts.ts';

test('amounts of requests are exact texts, or numbers that are rounded half to even', () => {
  const texts = [
    ['12.5', 125_000],
    ['-0.0001', -1],
    ['1.00005', null],
    ['1e3', null],
  ] as const;
  const numbers = [
    [12.5, 125_000],
    [-0, 0],
    [0.00005, 0],
    [0.00015, 2],
    [-0.00015, -2],
    [1e-7, 0],
    [900_719_925_474.0991, maxAmount],
    [900_719_925_475, null],
    [1e300, null],
    [5e-324, 0],
    [Number.MAX_VALUE, null],
    [0.1 + 0.2, 3000],
  ] as const;
  for (const [value, expected] of [...texts, ...numbers])
    assert.equal(parseAmountInput(value), expected, `${value}`);
});

test('a number with four decimals is read as its text', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(10 ** 14), max: 10 ** 14 }), (units) => {
      assert.equal(parseAmountInput(units / 10_000), units === 0 ? 0 : units);
    }),
  );
});
