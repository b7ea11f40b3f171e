import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatSigned, parseQuantityInput, parseSigned } from './rules.ts';

const most = 10n ** 36n - 1n;

test('a quantity is written with 18 decimals, and read again without a loss', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -most, max: most }), (quantity) => {
      const text = formatSigned(quantity);
      assert.match(text, /^-?(0|[1-9]\d*)\.\d{18}$/);
      assert.equal(parseSigned(text), quantity);
    }),
  );
});

test('a number of a request means what it prints', () => {
  for (const [value, quantity] of [
    [1, 10n ** 18n],
    [-0.5, -5n * 10n ** 17n],
    [1e-18, 1n],
    [5e-19, 0n],
    [1.5e-18, 2n],
    [123456789.125, 123_456_789_125_000_000_000_000_000n],
    [1e17, 10n ** 35n],
    [-0, 0n],
  ] as const)
    assert.equal(parseQuantityInput(value), quantity, String(value));
});

test('a quantity of 10^18 or more, and a text of another form, is refused', () => {
  for (const value of [1e18, -1e18, 1e300, 1e21, Number.MAX_VALUE, '1000000000000000000'])
    assert.equal(parseQuantityInput(value), null, String(value));
  for (const text of ['', '-', '1.', '.5', '--1', '+1', '1e3', ' 1', '1.0000000000000000000'])
    assert.equal(parseQuantityInput(text), null, text);
  assert.throws(() => parseSigned('many'), /"quantity" is "many"/);
});
