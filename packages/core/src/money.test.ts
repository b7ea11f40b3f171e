import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { divideHalfToEven, formatAmount, maxAmount, parseAmount } from './money.ts';

test('ten-thousandths are formatted with four places and one sign', () => {
  const amounts = [0, 1, -1, 9999, 10_000, -10_000, 123_456].map(formatAmount);
  const expected = ['0.0000', '0.0001', '-0.0001', '0.9999', '1.0000', '-1.0000', '12.3456'];
  assert.deepEqual(amounts, expected);
  assert.equal(formatAmount(-0), '0.0000');
  assert.equal(formatAmount(10 ** 21), '100000000000000000.0000');
});

test('no digit of an integer of any length is lost, and every amount is parsed as it was', () => {
  fc.assert(
    fc.property(fc.bigInt(), (value) => {
      const text = formatAmount(value);
      assert.match(text, /^-?\d+\.\d{4}$/);
      assert.equal(BigInt(text.replace('.', '')), value);
    }),
  );
  fc.assert(
    fc.property(fc.maxSafeInteger(), (amount) => {
      assert.equal(parseAmount(formatAmount(amount)), amount);
    }),
  );
});

const amounts: [text: string, tenThousandths: number][] = [
  ['0', 0],
  ['-0.0000', 0],
  ['12', 120_000],
  ['-12.5', -125_000],
  ['0.0001', 1],
  ['-0.05', -500],
  ['0.30', 3000],
  ['007', 70_000],
  ['900719925474.0991', maxAmount],
  ['-900719925474.0991', -maxAmount],
];

test('one to four places are parsed, and zero has no sign', () => {
  for (const [text, amount] of amounts) assert.equal(parseAmount(text), amount, text);
});

const notAmounts = [
  '',
  '-',
  '.',
  '.5',
  '1.',
  '+1',
  '--1',
  '1-',
  ' 1',
  '1 ',
  '1\n',
  '1,5',
  '1.2.3',
  '1_000',
  '1e3',
  '0x1',
  'NaN',
  'Infinity',
  '١',
  '1.00000',
  '0.12345',
  '900719925474.0992',
  '-900719925474.0992',
  '900719925475',
  '9'.repeat(16),
  '9'.repeat(400),
];

test('any other text, more places and larger amounts are not parsed', () => {
  for (const text of notAmounts) assert.equal(parseAmount(text), null, JSON.stringify(text));
});

test('an amount outside the bounds is not parsed, however little it exceeds them', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: BigInt(maxAmount) + 1n, max: 10n ** 40n }), (excess) => {
      assert.equal(parseAmount(formatAmount(excess)), null);
      assert.equal(parseAmount(formatAmount(-excess)), null);
    }),
  );
});

test('the quotient is the nearest integer, or the even one of two equally near integers', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
      fc.bigInt({ min: 1n, max: 10n ** 6n }),
      (dividend, divisor) => {
        const quotient = divideHalfToEven(dividend, divisor);
        const twiceError = 2n * (dividend - quotient * divisor);
        const size = twiceError < 0n ? -twiceError : twiceError;
        assert.ok(size <= divisor);
        if (size === divisor) assert.equal(quotient % 2n, 0n);
      },
    ),
  );
});

test('halves are rounded to the even integer, whatever the sign', () => {
  const quotients = [-25n, -15n, -5n, 5n, 15n, 25n, 35n].map((half) => divideHalfToEven(half, 10n));
  assert.deepEqual(quotients, [-2n, -2n, 0n, 0n, 2n, 2n, 4n]);
});
