import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysApart } from './days-apart.ts';

const twoDigits = (part: number): string => String(part).padStart(2, '0');

/** All days of the calendar from 1896 to 2104, counted out: a century that leaps and two that do not. */
function calendar(): string[] {
  const days: string[] = [];
  for (let year = 1896; year <= 2104; year += 1) {
    const leaps = year % 4 === 0 && year !== 1900 && year !== 2100;
    const lengths = [31, leaps ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (const [at, length] of lengths.entries()) {
      for (let day = 1; day <= length; day += 1) {
        days.push(`${year}-${twoDigits(at + 1)}-${twoDigits(day)}`);
      }
    }
  }
  return days;
}

test('days apart are those of the calendar, over months, leap days and centuries', () => {
  const [first, ...days] = calendar();
  for (const [at, day] of days.entries()) {
    assert.equal(daysApart(first!, day), at + 1, day);
    assert.equal(daysApart(day, first!), at + 1, day);
  }
  assert.equal(daysApart('2024-02-29', '2024-02-29'), 0);
  assert.equal(daysApart('0001-01-01', '9999-12-31'), 3_652_058);
});
