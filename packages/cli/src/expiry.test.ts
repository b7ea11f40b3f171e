import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readExpiry } from './expiry.ts';

const now = new Date('2026-11-20T12:34:56.789Z');

test('days count from now, to the millisecond', () => {
  assert.equal(readExpiry('1d', now), '2026-11-21T12:34:56.789Z');
  assert.equal(readExpiry('90d', now), '2027-02-18T12:34:56.789Z');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 36_500 }), (days) => {
      const elapsedMs = Date.parse(readExpiry(`${days}d`, now)) - now.getTime();
      assert.equal(elapsedMs, days * 24 * 60 * 60 * 1000);
    }),
  );
});

test('a date is the first instant of that day in UTC', () => {
  assert.equal(readExpiry('2027-01-31', now), '2027-01-31T00:00:00.000Z');
  assert.equal(readExpiry('2028-02-29', now), '2028-02-29T00:00:00.000Z');
});

for (const text of ['2026-11-20', '2026-11-19', '1999-12-31']) {
  test(`"${text}" has begun already and is refused`, () => {
    assert.throws(() => readExpiry(text, now), { exitCode: 2, message: /is over already$/ });
  });
}

for (const text of [
  ...[
    '',
    '0d',
    '-1d',
    '1.5d',
    '36501d',
    '90',
    '90 d',
    'd',
    '1h',
    'never',
    '2027-02-29',
    '2027-13-01',
  ],
  ...['2027-1-1', '2027-04-31', '2027-01-31T00:00:00Z', '٣d'],
]) {
  test(`"${text}" is neither days nor a date and is refused`, () => {
    assert.throws(() => readExpiry(text, now), { exitCode: 2, message: /is neither/ });
  });
}
