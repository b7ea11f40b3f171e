import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'node:test';
import { readExpiry } from './token.ts';

const expiryNow = new Date('2026-11-20T12:34:56.789Z');

test('days count from now, to the millisecond', () => {
  assert.equal(readExpiry('1d', expiryNow), '2026-11-21T12:34:56.789Z');
  assert.equal(readExpiry('90d', expiryNow), '2027-02-18T12:34:56.789Z');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 36_500 }), (days) => {
      const elapsedMs = Date.parse(readExpiry(`${days}d`, expiryNow)) - expiryNow.getTime();
      assert.equal(elapsedMs, days * 24 * 60 * 60 * 1000);
    }),
  );
});

test('a date is the first instant of that day in UTC, and must be in the future', () => {
  assert.equal(readExpiry('2027-01-31', expiryNow), '2027-01-31T00:00:00.000Z');
  assert.equal(readExpiry('2028-02-29', expiryNow), '2028-02-29T00:00:00.000Z');
  const refused = { exitCode: 2, message: /is not in the future$/ };
  for (const text of ['2026-11-20', '2026-11-19', '1999-12-31'])
    assert.throws(() => readExpiry(text, expiryNow), refused, text);
});

test('text that is neither a number of days nor a date is refused', () => {
  const texts = ['', '0d', '-1d', '1.5d', '36501d', '90', '90 d', 'd', '1h', 'never', '2027-02-29'];
  const dates = ['2027-13-01', '2027-1-1', '2027-04-31', '2027-01-31T00:00:00Z', '٣d'];
  const refused = { exitCode: 2, message: /is not valid/ };
  for (const text of [...texts, ...dates])
    assert.throws(() => readExpiry(text, expiryNow), refused, text);
});
