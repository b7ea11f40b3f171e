import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAmount } from '@coffer/core/money';
import fc from 'fast-check';
import { formatMoney, negate, parseTypedAmount, roundedSum, sumOf } from './money.ts';

const amounts = fc.maxSafeInteger().map((units) => formatAmount(units));
const maxUnits = BigInt(Number.MAX_SAFE_INTEGER);
const locales = fc.constantFrom('en-GB', 'de-DE', 'fr-FR', 'de-CH', 'en-IN', 'pt-PT', 'ja-JP');

test('an amount that is shown and typed again is the same, in every locale', () => {
  fc.assert(
    fc.property(amounts, locales, (amount, locale) => {
      const text = formatMoney(amount, { locale, currency: 'eur', hasCurrency: false });
      assert.equal(parseTypedAmount(text, locale), amount, text);
    }),
  );
});

test('amounts are exact beyond what a float can hold', () => {
  const format = { locale: 'en-GB', currency: 'eur' };
  assert.equal(formatMoney('900719925474.0993', format), '€900,719,925,474.0993');
  assert.equal(formatMoney('-0.0000', format), '€0.00');
  assert.equal(formatMoney('0.1000', format), '€0.10');
});

test('a sum has the digits of its currency, a code that is no currency is behind the number', () => {
  const sum = { locale: 'en-GB', currency: 'usd', isRounded: true };
  assert.equal(formatMoney('109057.8990', sum), '$109,057.90');
  assert.equal(formatMoney('100.4000', { ...sum, currency: 'jpy' }), '¥100');
  assert.equal(formatMoney('1.5000', { locale: 'en-GB', currency: 'usdc' }), '1.5 USDC');
  const bare = { locale: 'en-GB', currency: 'eur', hasCurrency: false };
  assert.equal(formatMoney('1.1250', bare), '1.125');
  assert.equal(formatMoney('1.1250', { ...bare, isRounded: true }), '1.13');
  assert.equal(formatMoney('1.0000', bare), '1.00');
  assert.equal(formatMoney('1.0000', { ...bare, currency: 'usdc' }), '1');
  assert.equal(roundedSum(10_050n, 'usdc'), '1.0000');
  assert.equal(roundedSum(10_150n, 'usdc'), '1.0200');
});

test('what a person types is an amount in their locale', () => {
  for (const [text, locale, expected] of [
    ['12', 'en-GB', '12.0000'],
    ['1,234.5', 'en-GB', '1234.5000'],
    ['1,234', 'en-GB', '1234.0000'],
    ['12,5', 'en-GB', '12.5000'],
    ['12,5', 'de-DE', '12.5000'],
    ['1.234,50', 'de-DE', '1234.5000'],
    ['1.234', 'de-DE', '1234.0000'],
    ['12.5', 'de-DE', '12.5000'],
    ['1 234,5', 'fr-FR', '1234.5000'],
    ['−3', 'en-GB', '-3.0000'],
    ['+3.', 'en-GB', '3.0000'],
  ] as const)
    assert.equal(parseTypedAmount(text, locale), expected, `${text} in ${locale}`);
});

test('an amount can be a calculation, exact, with products before sums', () => {
  for (const [text, locale, expected] of [
    ['12.40+3', 'en-GB', '15.4000'],
    ['12,40 + 3', 'de-DE', '15.4000'],
    ['1.200 - 0,5', 'de-DE', '1199.5000'],
    ['2+3*4', 'en-GB', '14.0000'],
    ['3×4−2', 'en-GB', '10.0000'],
    ['80/3', 'en-GB', '26.6667'],
    ['80/-3', 'en-GB', '-26.6667'],
    ['-5+3', 'en-GB', '-2.0000'],
    ['10--5', 'en-GB', '15.0000'],
    ['0.0001/2', 'en-GB', '0.0000'],
  ] as const)
    assert.equal(parseTypedAmount(text, locale), expected, `${text} in ${locale}`);
  for (const text of ['1+', '*2', '5/0', '1/', '2**3', '(1+2)', '1=1', '900719925474.0991+1'])
    assert.equal(parseTypedAmount(text, 'en-GB'), null, text);
  fc.assert(
    fc.property(amounts, amounts, (one, other) => {
      const sum = BigInt(one.replace('.', '')) + BigInt(other.replace('.', ''));
      const isAmount = sum <= maxUnits && sum >= -maxUnits;
      assert.equal(
        parseTypedAmount(`${one}+${other}`, 'en-GB'),
        isAmount ? formatAmount(sum) : null,
      );
    }),
  );
});

test('other texts are no amounts', () => {
  for (const text of ['', 'abc', '1.2.3', '1,2,3', '0x1', '1e3', '--1', '1.23456', '٣'])
    assert.equal(parseTypedAmount(text, 'en-GB'), null, text);
  fc.assert(
    fc.property(fc.string(), locales, (text, locale) => {
      const amount = parseTypedAmount(text, locale);
      assert.ok(amount === null || /^-?\d+\.\d{4}$/.test(amount));
    }),
  );
});

test('an amount and its negative are zero together', () => {
  fc.assert(
    fc.property(amounts, (amount) => {
      assert.equal(sumOf([amount, negate(amount)]), '0.0000');
      assert.equal(negate(negate(amount)), amount);
    }),
  );
});
