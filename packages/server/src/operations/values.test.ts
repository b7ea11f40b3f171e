import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { test } from 'node:test';
import { maxAmount } from '@coffer/core/money';
import fc from 'fast-check';
import { parseAmountInput, rounded } from './amounts.ts';
import { currencies, currencyCodes, isCurrencyCode } from './currencies.ts';
import { errorTable } from './errors.ts';
import { Problem } from './problem.ts';
import { formsV1, problemInV1, refusedV1, signed, withoutNulls } from '../v1/refusals.ts';

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

test('a refusal is a text, or a list where it has several or the area wants one', () => {
  assert.deepEqual(refusedV1(formsV1.categories, 'a').body, { error: 'a' });
  assert.deepEqual(refusedV1(formsV1.categories, 'a', 'b').body, { error: ['a', 'b'] });
  assert.deepEqual(refusedV1(formsV1.transactions, 'a').body, { error: ['a'] });
  assert.deepEqual(refusedV1(formsV1.accounts, 'a').body, { errors: ['a'] });
});

test('a problem of the request has the form of its operation, others that of v2', () => {
  const missing = new Problem('recordNotFound');
  const sent = problemInV1(missing, formsV1.recurring);
  assert.deepEqual(sent?.body, { error: 'There is no such record' });
  assert.equal(sent.status, 404);
  assert.equal(problemInV1(missing, undefined), null);
  for (const kind of ['tooManyRequests', 'internal', 'methodNotAllowed'] as const)
    assert.equal(problemInV1(new Problem(kind), formsV1.recurring), null);
  const details = Array.from({ length: 101 }, (_, at) => ({ errMsg: String(at) }));
  const many = problemInV1(new Problem('validation', { details }), formsV1.accounts);
  assert.equal((many?.body as { errors: string[] }).errors.length, 100);
});

test('a sign is turned round, but never that of zero', () => {
  for (const [amount, negated] of [
    ['1.5000', '-1.5000'],
    ['-1.5000', '1.5000'],
    ['0.0000', '0.0000'],
    ['0', '0'],
  ] as const) {
    assert.equal(signed(amount, true), negated);
    assert.equal(signed(amount, false), amount);
  }
});

test('null is not given, false and zero are', () => {
  const body = { a: null, b: 0, c: false, d: '', e: undefined };
  assert.deepEqual(withoutNulls(body), { b: 0, c: false, d: '' });
});

test('a text of v1 is rounded to four decimals; what is no amount is left as it is', () => {
  for (const [value, expected] of [
    ['1.23455', '1.2346'],
    ['1.23445', '1.2344'],
    ['-2', '-2.0000'],
    ['1.2.3', '1.2.3'],
    [1.23456, 1.23456],
  ] as const)
    assert.equal(rounded(value), expected);
});
