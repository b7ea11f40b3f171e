import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addDays } from '@coffer/core/dates';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { runs } from '../../../../core/src/testing/length.ts';
import { run } from '../../db/engine.ts';
import { onEngines } from '../../http/testing/engine-book.ts';
import { storeRates } from '../currencies/actions.ts';
import { createTransactions } from '../transactions/requests/insert.ts';
import { accountWith, historyAround, historyOf, proofOf } from './account-proof.ts';
import { createAccount } from './actions.ts';
import { dropAnchors, putAnchor } from './anchors.ts';
import { balancesOn, prove, type Stretch } from './proof.ts';

const day = (nth: number): string => addDays('2024-01-01', nth);
const span = 40;
const allDays = Array.from({ length: span + 1 }, (_, nth) => day(nth));

const history = fc.record({
  rows: fc.array(
    fc.record({
      nth: fc.nat(span),
      amount: fc.integer({ min: -99, max: 99 }),
      currency: fc.constantFrom('usd', 'usd', 'eur', 'gbp'),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  anchors: fc.array(
    fc.record({
      nth: fc.nat(span),
      source: fc.constantFrom('statement', 'user', 'api'),
      // Of a time when the account had another currency.
      currency: fc.constantFrom('usd', 'usd', 'usd', 'eur'),
      balance: fc.integer({ min: -99, max: 99 }),
    }),
    { maxLength: 8 },
  ),
  ends: fc.tuple(fc.nat(span), fc.nat(span)),
  /** Whether an older node has written, which does not keep the sums of days. */
  isStale: fc.boolean(),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** A balance that is not compared, because another one follows before the first statement. */
const anchorAlone: History = {
  rows: [{ nth: 1, amount: 7, currency: 'usd' }],
  anchors: [0, 5, 9].map((nth) => ({
    ...{ nth, balance: nth, currency: 'usd' },
    source: nth === 9 ? 'statement' : 'api',
  })),
  ends: [3, 4],
  isStale: false,
};

onEngines('the proof of an account', (open) => {
  let book: Awaited<ReturnType<typeof open>>;
  before(async () => {
    book = await open();
    const usd = new Map(allDays.map((date, nth) => [date, String(1 + nth / 64)]));
    await book.write(() => storeRates(new Map([['usd', usd]]), 'file'));
  });

  it('is the same from sums between balances, and from the days around some, as from all days', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ rows, anchors, ends, isStale }) => {
        const own = await accountOf(rows, anchors);
        const [start, end] = ends.toSorted((a, b) => a - b).map(day) as [string, string];
        const all = await book.read(() => historyOf(own));
        if (isStale) await keepDays(false);
        const around = await book.read(() => historyAround(own, start, end));
        const { stretches } = await book.read(() => proofOf(own));
        if (isStale) await keepDays(true);
        const expected = prove(all.anchors, all.days);
        assert.deepEqual(stretches, expected);
        const wanted = allDays.filter((date) => date >= start && date <= end);
        const [found, right] = [around, all].map(({ anchors: known, days }) =>
          balancesOn(wanted, known, days, BigInt(own.balance)),
        );
        assert.deepEqual(found, right);
        const [listed, ofAll] = [around, all].map(({ days }) =>
          days.filter(({ date }) => wanted.includes(date)),
        );
        assert.deepEqual(listed, ofAll);
        const ofWanted = (each: Stretch): boolean =>
          wanted.some((date) => each.from.day < date && date <= each.to.day);
        assert.deepEqual(
          prove(around.anchors, around.days).filter(ofWanted),
          expected.filter(ofWanted),
        );
      }),
      { numRuns: runs(300), examples: [[anchorAlone]] },
    );
  });

  async function keepDays(areKept: boolean): Promise<void> {
    const version = areKept ? sql`version` : sql`0`;
    await book.write(function* () {
      yield* run(sql`UPDATE books SET account_days_version = ${version} WHERE id = ${book.id}`);
      yield* run(sql`DELETE FROM account_days WHERE book_id = ${book.id}`);
    });
  }

  async function accountOf(rows: History['rows'], anchors: History['anchors']) {
    const id = await book.change(function* (change) {
      const name = `Account ${change.version}`;
      const made = { createdBy: 'Ada', currency: 'usd' };
      const { id: accountId } = yield* createAccount(
        change,
        { name, type: 'cash', balance: 0 },
        made,
      );
      const account = yield* accountWith(book.id, 'manual', accountId);
      yield* createTransactions(change, {
        transactions: rows.map(({ nth, ...row }) => {
          return { ...row, date: day(nth), manual_account_id: accountId };
        }),
        skip_balance_update: true,
      });
      yield* dropAnchors(change, account);
      for (const { nth, source, balance, currency } of anchors) {
        const known = { day: day(nth), source, balance: balance * 10_000 };
        yield* putAnchor(change, { ...account, currency }, known);
      }
      return accountId;
    });
    return book.read(() => accountWith(book.id, 'manual', id));
  }
});
