import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, daysIn, earliestDate, latestDate } from './dates.ts';
import { isPeriodStart, periodAfter, periodBefore, periodOf } from './budget-periods.ts';
import type { PeriodSettings } from './budget-periods.ts';
import { runs } from './testing/length.ts';

const two = (value: number): string => String(value).padStart(2, '0');

const dateArbitrary = fc
  .record({ year: fc.integer({ min: 1995, max: 2035 }), month: fc.integer({ min: 1, max: 12 }) })
  .chain(({ year, month }) =>
    fc
      .oneof(fc.constantFrom(1, 15, 16, 28, 29, 30, 31), fc.integer({ min: 1, max: 31 }))
      .map((day) => `${year}-${two(month)}-${two(Math.min(day, daysIn(year, month)))}`),
  );

const settingsArbitrary: fc.Arbitrary<PeriodSettings> = fc.record({
  granularity: fc.constantFrom('day', 'week', 'month', 'year', 'twice a month'),
  quantity: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 14 })),
  anchor_date: dateArbitrary,
  use_last_day_of_month: fc.boolean(),
});

const settingsOf = (
  granularity: PeriodSettings['granularity'],
  anchor_date: string,
  quantity = 1,
  use_last_day_of_month = false,
): PeriodSettings => ({ granularity, anchor_date, quantity, use_last_day_of_month });

/** The slow model: whether a unit starts on a date, by looking at this date only. */
function startsUnit(settings: PeriodSettings, date: string): boolean {
  const { granularity, anchor_date: anchor } = settings;
  const [month, day] = date.split('-').slice(1).map(Number) as [number, number];
  const [anchorMonth, anchorDay] = anchor.split('-').slice(1).map(Number) as [number, number];
  const isLast = addDays(date, 1).endsWith('-01');
  const startsOn = (wanted: number): boolean => day === wanted || (isLast && day < wanted);
  switch (granularity) {
    case 'day':
      return true;
    case 'week':
      return new Date(date).getUTCDay() === new Date(anchor).getUTCDay();
    case 'month':
      return settings.use_last_day_of_month ? day === 1 : startsOn(anchorDay);
    case 'year':
      return month === anchorMonth && startsOn(anchorDay);
    case 'twice a month':
      return startsOn(anchorDay) || startsOn(anchorDay <= 15 ? anchorDay + 15 : anchorDay - 15);
  }
}

/** The slow model: the starts of periods near the anchor, by walking day by day. */
function startsAround(settings: PeriodSettings, days: number): Set<string> {
  const starts = new Set<string>();
  let anchor = settings.anchor_date;
  while (!startsUnit(settings, anchor)) anchor = addDays(anchor, -1);
  for (const direction of [1, -1]) {
    let units = 0;
    for (let at = 0, date = anchor; at <= days; at += 1, date = addDays(date, direction))
      if (startsUnit(settings, date)) {
        if (units % settings.quantity === 0) starts.add(date);
        units += 1;
      }
  }
  return starts;
}

test('every date is in the period that a walk from the anchor, day by day, finds', () => {
  fc.assert(
    fc.property(settingsArbitrary, (settings) => {
      const starts = startsAround(settings, 1000);
      const [first, ...rest] = [...starts].toSorted();
      let [start, next] = [first!, 0];
      for (let date = first!; next < rest.length; date = addDays(date, 1)) {
        if (date === rest[next]) {
          start = date;
          next += 1;
        }
        if (next === rest.length) break;
        const expected = { start, end: addDays(rest[next]!, -1) };
        assert.deepEqual(periodOf(settings, date), expected, date);
        assert.equal(isPeriodStart(settings, date), date === start);
      }
    }),
    { numRuns: runs(40) },
  );
});

test('the periods before and after a period are next to it, and each is found again from the other', () => {
  fc.assert(
    fc.property(settingsArbitrary, dateArbitrary, (settings, date) => {
      const period = periodOf(settings, date);
      assert.ok(period.start <= date && date <= period.end);
      const [before, after] = [periodBefore(settings, period), periodAfter(settings, period)];
      assert.equal(before?.end, addDays(period.start, -1));
      assert.equal(after?.start, addDays(period.end, 1));
      assert.deepEqual(periodAfter(settings, before), period);
      assert.deepEqual(periodBefore(settings, after), period);
    }),
  );
});

test('months keep the day of the anchor, and short months use their last day', () => {
  const monthly = settingsOf('month', '2023-01-31');
  const starts = ['2024-01-31', '2024-02-29', '2024-03-31', '2024-04-30'];
  for (const start of starts) assert.ok(isPeriodStart(monthly, start), start);
  assert.deepEqual(periodOf(monthly, '2023-02-27'), { start: '2023-01-31', end: '2023-02-27' });
  const lastDay = settingsOf('month', '2023-01-31', 1, true);
  assert.deepEqual(periodOf(lastDay, '2023-02-27'), { start: '2023-02-01', end: '2023-02-28' });
  const yearly = settingsOf('year', '2024-02-29');
  assert.deepEqual(periodOf(yearly, '2025-03-01'), { start: '2025-02-28', end: '2026-02-27' });
  const quarterly = settingsOf('month', '2024-01-01', 3);
  assert.deepEqual(periodOf(quarterly, '2023-12-31'), { start: '2023-10-01', end: '2023-12-31' });
});

test('half months start on two days of each month, one of which is the day of the anchor', () => {
  const startsOf = (anchor: string, month: string): string[] =>
    Array.from({ length: daysIn(Number(month.slice(0, 4)), Number(month.slice(5))) }, (_, at) =>
      addDays(`${month}-01`, at),
    ).filter((date) => isPeriodStart(settingsOf('twice a month', anchor), date));
  assert.deepEqual(startsOf('2024-01-01', '2024-02'), ['2024-02-01', '2024-02-16']);
  assert.deepEqual(startsOf('2024-01-16', '2024-02'), ['2024-02-01', '2024-02-16']);
  assert.deepEqual(startsOf('2024-01-15', '2024-02'), ['2024-02-15', '2024-02-29']);
  assert.deepEqual(startsOf('2024-01-30', '2024-04'), ['2024-04-15', '2024-04-30']);
  assert.deepEqual(startsOf('2024-01-31', '2023-02'), ['2023-02-16', '2023-02-28']);
});

test('the first and the last period are cut at the ends of the calendar', () => {
  fc.assert(
    fc.property(
      settingsArbitrary,
      fc.constantFrom(earliestDate, latestDate),
      (settings, anchor) => {
        for (const each of [settings, { ...settings, anchor_date: anchor }]) {
          const first = periodOf(each, earliestDate);
          const last = periodOf(each, latestDate);
          assert.equal(first.start, earliestDate);
          assert.equal(last.end, latestDate);
          assert.equal(periodBefore(each, first), null);
          assert.equal(periodAfter(each, last), null);
        }
      },
    ),
  );
});
