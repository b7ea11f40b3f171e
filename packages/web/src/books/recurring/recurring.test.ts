import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOfDay, dayNumber } from '@coffer/core/dates';
import fc from 'fast-check';
import { bodyOf, draftFrom, draftOf, type ItemDraft } from './draft.ts';
import {
  dayAfterKey,
  inMonth,
  entriesOf,
  firstWeekdayOf,
  itemsOf,
  nextDate,
  weekdayOf,
  weeksOf,
} from './recurring.ts';
import type { ItemMatches, RecurringDetails } from './recurring.ts';

const criteria: RecurringDetails['transaction_criteria'] = {
  start_date: null,
  end_date: null,
  granularity: 'month',
  quantity: 1,
  anchor_date: '2026-01-31',
  payee: 'Landlord',
  amount: '900.0000',
  to_base: 900,
  amount_tolerance: '0.0000',
  currency: 'usd',
  plaid_account_id: null,
  manual_account_id: 1,
};
const details = (id: number, part: Partial<RecurringDetails> = {}): RecurringDetails => ({
  id,
  description: null,
  status: 'reviewed',
  overrides: {},
  transaction_criteria: criteria,
  ...part,
});
const date = fc.integer({ min: 9000, max: 25_000 }).map(dateOfDay);

test('the next date is today or later, and never after the end', () => {
  assert.equal(nextDate(criteria, '2026-02-28'), '2026-02-28');
  assert.equal(nextDate(criteria, '2026-03-01'), '2026-03-31');
  assert.equal(nextDate({ ...criteria, end_date: '2026-03-30' }, '2026-03-01'), null);
  assert.equal(nextDate({ ...criteria, start_date: '2026-05-01' }, '2026-03-01'), '2026-05-31');
  assert.equal(nextDate({ ...criteria, start_date: '2025-05-01' }, '2026-03-01'), '2026-03-31');
  const unit = fc.constantFrom('day', 'week', 'month', 'year');
  const some = fc.record({ granularity: unit, quantity: fc.nat(29), anchor_date: date });
  fc.assert(
    fc.property(some, date, ({ quantity, ...rest }, day) => {
      const next = nextDate({ ...criteria, ...rest, quantity: quantity + 1 }, day);
      assert.ok(next !== null && next >= day);
    }),
  );
});

test('an item is missed only when nothing was found since', () => {
  const matches: ItemMatches = {
    found_transactions: [{ date: '2026-10-02', transaction_id: 1 }],
    missing_transaction_dates: ['2026-08-31', '2026-11-30'],
  };
  const [found] = itemsOf([details(1)], new Map([[1, matches]]), '2026-11-23');
  assert.deepEqual([found?.last, found?.missed], ['2026-10-02', null]);
  const late = { ...matches, missing_transaction_dates: ['2026-10-31'] };
  const [missed] = itemsOf([details(1)], new Map([[1, late]]), '2026-11-23');
  assert.equal(missed?.missed, '2026-10-31');
  const today = itemsOf([details(1)], new Map([[1, late]]), '2026-10-31');
  assert.equal(today[0]?.missed, null);
  const other = { ...criteria, payee: null, end_date: '2026-01-31' };
  const names = itemsOf(
    [
      details(1, { transaction_criteria: other, description: 'Rent' }),
      details(2, { overrides: { payee: 'Shown' } }),
      details(3),
    ],
    new Map(),
    '2026-11-23',
  ).map(({ name, last, missed: late }) => [name, last, late]);
  assert.deepEqual(names, [
    ['Shown', null, null],
    ['Landlord', null, null],
    ['Rent', null, null],
  ]);
});

test('the calendar has each item on its days, by what is known of it', () => {
  const matches: ItemMatches = {
    found_transactions: [{ date: '2026-09-30', transaction_id: 1 }],
    missing_transaction_dates: ['2026-10-31', '2026-11-23', '2026-11-30', '2027-01-31'],
  };
  const [suggested, dismissed] = [{ status: 'suggested' }, { status: 'dismissed' }] as const;
  const all = [details(1), details(2, suggested), details(3, dismissed), details(4)];
  const byId = new Map([1, 3].map((id) => [id, matches]));
  const range = { start: '2026-09-30', end: '2026-11-30', today: '2026-11-23' };
  const entries = entriesOf(itemsOf(all, byId, range.today), byId, range);
  const kinds = [...entries].map(([day, found]) => [day, ...found.map(({ kind }) => kind).sort()]);
  assert.deepEqual(kinds.sort(), [
    ['2026-09-30', 'found', 'suggested'],
    ['2026-10-31', 'missing', 'suggested'],
    ['2026-11-23', 'expected'],
    ['2026-11-30', 'expected', 'suggested'],
  ]);
  assert.deepEqual(['en-GB', 'en-US'].map(firstWeekdayOf), [1, 7]);
});

