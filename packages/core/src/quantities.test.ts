import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatQuantity, isQuantity, parseQuantity, quantityPlaces } from './quantities.ts';

test('a quantity is formatted with 18 places and parsed as it was', () => {
  assert.equal(quantityPlaces, 18);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 36n - 1n }), (value) => {
      const text = formatQuantity(value);
      assert.match(text, /^(0|[1-9][0-9]{0,17})\.[0-9]{18}$/);
      assert.equal(parseQuantity(text), value);
      assert.equal(BigInt(text.replace('.', '')), value);
    }),
  );
});

test('trailing zeros may be left out', () => {
  fc.assert(
    fc.property(fc.nat(), fc.stringMatching(/^[0-9]{1,18}$/), (units, fraction) => {
      const value = BigInt(units) * 10n ** 18n + BigInt(fraction.padEnd(18, '0'));
      assert.equal(parseQuantity(`${units}.${fraction}`), value);
    }),
  );
});

const notQuantities = [
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
  `0.${'0'.repeat(19)}`,
  `1${'0'.repeat(18)}`,
];

test('a sign, an exponent, a space, 19 places or 19 digits are not parsed', () => {
  for (const text of notQuantities) assert.equal(parseQuantity(text), null, JSON.stringify(text));
});

test('a quantity is not negative, and less than 10^18 of the asset', () => {
  const values = [-1n, 0n, 10n ** 36n - 1n, 10n ** 36n];
  assert.deepEqual(values.map(isQuantity), [false, true, true, false]);
});
