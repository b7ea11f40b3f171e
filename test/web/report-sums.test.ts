import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { readPeriodSums, sidesOf } from '../../packages/web/src/api/reports.ts';
import { request } from '../../packages/web/src/api/request.ts';
import type { BudgetSummary, Category } from '../../packages/web/src/api/types.ts';
import { categoryReport } from '../../packages/web/src/books/reports/category-report.ts';
import { lastDayOf } from '../../packages/web/src/books/formats/dates.ts';
import { unitsOfNumber } from '../../packages/web/src/books/formats/money.ts';
import { monthsIn } from '../../packages/web/src/books/reports/periods.ts';
import type { Period } from '../../packages/web/src/books/reports/periods.ts';
import { serveBook, type ServedBook } from './served-book.ts';

/** Everything of a side of a summary, in ten-thousandths. */
function whole(totals: NonNullable<BudgetSummary['totals']>['inflow']): bigint {
  return (
    unitsOfNumber(totals.other_activity) +
    unitsOfNumber(totals.recurring_activity) +
    unitsOfNumber(totals.uncategorized) +
    unitsOfNumber(totals.uncategorized_recurring)
  );
}

describe('the sums of reports', { timeout: 120_000 }, () => {
  let served: ServedBook;
  let categories: readonly Category[];

  before(async () => {
    served = await serveBook({ transactions: 4000 });
    const secret = new URL(await served.link()).hash.slice(1);
    let cookie = '';
    const plainFetch = globalThis.fetch;
    // The client of the page sends relative addresses, and the browser sends the cookie.
    mock.method(globalThis, 'fetch', async (path: string, init: RequestInit = {}) => {
      const headers = { ...(init.headers as Record<string, string>), cookie };
      const sent = { ...headers, 'sec-fetch-site': 'same-origin' };
      const response = await plainFetch(served.origin + path, { ...init, headers: sent });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return response;
    });
    await request('POST', '/coffer/session', { body: { method: 'link', secret } });
    const query = { format: 'flattened' };
    categories = (await request<{ categories: Category[] }>('GET', '/v2/categories', { query }))
      .categories;
  });
  after(async () => {
    mock.restoreAll();
    await served.close();
  });

  const summaryOf = ({ first, last }: Period) =>
    request<BudgetSummary>('GET', '/v2/summary', {
      query: {
        ...{ start_date: `${first}-01`, end_date: lastDayOf(last), include_totals: true },
        include_exclude_from_budgets: true,
      },
    });

  const periods: readonly Period[] = [
    { first: '2026-10', last: '2026-10' },
    { first: '2026-09', last: '2026-09' },
    { first: '2025-11', last: '2026-10' },
    { first: '2019-01', last: '2019-12' },
  ];
  for (const period of periods)
    test(`of ${period.first} to ${period.last} are those of the summary`, async () => {
      const summary = await summaryOf(period);
      const sums = sidesOf(await readPeriodSums(period), categories);
      const { inflow, outflow } = summary.totals!;
      const months = monthsIn(period);
      const totalOf = (side: 'income' | 'spending') =>
        categoryReport(months, side, sums, categories).total;
      assert.equal(totalOf('spending'), whole(outflow));
      assert.equal(totalOf('income'), -whole(inflow));
      assert.notEqual(totalOf('spending'), 0n);

      const bySummary = new Map(
        summary.categories.map(({ category_id: id, totals }) => [
          id,
          unitsOfNumber(totals.other_activity) + unitsOfNumber(totals.recurring_activity),
        ]),
      );
      const report = categoryReport(months, 'spending', sums, categories);
      for (const row of report.rows.flatMap((each) => [each, ...each.members])) {
        const [id] = row.categoryIds;
        if (row.categoryIds.length === 1 && id !== 0)
          assert.equal(row.total, bySummary.get(id!), row.name ?? '');
      }
    });

  test('leave transfers out, and income', async () => {
    const [period] = periods;
    const report = categoryReport(
      monthsIn(period!),
      'spending',
      sidesOf(await readPeriodSums(period!), categories),
      categories,
    );
    const names = report.rows.map(({ name }) => name);
    assert.ok(!names.includes('Transfers'));
    assert.ok(!names.includes('Income'));
    assert.ok(names.includes('Home'));
    assert.ok(names.includes(null), 'some have no category');
  });
});
