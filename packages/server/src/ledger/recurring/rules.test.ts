import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expectedDates, type Schedule } from '@coffer/core/schedule';
import { pick } from '../../http/testing/pick.ts';
import { matchesOf, monthOf, ownTextOf, shownBy, takenDates, type RecurringRow } from './rules.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const monthly: Schedule = {
  granularity: 'month',
  quantity: 1,
  anchor_date: '2024-01-31',
  start_date: null,
  end_date: null,
};
const item: RecurringRow = {
  ...monthly,
  id: 1,
  book_id: 1,
  description: null,
  status: 'reviewed',
  source: 'manual',
  payee: 'Landlord',
  amount: 10,
  amount_tolerance: 0,
  to_base: 10,
  currency: 'eur',
  manual_account_id: null,
  plaid_account_id: null,
  created_by: 1,
  override_payee: null,
  override_notes: null,
  override_category_id: null,
  created_at: '2024-01-01T00:00:00.000Z',
  updated_at: '2024-01-01T00:00:00.000Z',
};

const dayMs = 86_400_000;
const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The n-th date after the anchor: steps of days, or the day of the anchor in a later month, as far as it has it. */
function nth({ granularity, quantity, anchor_date: anchor }: Schedule, n: number): string {
  const [year, month, day] = anchor.split('-').map(Number) as [number, number, number];
  const days = { day: 1, week: 7, month: 0, year: 0 }[granularity];
  if (days > 0) return textOf(Date.parse(anchor) + n * quantity * days * dayMs);
  const months = n * quantity * (granularity === 'year' ? 12 : 1);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return textOf(Date.UTC(year, month - 1 + months, Math.min(day, last)));
}

const date = fc
  .integer({ min: Date.UTC(2019, 11, 1) / dayMs, max: Date.UTC(2025, 2, 5) / dayMs })
  .map((day) => textOf(day * dayMs));
const edge = fc.option(date, { nil: null });
const schedule: fc.Arbitrary<Schedule> = fc.record({
  granularity: fc.constantFrom('day', 'week', 'month', 'year'),
  quantity: fc.integer({ min: 1, max: 14 }),
  anchor_date: fc.oneof(date, fc.constantFrom('2020-01-31', '2024-02-29', '2023-08-30')),
  start_date: edge,
  end_date: edge,
});

test('expected dates are those of a slow model that counts from the anchor', () => {
  fc.assert(
    fc.property(schedule, date, date, (each, from, to) => {
      const steps = Array.from({ length: 4001 }, (_, at) => nth(each, at - 2000));
      const wanted = steps.filter(
        (day) =>
          day >= from &&
          day <= to &&
          (each.start_date === null || day >= each.start_date) &&
          (each.end_date === null || day <= each.end_date),
      );
      assert.deepEqual(expectedDates(each, from, to), wanted);
    }),
    { numRuns: runs(150) },
  );
});

test('expected dates reach to the ends of the calendar', () => {
  const daily = { ...monthly, granularity: 'day', anchor_date: '0001-01-01' } as const;
  assert.deepEqual(expectedDates(daily, '9999-12-30', '9999-12-31'), ['9999-12-30', '9999-12-31']);
  assert.deepEqual(expectedDates(daily, '0001-01-01', '0001-01-01'), ['0001-01-01']);
  assert.deepEqual(expectedDates(monthly, '2024-02-01', '2024-01-01'), []);
  const month = { start_date: '2024-02-01', end_date: '2024-02-29' };
  assert.deepEqual(monthOf('2024-02-10T23:00:00.000Z'), month);
});

test('each linked transaction counts for one expected date, in the range or next to it', () => {
  const linked = ['2024-02-01', '2024-02-27', '2024-03-02', '2024-05-16'];
  // The second is nearest to 29 February, so the third gets 31 March only if it is near enough: it is not.
  assert.deepEqual([...takenDates(monthly, linked)], ['2024-01-31', '2024-02-29']);
  const transactions = linked.map((day, at) => ({ id: at + 1, date: day }));
  const range = { start_date: '2024-02-01', end_date: '2024-03-31' };
  const found = transactions.slice(0, 3).map(({ id, date }) => ({ date, transaction_id: id }));
  assert.deepEqual(matchesOf(item, transactions, range), {
    request_start_date: '2024-02-01',
    request_end_date: '2024-03-31',
    expected_occurrence_dates: ['2024-02-29', '2024-03-31'],
    found_transactions: found,
    missing_transaction_dates: ['2024-03-31'],
  });
  assert.equal(matchesOf({ ...item, status: 'suggested' }, transactions, range), null);
});

test('a linked transaction shows its item, and its own text returns', () => {
  const own = { recurring_id: 1, payee: 'P', notes: 'N', category_id: 5 };
  const shown = { ...own, ...shownBy(item, own) };
  assert.deepEqual(pick([shown], 'payee', 'notes', 'category_id'), [['Landlord', null, 5]]);
  assert.deepEqual(ownTextOf(shown), own);
  const none = { own_payee: null, own_notes: null, own_category_id: null };
  assert.deepEqual({ ...shownBy(undefined, own), recurring_id: 1 }, { ...own, ...none });
  const all = { override_payee: 'Rent', override_notes: 'monthly', override_category_id: 6 };
  const { payee, notes, category_id } = shownBy({ ...item, ...all }, own);
  assert.deepEqual([payee, notes, category_id], ['Rent', 'monthly', 6]);
  assert.equal(shownBy({ ...item, payee: null }, own).payee, 'P');
});
