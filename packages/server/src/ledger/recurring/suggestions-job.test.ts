import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { addDays } from '@coffer/core/dates';
import { expectedDates } from '@coffer/core/schedule';
import { payeeKey } from '@coffer/core/text';
import { transactions } from '../../db/tables/tables.ts';
import { onEnginesAt, type EngineBook } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { BulkRows } from '../transactions/writes.ts';
import { findPatterns, findSuggestions, suggestionsJob } from './suggestions-job.ts';
import { changeRecurring, listRecurring } from './items.ts';

const today = '2026-06-15';
const nowMs = Date.parse(`${today}T12:00:00.000Z`);
const now = () => nowMs;
const dayMs = 86_400_000;
const months = ['2026-03-31', '2026-04-30', '2026-05-31'];

const patternsOf = (dates: readonly string[], amounts: readonly number[] = [10]) =>
  findPatterns(
    dates.map((date, at) => ({ date, amount: amounts[at % amounts.length]! })),
    today,
  );
const rhythm = (dates: readonly string[], amounts?: readonly number[]) =>
  patternsOf(dates, amounts).map(({ schedule: { granularity, quantity, anchor_date } }) =>
    [granularity, quantity, anchor_date].join(' '),
  );

describe('patterns in transactions', () => {
  it('are weekly, every two or four weeks, monthly, quarterly or yearly', () => {
    assert.deepEqual(rhythm(['2026-05-25', '2026-06-02', '2026-06-08']), ['week 1 2026-06-08']);
    assert.deepEqual(rhythm(['2026-05-18', '2026-06-01', '2026-06-15']), ['week 2 2026-06-15']);
    for (const dates of [months, ['2026-02-28', ...months], months.toReversed()])
      assert.deepEqual(rhythm(dates), ['month 1 2026-05-31'], 'in any order');
    const fourWeekly = ['01-04', '02-01', '03-01', '03-29', '04-26', '05-24'].map(
      (day) => `2026-${day}`,
    );
    assert.deepEqual(rhythm(fourWeekly), ['week 4 2026-05-24']);
    assert.deepEqual(rhythm(['2025-12-31', '2026-03-31', '2026-06-15']), []);
    assert.deepEqual(rhythm(['2025-10-01', '2026-01-02', '2026-04-01']), ['month 3 2026-04-01']);
    assert.deepEqual(rhythm(['2024-06-01', '2025-06-03', '2026-06-01']), ['year 1 2026-06-01']);
    assert.deepEqual(rhythm(['2022-12-05', '2023-12-01', '2024-12-01']), ['year 1 2024-12-01']);
    assert.deepEqual(rhythm(['2022-11-05', '2023-11-01', '2024-11-01']), []);
  });

  it('may be some days early and late', () => {
    for (const [weeks, least, most] of [
      [1, 5, 9],
      [2, 11, 17],
    ] as const)
      for (let gap = least - 1; gap <= most + 1; gap += 1) {
        const before = addDays(today, -7 * weeks);
        const found = rhythm([addDays(before, -gap), before, today]);
        const isNear = gap >= least && gap <= most;
        assert.deepEqual(found, isNear ? [`week ${weeks} ${today}`] : [], `${gap} days`);
      }
  });

  it('need three transactions without a gap, and a recent one', () => {
    assert.deepEqual(rhythm(months.slice(1)), []);
    assert.deepEqual(rhythm(['2026-01-31', '2026-02-28', '2026-04-30', '2026-05-31']), []);
    assert.deepEqual(rhythm([...months, '2026-05-31']), []);
    assert.deepEqual(rhythm(['2025-12-31', '2026-01-31', '2026-02-28']), []);
  });

  it('have equal amounts, or amounts that differ by a fifth at most', () => {
    const [equal] = patternsOf(months, [100]);
    assert.deepEqual([equal?.amount, equal?.tolerance], [100, 0]);
    const [near] = patternsOf(months, [100, 117, 120]);
    assert.deepEqual([near?.amount, near?.tolerance], [110, 10]);
    assert.deepEqual(patternsOf(months, [100, 121]), []);
    assert.deepEqual(patternsOf(months, [-100, 100]), []);
    const other = ['2026-03-10', '2026-04-02', '2026-05-20'].map((date) => ({ date, amount: 7 }));
    const subscription = months.map((date) => ({ date, amount: 9 }));
    const found = findPatterns([...other, ...subscription], today);
    assert.deepEqual(pick(found, 'amount'), [9]);
  });

  it('have all near amounts of a payee, or half of them', () => {
    const each = (granularity: 'week' | 'month', days: number, amounts: readonly number[]) => {
      const none = { quantity: 1, start_date: null, end_date: null };
      const schedule = { granularity, anchor_date: today, ...none };
      return rhythm(expectedDates(schedule, addDays(today, -days), today), amounts);
    };
    for (const amounts of [[30, 30, 31], [80, 84, 88], [20, 21, 22, 23], [-99, -95, -90], [50]])
      for (const granularity of ['week', 'month'] as const)
        for (const days of [100, 400, 2000])
          assert.deepEqual(each(granularity, days, amounts), [`${granularity} 1 ${today}`]);
    // A third of the payments, and two subscriptions with near amounts.
    const monthly = [1, 2, 3, 4, 5, 6].map((month) => `2026-0${month}-02`);
    const stray = rhythm([...monthly, '2026-04-20'], [30, 30, 31, 30, 30, 31, 33]);
    assert.deepEqual(stray, []);
    const two = monthly.flatMap((date) => [date, addDays(date, 6)]);
    assert.deepEqual(rhythm(two, [100, 110]), ['month 1 2026-06-02', 'month 1 2026-06-08']);
  });
});

