import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expectedDates, type Schedule } from '@coffer/core/schedule';
import { cadenceV1, datesAround } from '../ledger/recurring/rules.ts';

test('the dates around a range are the neighbours of all expected dates', () => {
  const schedule: fc.Arbitrary<Schedule> = fc.record({
    granularity: fc.constantFrom('day', 'week', 'month', 'year'),
    quantity: fc.integer({ min: 1, max: 13 }),
    anchor_date: fc.constantFrom('2024-01-31', '2024-02-29', '2023-12-01'),
    start_date: fc.constant(null),
    end_date: fc.constant(null),
  });
  const day = fc.constantFrom('2024-01-01', '2024-02-29', '2024-03-31', '2025-01-31');
  fc.assert(
    fc.property(schedule, day, day, (each, one, other) => {
      const [start_date, end_date] = [one, other].toSorted() as [string, string];
      const all = expectedDates(each, '1990-01-01', '2060-12-31');
      const first = all.findIndex((date) => date >= start_date);
      const after = all.findIndex((date) => date > end_date);
      const around = datesAround(each, { start_date, end_date });
      assert.deepEqual(around, all.slice(first - 1, after + 1));
    }),
  );
});

test('a cadence that v1 has a word for', () => {
  const schedule = { anchor_date: '2024-01-01', start_date: null, end_date: null };
  assert.equal(cadenceV1({ ...schedule, granularity: 'month', quantity: 6 }), 'twice a year');
  assert.equal(cadenceV1({ ...schedule, granularity: 'week', quantity: 3 }), null);
});
