import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { plainSelection as plain } from '../testing/plain-query.ts';
import { daysOfPage, monthsOfPage } from './totals.ts';

const rows = fc
  .array(fc.record({ month: fc.integer({ min: 1, max: 9 }), amount: fc.integer({ max: 9 }) }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((all) =>
    all
      .map(({ month, amount }) => ({ date: `2024-0${month}-05`, amount }))
      .toSorted((a, b) => (a.date < b.date ? 1 : -1)),
  );
const page = fc.record({ limit: fc.integer({ min: 1, max: 20 }), offset: fc.nat(30) });

describe('the place of a page', () => {
  test('has all rows of a page by date, after those that it skips', () => {
    fc.assert(
      fc.property(rows, page, fc.constantFrom('date', '-date'), (all, { limit, offset }, sort) => {
        fc.pre(offset < all.length);
        const byMonth = Map.groupBy(all, ({ date }) => date.slice(0, 7));
        const months = [...byMonth].map(([month, each]) => ({
          month,
          count: each.length,
          total: 0n,
        }));
        const selection = { ...plain, limit, offset, sort } as const;
        const { range, skip } = monthsOfPage(selection, months);
        const ordered = sort === 'date' ? all.toReversed() : all;
        const within = ordered.filter(
          ({ date }) => range.start_date <= date && date <= range.end_date,
        );
        assert.deepEqual(within.slice(skip, skip + limit), ordered.slice(offset, offset + limit));
        assert.ok(skip < within.length);
      }),
    );
  });

  test('is never wider than the dates of the selection', () => {
    const selection = { ...plain, start_date: '2024-02-03', end_date: '2024-02-20' };
    const months = [{ month: '2024-02', count: 3, total: 0n }];
    assert.deepEqual(monthsOfPage(selection, months).range, {
      start_date: '2024-02-03',
      end_date: '2024-02-20',
    });
  });

  test('has all rows of a page by amount, and all before them', () => {
    fc.assert(
      fc.property(
        rows,
        page,
        fc.constantFrom('amount', '-amount'),
        (all, { limit, offset }, sort) => {
          const byDate = Map.groupBy(all, ({ date }) => date);
          const days = [...byDate].map(([date, each]) => ({
            date,
            count: each.length,
            first: (sort === 'amount' ? Math.min : Math.max)(...each.map(({ amount }) => amount)),
          }));
          const found = daysOfPage({ ...plain, limit, offset, sort } as const, days);
          if (found === null) {
            assert.ok(offset + limit > days.length);
            return;
          }
          const sign = sort === 'amount' ? 1 : -1;
          const ordered = all.toSorted(
            (a, b) => sign * (a.amount - b.amount || (a.date < b.date ? -1 : 1)),
          );
          for (const { date } of ordered.slice(0, offset + limit))
            assert.ok(found.includes(date), date);
          return undefined;
        },
      ),
    );
  });
});
