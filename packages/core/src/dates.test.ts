import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addDays,
  dateOfDay,
  dayNumber,
  daysApart,
  daysIn,
  earliestDate,
  hasToWait,
  instantOf,
  isCalendarDate,
  isDateTime,
  latestDate,
  msOf,
  toInstant,
} from './dates.ts';

test('calendar dates are accepted, from the first to the last', () => {
  assert.deepEqual([earliestDate, latestDate], ['0001-01-01', '9999-12-31']);
  for (const date of [earliestDate, '2000-02-29', '2024-02-29', '2023-12-31', latestDate]) {
    assert.ok(isCalendarDate(date), date);
  }
});

const noDates = [
  ...'2023-02-29 1900-02-29 2023-04-31 2023-13-01 2023-00-10 2023-01-00 2023-01-32'.split(' '),
  ...'0000-01-01 2023-1-5 20230105 2023-01-05T00:00:00Z +2023-01-05 -2023-01-05'.split(' '),
  ...'12023-01-05 today ٢٠٢٣-٠١-٠٥ 2023/01/05'.split(' '),
  '',
  '2023-01-05 ',
  ' 2023-01-05',
  '2023-01-05\n',
];

test('any other text is not a date', () => {
  for (const text of noDates) assert.ok(!isCalendarDate(text), JSON.stringify(text));
});

test('the length of each month over four centuries is the same as in Date', () => {
  for (let year = 1796; year <= 2204; year += 1) {
    for (let month = 1; month <= 12; month += 1) {
      const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
      assert.equal(daysIn(year, month), lastDay);
      const day = (n: number): string => `${year}-${String(month).padStart(2, '0')}-${n}`;
      assert.ok(isCalendarDate(day(lastDay)));
      assert.ok(!isCalendarDate(day(lastDay + 1)));
    }
  }
  for (const month of [0, 13, -1, 1.5]) assert.equal(daysIn(2024, month), 0);
});

const instants: [text: string, instant: string][] = [
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['2024-02-29T12:34:56Z', '2024-02-29T12:34:56.000Z'],
  ['2024-02-29t12:34:56z', '2024-02-29T12:34:56.000Z'],
  ['2024-02-29T12:34:56.7Z', '2024-02-29T12:34:56.700Z'],
  ['2024-02-29T12:34:56.7899999Z', '2024-02-29T12:34:56.789Z'],
  ['2024-03-01T01:30:00+02:00', '2024-02-29T23:30:00.000Z'],
  ['2024-12-31T23:59:59.999-00:30', '2025-01-01T00:29:59.999Z'],
  ['2024-01-01T00:00:00-00:00', '2024-01-01T00:00:00.000Z'],
  ['2024-01-01T00:00:00+23:59', '2023-12-31T00:01:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
];

test('dates and date-times become instants in UTC with milliseconds', () => {
  for (const [text, instant] of instants) {
    assert.equal(toInstant(text), instant, text);
    assert.equal(isDateTime(text), text.length > 10, text);
  }
});

const noInstants = [
  '2023-02-29T00:00:00Z',
  '2024-01-01T24:00:00Z',
  '2024-01-01T00:60:00Z',
  '2016-12-31T23:59:60Z',
  '2024-01-01T00:00:00',
  '2024-01-01T00:00Z',
  '2024-01-01 00:00:00Z',
  '2024-01-01T00:00:00.Z',
  '2024-01-01T00:00:00+24:00',
  '2024-01-01T00:00:00+01:60',
  '2024-01-01T00:00:00+0100',
  '2024-01-01T00:00:00 01:00',
  '2024-01-01T00:00:00Z ',
  'now',
  '',
  '1700000000',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  `2024-01-01T00:00:00.${'1'.repeat(101)}Z`,
];

test('any other text is not an instant of the years 0001 to 9999 in UTC', () => {
  for (const text of noInstants) assert.equal(toInstant(text), null, JSON.stringify(text));
});

test('every instant is parsed exactly, whatever its offset', () => {
  const arbitraryMs = fc.integer({ min: -62_000_000_000_000, max: 253_000_000_000_000 });
  fc.assert(
    fc.property(arbitraryMs, fc.integer({ min: -1439, max: 1439 }), (ms, offsetMinutes) => {
      const local = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1);
      const minutes = Math.abs(offsetMinutes);
      const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
      const offset = `${offsetMinutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
      assert.equal(toInstant(local + offset), new Date(ms).toISOString());
    }),
  );
});

test('no text makes the parsers throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      assert.equal(isCalendarDate(text), false);
      assert.equal(toInstant(text), null);
    }),
  );
});

test('days apart are counted across months, leap days and centuries', () => {
  const [first, ...rest] = datesFrom(1896, 2104);
  for (const [at, date] of rest.entries()) {
    assert.equal(daysApart(first!, date), at + 1, date);
    assert.equal(daysApart(date, first!), at + 1, date);
  }
  assert.equal(daysApart('2024-02-29', '2024-02-29'), 0);
  assert.equal(daysApart(earliestDate, latestDate), 3_652_058);
});

/** Listed without help from the code under test. */
function datesFrom(firstYear: number, lastYear: number): string[] {
  const twoDigits = (part: number): string => String(part).padStart(2, '0');
  const dates: string[] = [];
  for (let year = firstYear; year <= lastYear; year += 1) {
    const isLeapYear = year % 4 === 0 && year !== 1900 && year !== 2100;
    const lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (const [at, length] of lengths.entries()) {
      for (let day = 1; day <= length; day += 1) {
        dates.push(`${year}-${twoDigits(at + 1)}-${twoDigits(day)}`);
      }
    }
  }
  return dates;
}

test('days are added to a date within the supported dates', () => {
  assert.equal(addDays('2024-02-28', 2), '2024-03-01');
  assert.equal(addDays('2024-03-01', -1), '2024-02-29');
  assert.equal(addDays(earliestDate, -1), earliestDate);
  assert.equal(addDays(latestDate, 15), latestDate);
  fc.assert(
    fc.property(fc.integer({ min: -700_000, max: 2_900_000 }), (day) => {
      assert.ok(isCalendarDate(dateOfDay(day)));
      assert.equal(dayNumber(dateOfDay(day)), day);
    }),
  );
});

test('the milliseconds of an instant are those that it was made of', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (ms) => {
      assert.equal(msOf(instantOf(ms)), ms);
    }),
  );
});

test('a wait goes on until its time, but not if it is longer than any', () => {
  const [now, hour, longest] = [1_000_000_000, 3_600_000, 7_200_000];
  for (const [until, expected] of [
    [now - 1, false],
    [now, false],
    [now + 1, true],
    [now + longest, true],
    [now + longest + 60_000, true],
    [now + longest + 60_001, false],
    [now + 1000 * hour, false],
    [Infinity, false],
  ] as const)
    assert.equal(hasToWait(until, now, longest), expected, String(until - now));
});
