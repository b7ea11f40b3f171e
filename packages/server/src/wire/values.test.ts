import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { test } from 'node:test';
import { maxAmount } from '@coffer/core/money';
import fc from 'fast-check';
import { parseAmountInput } from './amounts.ts';
import { currencies, currencyCodes, isCurrencyCode } from './currencies.ts';
import { errorTable } from './errors.ts';

const entries = Object.entries(errorTable);

test('every kind of error has an error status, a message and a default detail', () => {
  for (const [kind, { status, message, errMsg }] of entries) {
    assert.ok(status >= 400 && status in STATUS_CODES, `${kind}: ${status}`);
    assert.match(message, /^([A-Z][A-Za-z]*)( [A-Z][A-Za-z]*)*$/, kind);
    assert.match(errMsg, /^[A-Z].*\S$/, kind);
  }
});

test('kinds with the same status have the same message, except for 400 and the deletion of many', () => {
  const same = entries.filter(([kind]) => kind !== 'unknownRecords');
  const messages = Map.groupBy(same, ([, { status }]) => status);
  messages.delete(400);
  for (const [status, kinds] of messages)
    assert.equal(new Set(kinds.map(([, { message }]) => message)).size, 1, String(status));
});

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

test('minor units have 0, 2, 3 or 4 decimals, except for coins', () => {
  for (const code of currencyCodes) {
    const allowed = code === 'btc' ? [8] : code === 'eth' ? [18] : [0, 2, 3, 4];
    assert.ok(allowed.includes(currencies[code]), `${code} has ${currencies[code]}`);
  }
});

test('well-known minor units are those of ISO 4217', () => {
  const { usd, eur, jpy, krw, bhd, kwd, tnd, clf, clp, isk } = currencies;
  assert.deepEqual({ usd, eur, jpy, krw, bhd, kwd, tnd, clf, clp, isk }, {
    usd: 2, eur: 2, jpy: 0, krw: 0, bhd: 3, kwd: 3, tnd: 3, clf: 4, clp: 0, isk: 0,
  }); // prettier-ignore
});

test('upper case, names of object members and other texts are not codes', () => {
  for (const text of ['USD', 'Usd', '', 'us', 'usd ', '__proto__', 'constructor', 'toString'])
    assert.equal(isCurrencyCode(text), false, text);
  assert.equal(isCurrencyCode('usd'), true);
  const known = new Set<string>(currencyCodes);
  fc.assert(fc.property(fc.string(), (text) => isCurrencyCode(text) === known.has(text)));
});
