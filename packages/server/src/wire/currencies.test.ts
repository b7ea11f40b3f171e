import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { currencies, currencyCodes, isCurrencyCode } from './currencies.ts';

test('codes have three lower-case letters, are unique and in alphabetical order', () => {
  for (const code of currencyCodes) assert.match(code, /^[a-z]{3}$/);
  assert.deepEqual(currencyCodes, [...new Set(currencyCodes)].sort());
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
