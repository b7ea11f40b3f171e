/* eslint-disable no-restricted-syntax -- the machine's own calendar is what the table is held to */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayAt, dayIn, dayOn, days, lastDay, monthCount, monthOf } from './calendar.ts';

const dayMs = 86_400_000;

test('every day from 2016-11-01 to 2026-10-31 is there, as the machine counts them', () => {
  const start = Date.UTC(2016, 10, 1);
  assert.equal(days.length, (Date.UTC(2026, 10, 1) - start) / dayMs);
  for (const [index, day] of days.entries()) {
    const expected = new Date(start + index * dayMs);
    assert.equal(day.date, expected.toISOString().slice(0, 10));
    assert.equal(day.monthName, day.date.slice(0, 7));
    assert.equal(day.isSaturday, expected.getUTCDay() === 6);
    assert.equal(day.isSunday, expected.getUTCDay() === 0);
    assert.deepEqual(
      [day.year, day.month],
      [expected.getUTCFullYear(), expected.getUTCMonth() + 1],
    );
    assert.equal(dayOn(day.date), index);
  }
});

test('a day past the end of a month is its last day', () => {
  assert.equal(dayAt(dayIn(monthOf('2020-02'), 31)).date, '2020-02-29');
  assert.equal(dayAt(dayIn(monthOf('2021-02'), 30)).date, '2021-02-28');
  assert.equal(dayIn(monthCount - 1, 31), lastDay);
});

test('days and months outside the ten years are refused', () => {
  assert.throws(() => dayAt(-1), { message: 'Day "-1" is outside the demo book' });
  assert.throws(() => dayAt(lastDay + 1), RangeError);
  assert.throws(() => dayIn(monthCount, 1), { message: 'Month "120" is outside the demo book' });
  assert.throws(() => dayOn('2016-10-31'), RangeError);
});
