import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayAt, dayOn, days, lastDay } from './calendar.ts';
import { draftSchedule, type Draft } from './drafts.ts';
import { Ledger } from './make-demo-book.ts';
import { smallestAmount, toUsd } from './money.ts';
import { Random, runningSums } from './random.ts';

const seeds = fc.nat(4_294_967_295);

function draws(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.integer(0, 999_999));
}

test('each seed has its own sequence, evenly spread and with both bounds', () => {
  assert.deepEqual(draws(new Random(1), 5), [948599, 671439, 655193, 451835, 920979]);
  fc.assert(
    fc.property(seeds, fc.integer({ min: -1000, max: 1000 }), fc.nat(5), (seed, least, span) => {
      assert.notDeepEqual(draws(new Random(seed), 20), draws(new Random(seed + 1), 20));
      const random = new Random(seed);
      const seen = new Set(Array.from({ length: 400 }, () => random.integer(least, least + span)));
      assert.equal(seen.size, span + 1);
      assert.deepEqual([Math.min(...seen), Math.max(...seen)], [least, least + span]);
    }),
  );
  const digits = Map.groupBy(draws(new Random(7), 20_000), (draw) => Math.floor(draw / 100_000));
  for (const { length } of digits.values()) assert.ok(length > 1850 && length < 2150);
});

test('weight 0 is never picked, an empty list is refused, 0 and 100 percent are certain', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new Random(seed);
      const sums = runningSums([0, 3, 0, 1, 0]);
      assert.ok(random.pickWeighted([false, true, false, true, false], sums));
      assert.deepEqual([random.chance(0), random.chance(100)], [false, true]);
    }),
  );
  const refusal = { name: 'RangeError', message: 'There is nothing to pick from' };
  for (const sums of [[], [1]]) assert.throws(() => new Random(1).pickWeighted([], sums), refusal);
  assert.throws(() => new Random(1).pick([]), refusal);
});

test('the days are those from 2016-11-01 to 2026-10-31, and a day past the end of a month its last', () => {
  assert.deepEqual([days[0]?.date, dayAt(lastDay).date], ['2016-11-01', '2026-10-31']);
  for (const { date, weekday } of days) assert.equal(new Date(date).getUTCDay(), weekday, date);
  assert.equal(dayAt(dayOn('2020-02-31')).date, '2020-02-29');
  assert.equal(dayAt(dayOn('2021-02-30')).date, '2021-02-28');
  assert.throws(() => dayAt(-1), { message: 'Day "-1" is outside the demo book' });
  assert.throws(() => dayAt(lastDay + 1), RangeError);
  for (const date of ['2016-10-31', '2026-11-01']) assert.throws(() => dayOn(date), RangeError);
});

test('foreign money is converted at the rate of the month, and yen come in tens', () => {
  assert.equal(toUsd(-123_456, 'usd', 0), -123_456);
  assert.equal(toUsd(10_000_000, 'eur', dayOn('2024-05-11')), 11_435_600);
  // The rate of June is known since 24 May.
  assert.equal(toUsd(-10_000_000, 'eur', dayOn('2024-05-23')), -11_435_600);
  assert.equal(toUsd(-10_000_000, 'eur', dayOn('2024-05-24')), -11_367_800);
  assert.deepEqual([smallestAmount('jpy'), smallestAmount('gbp')], [100_000, 100]);
  const currency = fc.constantFrom('eur', 'gbp', 'jpy', 'cad');
  const cancelsOut = fc.property(fc.integer(), currency, fc.nat(lastDay), (amount, money, day) => {
    assert.equal(toUsd(amount, money, day) + toUsd(-amount, money, day), 0);
  });
  fc.assert(cancelsOut);
});

function purchase(date: string, fields: Partial<Draft> = {}): Draft {
  const plain = { amount: 1_234_500, currency: 'usd', payee: 'Shop', category: 'Groceries' };
  return { ...plain, day: dayOn(date), account: 'travelCard', bankName: 'SHOP', ...fields };
}

function payment(date: string): Draft[] {
  const counterpart = purchase(date, { amount: 0 });
  return [purchase(date, { amount: 0, account: 'checking', counterpart }), counterpart];
}

function write(...drafts: Draft[]) {
  const [ledger, random] = [new Ledger(), new Random(1)];
  for (const draft of drafts) ledger.write(draft, random);
  return ledger.transactions;
}

test('a card payment pays the debt at the end of the month before, in whole cents', () => {
  const abroad = purchase('2022-01-31', { amount: 1_000_100, currency: 'eur' });
  const later = [purchase('2022-02-03'), ...payment('2022-02-05'), ...payment('2022-03-05')];
  const amounts = write(purchase('2022-01-30'), abroad, ...later).map(({ amount }) => amount);
  assert.deepEqual(amounts.slice(3), [2_360_100, -2_360_100, 1_234_500, -1_234_500]);

  // A split is charged once. A card without debt gets a small payment.
  const parent = purchase('2022-01-10', { parentOf: 'split' });
  const rows = write(parent, purchase('2022-01-10', { parent }), ...payment('2022-02-05'));
  assert.equal(rows[2]?.amount, 1_234_500);
  const refunded = write(purchase('2022-01-10', { amount: -500_000 }), ...payment('2022-02-05'));
  assert.deepEqual([refunded[1]?.amount, refunded[2]?.amount], [250_000, -250_000]);
});

test('a part before its parent is refused, and an unknown category', () => {
  const part = purchase('2022-01-10', { parent: purchase('2022-01-10', { parentOf: 'split' }) });
  assert.throws(() => write(part), { message: 'The parent "Shop" must be written first' });
  const lost = purchase('2019-01-10', { category: 'Nowhere' });
  assert.throws(() => write(lost), { message: '"Nowhere" is not in the tables' });
});

test('splits and groups are in proportion to the book and end before the pending rows', () => {
  const drafts = draftSchedule(1_000_000, new Random(1));
  const bundled = Map.groupBy(drafts, ({ parentOf, parent }) => parentOf ?? parent?.parentOf);
  assert.equal(bundled.get('split')?.filter(({ parentOf }) => parentOf).length, 3_333);
  const last = [...bundled.get('split')!, ...bundled.get('group')!].map(({ day }) => day);
  assert.ok(Math.max(...last) < dayOn('2026-10-28'));
});

function countOf(status: string, date: string, fields: Partial<Draft>, count = 200): number {
  const drafts = Array.from({ length: count }, () => purchase(date, fields));
  return write(...drafts).filter((row) => row.status === status).length;
}

test('two recent purchases are withdrawn, no transfers or splits; the newest are unreviewed', () => {
  const takenBack = (fields = {}) => countOf('delete_pending', '2026-09-16', fields, 9);
  assert.deepEqual([takenBack(), takenBack({ amount: -100 })], [2, 0]);
  assert.equal(takenBack({ bankName: undefined, category: 'Between Accounts' }), 0);
  assert.equal(takenBack({ bankName: undefined, parentOf: 'split' }), 0);

  const open = (date: string) => countOf('unreviewed', date, { account: 'cash' });
  assert.ok(open('2026-10-31') > 160 && open('2026-10-01') < 100);
  assert.equal(open('2025-09-20'), 0);
});
