import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayOn } from './calendar.ts';
import { minorUnit, toUsd } from './currencies.ts';

test('dollars stay what they are', () => {
  assert.equal(toUsd(-123_456, 'usd', 0), -123_456);
});

test('money from abroad is turned into dollars at the rate of the month', () => {
  assert.equal(toUsd(10_000_000, 'eur', dayOn('2024-05-11')), 10_949_840);
  assert.equal(toUsd(-10_000_000, 'eur', dayOn('2024-05-31')), -10_949_840);
  assert.equal(toUsd(1_680_000_000, 'jpy', dayOn('2018-11-15')), 15_281_683);
});

test('a debit and a credit of the same size cancel out', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom('eur', 'gbp', 'jpy', 'cad'),
      fc.nat(3651),
      (amount, currency, day) => {
        assert.equal(toUsd(amount, currency, day) + toUsd(-amount, currency, day), 0);
      },
    ),
  );
});

test('yen have no smaller unit', () => {
  assert.equal(minorUnit('jpy'), 10_000);
  assert.equal(minorUnit('gbp'), 100);
});
