import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatPeriod, nameOf, periodAt, periodBeside } from './budget-periods.ts';
import type { BudgetSettings } from './budget-periods.ts';

const format = { locale: 'en-GB', dates: 'locale' } as const;
const settingsOf = (
  granularity: BudgetSettings['budget_period_granularity'],
  anchor: string,
  quantity = 1,
): BudgetSettings => ({
  budget_period_granularity: granularity,
  budget_period_quantity: quantity,
  budget_period_anchor_date: anchor,
  budget_use_last_day_of_month: false,
});

test('the URL names months by themselves, and other periods by their first day', () => {
  const months = settingsOf('month', '2024-01-01');
  const november = periodAt(months, '2026-11', '2020-01-01');
  assert.deepEqual(november, { start: '2026-11-01', end: '2026-11-30' });
  assert.equal(nameOf(november), '2026-11');
  assert.equal(formatPeriod(november, format), 'November 2026');
  const fortnights = settingsOf('week', '2026-10-05', 2);
  const period = periodAt(fortnights, '2026-10', '2020-01-01');
  assert.equal(nameOf(period), '2026-10-05');
  assert.equal(formatPeriod(period, format), '5 Oct – 18 Oct 2026');
  const first = periodAt(settingsOf('week', '2026-10-01'), '2026-10', '2020-01-01');
  assert.deepEqual(first, { start: '2026-10-01', end: '2026-10-07' });
  assert.equal(
    formatPeriod({ start: '2026-12-28', end: '2027-01-03' }, format),
    '28 Dec 2026 – 3 Jan 2027',
  );
  assert.equal(formatPeriod({ start: '2026-12-28', end: '2026-12-28' }, format), '28 Dec 2026');
  assert.deepEqual(periodAt(months, '2026-99', '2026-11-23'), november);
});

test('every period has a name that leads back to it, and is beside its neighbours', () => {
  const settings = fc
    .record({
      granularity: fc.constantFrom('day', 'week', 'month', 'year', 'twice a month'),
      month: fc.integer({ min: 1, max: 12 }),
      day: fc.integer({ min: 1, max: 28 }),
      quantity: fc.integer({ min: 1, max: 6 }),
    })
    .map(({ granularity, month, day, quantity }) => {
      const two = (value: number): string => String(value).padStart(2, '0');
      return settingsOf(granularity, `2024-${two(month)}-${two(day)}`, quantity);
    });
  const days = fc.constantFrom('2026-10-05', '2026-02-28', '2024-01-01');
  fc.assert(
    fc.property(settings, days, (each, day) => {
      const period = periodAt(each, day, day);
      assert.ok(period.start <= day && day <= period.end);
      assert.deepEqual(periodAt(each, nameOf(period), ''), period);
      const next = periodBeside(each, period, 1);
      assert.deepEqual(next && periodBeside(each, next, -1), period);
    }),
  );
});