test('the weeks of a month are whole, without gaps, and have all its days', () => {
  fc.assert(
    fc.property(date, fc.integer({ min: 1, max: 7 }), (day, first) => {
      const month = day.slice(0, 7);
      const weeks = weeksOf(month, first);
      const days = weeks.flat();
      assert.ok(weeks.every((week) => week.length === 7 && weekdayOf(week[0] ?? '') === first));
      assert.ok(days.includes(day));
      const numbers = days.map(dayNumber);
      assert.ok(numbers.every((number, at) => number === (numbers[0] ?? 0) + at));
    }),
  );
});

test('keys lead through the calendar, and months keep the day where they have it', () => {
  for (const [key, day, first, to] of [
    ['ArrowUp', '2026-10-02', 1, '2026-09-25'],
    ['ArrowDown', '2026-10-02', 1, '2026-10-09'],
    ['ArrowLeft', '2026-10-01', 1, '2026-09-30'],
    ['ArrowRight', '2026-10-31', 1, '2026-11-01'],
    ['Home', '2026-10-04', 1, '2026-09-28'],
    ['Home', '2026-10-05', 1, '2026-10-05'],
    ['Home', '2026-10-05', 7, '2026-10-04'],
    ['End', '2026-10-04', 7, '2026-10-10'],
    ['End', '2026-10-04', 1, '2026-10-04'],
    ['PageUp', '2026-03-31', 1, '2026-02-28'],
    ['PageUp', '2026-03-28', 1, '2026-02-28'],
    ['PageDown', '2026-03-31', 1, '2026-04-30'],
    ['x', '2026-10-04', 1, null],
  ] as const)
    assert.equal(dayAfterKey(key, day, first), to, `${key} ${day}`);
  assert.equal(inMonth('2026-03-31', -12), '2025-03-31');
});

test('what a form edits and stores is the item as it was', () => {
  const text = fc.string({ minLength: 1, maxLength: 8 }).map((each) => `x${each.trim()}`);
  const draft: fc.Arbitrary<ItemDraft> = fc.record({
    payee: fc.option(text),
    amount: fc.integer({ min: 1, max: 99_999 }).map((cents) => `${cents}.0000`),
    direction: fc.constantFrom('out', 'in'),
    amount_tolerance: fc.constantFrom(null, '5.0000'),
    currency: fc.constant('usd'),
    account: fc.constantFrom('', 'manual:4', 'plaid:7'),
    granularity: fc.constantFrom('day', 'week', 'month', 'year'),
    quantity: fc.integer({ min: 1, max: 9 }),
    anchor_date: date,
    start_date: fc.option(date),
    end_date: fc.option(date),
    description: text,
    shownPayee: text,
    shownNotes: text,
    category_id: fc.option(fc.integer({ min: 1, max: 99 })),
  });
  fc.assert(
    fc.property(draft, (begun) => {
      const body = bodyOf(begun);
      const { overrides, transaction_criteria: stored } = body;
      const set = Object.entries(overrides ?? {}).filter(([, value]) => value !== null);
      const part = { description: body.description ?? null, overrides: Object.fromEntries(set) };
      const whole = { ...criteria, ...stored } as RecurringDetails['transaction_criteria'];
      const item = details(1, { ...part, transaction_criteria: whole });
      assert.deepEqual(draftOf(item), { ...begun });
    }),
  );
});

test('an item from a transaction looks for its payee, amount and account', () => {
  const draft = draftFrom({
    payee: 'Employer',
    amount: '-2500.0000',
    currency: 'usd',
    date: '2026-10-30',
    category_id: 3,
    manual_account_id: null,
    plaid_account_id: 2,
  });
  assert.deepEqual(
    [
      draft.payee,
      draft.amount,
      draft.direction,
      draft.account,
      draft.anchor_date,
      draft.category_id,
    ],
    ['Employer', '2500.0000', 'in', 'plaid:2', '2026-10-30', 3],
  );
});
