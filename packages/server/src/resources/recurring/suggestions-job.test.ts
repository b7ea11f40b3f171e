import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { addDays } from '@coffer/core/dates';
import { expectedDates } from '@coffer/core/schedule';
import type { Change } from '../../changes/change.ts';
import { changing } from '../../changes/changing.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { books, transactions } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { BulkRows } from '../transactions/actions.ts';
import { newBook } from '../users/testing/new-book.ts';
import { findPatterns } from './cadence.ts';
import { changeRecurring } from './commands.ts';
import { listRecurring } from './items.ts';
import { findSuggestions, suggestionsJob } from './suggestions-job.ts';

const today = '2026-06-15';
const nowMs = Date.parse(`${today}T12:00:00.000Z`);
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
  it('are weekly, every two weeks, monthly, quarterly or yearly', () => {
    assert.deepEqual(rhythm(['2026-05-25', '2026-06-02', '2026-06-08']), ['week 1 2026-06-08']);
    assert.deepEqual(rhythm(['2026-05-18', '2026-06-01', '2026-06-15']), ['week 2 2026-06-15']);
    assert.deepEqual(rhythm(['2026-02-28', ...months]), ['month 1 2026-05-31']);
    assert.deepEqual(rhythm(['2025-12-31', '2026-03-31', '2026-06-15']), []);
    assert.deepEqual(rhythm(['2025-10-01', '2026-01-02', '2026-04-01']), ['month 3 2026-04-01']);
    assert.deepEqual(rhythm(['2024-06-01', '2025-06-03', '2026-06-01']), ['year 1 2026-06-01']);
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
    assert.deepEqual(
      findPatterns([...other, ...subscription], today).map(({ amount }) => amount),
      [9],
    );
  });

  it('are found in every clean schedule, whatever the order of its transactions', () => {
    const cadence = fc.constantFrom(
      ...([
        ['week', 1],
        ['week', 2],
        ['month', 1],
        ['month', 3],
      ] as const),
    );
    fc.assert(
      fc.property(cadence, fc.integer({ min: 0, max: 40 }), (each, days) => {
        const [granularity, quantity] = each;
        const anchor_date = addDays(today, -days);
        const none = { start_date: null, end_date: null };
        const schedule = { granularity, quantity, anchor_date, ...none };
        const dates = expectedDates(schedule, addDays(today, -400), today);
        const [found, ...rest] = patternsOf(dates.toReversed());
        assert.deepEqual(rest, []);
        const again = expectedDates(found!.schedule, addDays(today, -400), today);
        assert.deepEqual(again, dates);
      }),
    );
  });
});

for (const { name, skip, open } of usualEngines) {
  describe(`suggestions on ${name}`, { skip }, () => {
    let engine: Engine;
    let bookId: number;
    before(async () => {
      engine = await open(() => nowMs);
    });
    beforeEach(async () => {
      bookId = (await newBook(engine)).id;
    });

    const run = <T>(work: (change: Change) => Steps<T>): Promise<T> =>
      engine.write(() => changing({ bookId, actor: 'test', operation: 'test' }, work));
    const insert = (payees: readonly string[], amount: number, dates = months) =>
      run(function* (change) {
        const bulk = new BulkRows(change);
        for (const [at, date] of dates.entries())
          bulk.add({
            ...{ id: yield* bulk.nextId(), date, amount, to_base: amount, currency: 'usd' },
            ...{ payee: payees[at % payees.length]!, status: 'reviewed' },
          });
        yield* bulk.flush();
      });
    const items = () => engine.read(() => listRecurring(bookId));
    const version = async () => (await engine.read(() => find(books, { id: bookId })))!.version;
    const runJob = (at = nowMs, signal = new AbortController().signal) =>
      suggestionsJob.run(engine, at, signal);

    it('are created once, with an order, and link nothing', async () => {
      await insert(['Zoo', ' zoo ', 'ZOO'], 1000);
      await insert(['Café'], -5000);
      await insert(['Shop'], 700, ['2026-05-01', '2026-05-02', '2026-05-20']);
      await runJob();
      const found = await items();
      const user = (await engine.read(() => find(books, { id: bookId })))!.user_id;
      assert.deepEqual(
        found.map((each) => [each.payee?.trim().toLowerCase(), each.amount, each.to_base]),
        [
          ['zoo', 1000, 1000],
          ['café', -5000, -5000],
        ],
      );
      for (const { status, source, created_by, anchor_date } of found)
        assert.deepEqual(
          [status, source, created_by, anchor_date],
          ['suggested', 'system', user, '2026-05-31'],
        );
      const linked = await engine.read(() => select(transactions, { book_id: bookId }));
      assert.ok(linked.every(({ recurring_id: id }) => id === null));
      const before = await version();
      await runJob();
      assert.equal(await version(), before);
      assert.equal(await run(findSuggestions), 0);
    });

    it('link their transactions when accepted, and are not repeated after that', async () => {
      await insert(['Gym'], 1000);
      await runJob();
      const { id } = (await items())[0]!;
      await engine.write(() => changeRecurring(bookId, id, { status: 'reviewed' }));
      const rows = await engine.read(() => select(transactions, { book_id: bookId }));
      assert.deepEqual(
        rows.map((each) => [each.recurring_id, each.payee, each.own_payee]),
        months.map(() => [id, 'Gym', 'Gym']),
      );
      const overrides = { payee: 'Fitness' };
      await engine.write(() => changeRecurring(bookId, id, { overrides }));
      assert.equal(await run(findSuggestions), 0, 'linked transactions have their item');
      await insert(['Gym'], 1100, ['2026-02-10', '2026-03-10', '2026-04-10', '2026-05-10']);
      assert.equal(await run(findSuggestions), 0, 'a near amount is the same subscription');
      await insert(['Gym'], 4000, ['2026-02-12', '2026-03-12', '2026-04-12', '2026-05-12']);
      assert.equal(await run(findSuggestions), 1);
    });

    it('are not repeated once dismissed, except for money in the other direction', async () => {
      await insert(['Club'], 1000);
      await run(findSuggestions);
      const { id } = (await items())[0]!;
      await engine.write(() => changeRecurring(bookId, id, { status: 'dismissed' }));
      await insert(['club'], 9000, ['2026-02-12', '2026-03-12', '2026-04-12', '2026-05-12']);
      assert.equal(await run(findSuggestions), 0);
      await insert(['club'], -9000, ['2026-02-20', '2026-03-20', '2026-04-20', '2026-05-20']);
      assert.equal(await run(findSuggestions), 1);
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
}