onEnginesAt('suggestions', now, (open) => {
  let book: EngineBook;
  beforeEach(async () => {
    book = await open();
  });

  const insert = (payees: readonly string[], amount: number, dates = months) =>
    book.change(function* (change) {
      const bulk = new BulkRows(change);
      for (const [at, date] of dates.entries())
        bulk.add({
          id: yield* bulk.nextId(),
          date,
          amount,
          to_base: amount,
          currency: 'usd',
          payee: payees[at % payees.length]!,
          status: 'reviewed',
        });
      yield* bulk.flush();
    });
  const items = () => book.read(() => listRecurring(book.id));
  const set = async (body: Parameters<typeof changeRecurring>[2]) => {
    const { id } = (await items())[0]!;
    await book.write(() => changeRecurring(book.id, id, body));
    return id;
  };
  const runJob = (at = nowMs, signal = new AbortController().signal) =>
    suggestionsJob.run(book.engine, at, signal);

  it('are created once, with an order, and link nothing', async () => {
    await insert(['The Zoo', ' the\u00a0\t zoo ', 'THE  ZOO\u202f', 'The\u3000Zoo'], 1000);
    await insert(['Café'], -5000);
    await insert(['Shop'], 700, ['2026-05-01', '2026-05-02', '2026-05-20']);
    await runJob();
    const found = await items();
    const payees = pick(found, 'payee').map((payee) => (payee === null ? '' : payeeKey(payee)));
    assert.deepEqual(payees, ['the zoo', 'café']);
    for (const key of ['amount', 'to_base'] as const)
      assert.deepEqual(pick(found, key), [1000, -5000]);
    const made = { source: 'system', created_by: book.book.userId, anchor_date: '2026-05-31' };
    for (const each of found) assert.deepEqual({ ...each, ...made, status: 'suggested' }, each);
    const linked = pick(await book.rows(transactions), 'recurring_id');
    assert.ok(linked.every((id) => id === null));
    const before = await book.version();
    await runJob();
    assert.equal(await book.version(), before);
    assert.equal(await book.change(findSuggestions), 0);
  });

  it('link their transactions when accepted, and are not repeated after that', async () => {
    await insert(['Gym'], 1000);
    await runJob();
    const id = await set({ status: 'reviewed' });
    const rows = pick(await book.rows(transactions), 'recurring_id', 'payee', 'own_payee');
    const linked = months.map(() => [id, 'Gym', 'Gym']);
    assert.deepEqual(rows, linked);
    await set({ overrides: { payee: 'Fitness' } });
    assert.equal(await book.change(findSuggestions), 0, 'linked transactions have their item');
    await insert(['Gym'], 1100, ['2026-02-10', '2026-03-10', '2026-04-10', '2026-05-10']);
    assert.equal(await book.change(findSuggestions), 0, 'a near amount is the same subscription');
    await insert(['Gym'], 4000, ['2026-02-12', '2026-03-12', '2026-04-12', '2026-05-12']);
    assert.equal(await book.change(findSuggestions), 1);
  });

  it('are not repeated once dismissed, except for money in the other direction', async () => {
    await insert(['Club'], 1000);
    await book.change(findSuggestions);
    await set({ status: 'dismissed' });
    await insert(['club'], 9000, ['2026-02-12', '2026-03-12', '2026-04-12', '2026-05-12']);
    assert.equal(await book.change(findSuggestions), 0);
    await insert(['club'], -9000, ['2026-02-20', '2026-03-20', '2026-04-20', '2026-05-20']);
    assert.equal(await book.change(findSuggestions), 1);
  });

  it('are looked for in books that changed lately, until the signal ends the job', async () => {
    await insert(['Gym'], 1000);
    await runJob(nowMs + 8 * dayMs);
    await runJob(nowMs, AbortSignal.abort());
    assert.deepEqual(await items(), []);
    await runJob(nowMs + 6 * dayMs);
    assert.equal((await items()).length, 1);
  });
});
