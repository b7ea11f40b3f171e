import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { request, type ResponseOf } from '../../packages/web/src/api/request.ts';
import { unitsOfNumber } from '../../packages/web/src/books/formats/money.ts';
import { categoryReport } from '../../packages/web/src/books/reports/category-report.ts';
import type { Period } from '../../packages/core/src/budget-periods.ts';
import type { Category } from '../../packages/web/src/books/types.ts';
import { serveBook } from './suite.ts';
import { readSums } from '../../packages/web/src/api/reports.ts';
import { columnsOf } from '../../packages/web/src/books/reports/periods.ts';

/** Everything of a side of a summary, in ten-thousandths. */
function whole(totals: NonNullable<ResponseOf<'GET /v2/summary'>['totals']>['inflow']): bigint {
  return [
    totals.other_activity,
    totals.recurring_activity,
    totals.uncategorized,
    totals.uncategorized_recurring,
  ].reduce((sum, each) => sum + unitsOfNumber(each), 0n);
}

describe('the sums of reports', { timeout: 300_000 }, () => {
  let categories: readonly Category[];

  before(async () => {
    const { origin, signIn } = await serveBook(4000);
    const { name, value } = await signIn();
    const plainFetch = globalThis.fetch;
    // The client of the page sends relative addresses, and the browser sends the cookie.
    mock.method(globalThis, 'fetch', (path: string, init: RequestInit = {}) => {
      const own = { cookie: `${name}=${value}`, 'sec-fetch-site': 'same-origin' };
      const headers = { ...(init.headers as Record<string, string>), ...own };
      return plainFetch(origin + path, { ...init, headers });
    });
    const query = { format: 'flattened' } as const;
    ({ categories } = await request('GET /v2/categories', { query }));
  });
  after(() => mock.restoreAll());

  /** The report of a side, and the sums of the period. */
  async function reportOf(period: Period, side: 'income' | 'spending') {
    const sums = await readSums({ period, side, by: 'category' });
    return categoryReport({ columns: columnsOf(period), sums }, categories);
  }

  const periods: readonly Period[] = [
    { start: '2026-10-01', end: '2026-10-31' },
    { start: '2026-09-07', end: '2026-09-20' },
    { start: '2025-11-01', end: '2026-10-31' },
    { start: '2019-01-01', end: '2019-12-31' },
  ];
  for (const period of periods)
    test(`of ${period.start} to ${period.end} are those of the summary`, async () => {
      const { totals, categories: lines } = await request('GET /v2/summary', {
        query: {
          start_date: period.start,
          end_date: period.end,
          include_totals: true,
          include_exclude_from_budgets: true,
        },
      });
      const report = await reportOf(period, 'spending');
      assert.notEqual(report.total, 0n);
      assert.equal(report.total, whole(totals!.outflow));
      assert.equal((await reportOf(period, 'income')).total, -whole(totals!.inflow));

      const bySummary = new Map(
        lines.map(({ category_id: id, totals: { other_activity, recurring_activity } }) => [
          id,
          unitsOfNumber(other_activity) + unitsOfNumber(recurring_activity),
        ]),
      );
      for (const { filter, total, name, members } of report.rows.flatMap((row) => [
        row,
        ...row.members,
      ])) {
        const id = filter!.categoryIds![0]!;
        // A group of both sides has another sum there.
        if (id !== 0 && members.length === 0) assert.equal(total, bySummary.get(id), name ?? '');
      }
    });

  test('leave transfers out, and income', async () => {
    const names = (await reportOf(periods[0]!, 'spending')).rows.map(({ name }) => name);
    for (const name of ['Transfers', 'Income']) assert.ok(!names.includes(name), name);
    // Some have no category.
    for (const name of ['Home', null]) assert.ok(names.includes(name), `${name}`);
  });
  test('do not change by a transfer between own accounts, with or without a category', async () => {
    const [period] = periods;
    const totals = async () => [
      (await reportOf(period!, 'spending')).total,
      (await reportOf(period!, 'income')).total,
    ];
    const before = await totals();
    const { manual_accounts: all } = await request('GET /v2/manual_accounts', {});
    const [from, to] = all.filter(({ currency }) => currency === 'usd').map(({ id }) => id);
    const made = await request('POST /coffer/transfers/rows', {
      body: {
        ...{ date: '2026-10-10', amount: '512.34' },
        from_account: { manual_account_id: from! },
        to_account: { manual_account_id: to! },
      },
    });
    assert.deepEqual(await totals(), before);
    const food = categories.find(({ name }) => name === 'Groceries')!;
    const path = { id: made.sent.transaction_id };
    await request('PUT /v2/transactions/{id}', { path, body: { category_id: food.id } });
    assert.deepEqual(await totals(), before);
    await request('DELETE /coffer/transfers/{id}', { path: { id: made.id } });
    const [spending, income] = await totals();
    assert.deepEqual([spending! - before[0]!, income! - before[1]!], [5_123_400n, 5_123_400n]);
  });
});
