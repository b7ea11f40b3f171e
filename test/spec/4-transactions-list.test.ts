import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { header } from '../service/http-exchange.ts';
import { at, isListed, payeesOf, type BookRow } from '../service/small-book.ts';
import { payees, startService, walk, type Page } from '../service/started-service.ts';
import { runs } from '../../packages/core/src/testing/length.ts';
import { addRows, manyRows } from '../service/service-books.ts';

const service = await startService();
after(() => service.close());

const all = (await service.list()).transactions;
const bank = all.find(({ payee }) => payee === 'january rent')?.['manual_account_id'] as number;

/** Filters as sent, with the rows that they select. */
const filters: readonly (readonly [string, (row: BookRow) => boolean])[] = [
  ['', () => true],
  ['start_date=2024-02-29', ({ date }) => date >= '2024-02-29'],
  ['end_date=2024-02-29', ({ date }) => date <= '2024-02-29'],
  ['start_date=2024-02-29&end_date=2024-02-29', ({ date }) => date === '2024-02-29'],
  ['status=unreviewed', ({ status }) => status === 'unreviewed'],
  [`manual_account_id=${bank}`, ({ manualAccount }) => manualAccount === at.bank],
  ['start_date=2022-01-01&end_date=2022-01-31', () => false],
];

function expected(isMatch: (row: BookRow) => boolean): string[] {
  return payeesOf((row) => isListed(row) && isMatch(row));
}

test('4 authorization is required for every request, also for unknown paths', async () => {
  for (const target of ['/v2/transactions', '/v2/categories/1', '/v2/me', '/v2/x', '/v1/x']) {
    assert.equal((await service.ask(target, { as: null })).status, 401, target);
  }
});

test('4 GET /v2/transactions needs no body and returns exactly the two keys', async () => {
  const answer = await service.ask('/v2/transactions');
  assert.equal(answer.status, 200);
  assert.deepEqual(Object.keys(JSON.parse(answer.text) as Page), ['transactions', 'has_more']);
});

test('4 limit, 4 offset, 1.1, 2 transactions, 2 has_more are the page and whether later pages have matches', async () => {
  assert.deepEqual(
    all.map(({ payee }) => payee),
    payeesOf(isListed),
  );
  for (let limit = 1; limit <= all.length + 1; limit += 1) {
    const ends = [all.length - limit - 1, all.length - limit, all.length - limit + 1];
    for (const offset of [0, 1, ...ends, all.length, 10 ** 9, Number.MAX_SAFE_INTEGER]) {
      if (offset < 0) continue;
      const transactions = all.slice(offset, offset + limit);
      const page = { transactions, has_more: offset + limit < all.length };
      assert.deepEqual(await service.list(`limit=${limit}&offset=${offset}`), page);
    }
  }
});

test('4 start_date, 4 end_date are bounds, inclusive, and neither needs the other', async () => {
  const days = ['0001-01-01', '2023-12-31', '2024-02-28', '2024-02-29', '2024-03-01', '2024-03-10'];
  for (const bound of [...days, '9999-12-31'])
    for (const [name, isMatch] of [
      ['start_date', ({ date }: BookRow) => date >= bound],
      ['end_date', ({ date }: BookRow) => date <= bound],
    ] as const)
      assert.deepEqual(payees(await service.list(`${name}=${bound}`)), expected(isMatch), bound);
});

test('4.2, 4.7 without limit a page has 1000 and may be incomplete, and without offset it starts at the first', async () => {
  const as = service.ben;
  const page = await service.list('', { as });
  assert.equal(page.transactions.length, 1000);
  assert.equal(page.has_more, true);
  assert.deepEqual(page, await service.list('limit=1000&offset=0', { as }));
  const rest = await service.list('offset=1000', { as });
  assert.equal(rest.transactions.length, manyRows - 1000);
  assert.equal(rest.has_more, false);
});

test('4.1, 4.3, 4.4, 4.6 the next offset is the previous one plus the limit: no match is skipped or repeated, and has_more is false on the last page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...filters),
      fc.integer({ min: 1, max: all.length + 2 }),
      async ([filter, isMatch], limit) => {
        const pages = await walk(service, limit, filter);
        const matches = expected(isMatch);
        assert.deepEqual(pages.flatMap(payees), matches);
        assert.equal(pages.length, Math.max(1, Math.ceil(matches.length / limit)));
      },
    ),
    { numRuns: runs(60), interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  );
});

test('4.3 a row that is added before the position of a reader repeats one row and skips none', async (t) => {
  for (const filter of ['', '&status=unreviewed']) {
    const own = await startService();
    t.after(() => own.close());
    const as = own.ben;
    const before = (await own.list(`limit=2000${filter}`, { as })).transactions;
    const answer = await own.ask(`/v2/transactions?limit=10${filter}`, { as });
    const first = JSON.parse(answer.text) as Page;
    await addRows(own.engine, own.ben, 1, '2025-09-01');
    const second = await own.list(`limit=10&offset=10${filter}`, { as });
    assert.deepEqual(second.transactions, before.slice(9, 19));
    assert.deepEqual(first.transactions, before.slice(0, 10));
    // Nothing is cached.
    const asking = { as, headers: ['If-None-Match', header(answer, 'ETag')] };
    const again = await own.ask(`/v2/transactions?limit=10${filter}`, asking);
    assert.deepEqual((JSON.parse(again.text) as Page).transactions.slice(1), before.slice(0, 9));
  }
});

test('4.5 when nothing matches the array is empty and has_more is false', async () => {
  const nothing = { transactions: [], has_more: false };
  for (const filter of [
    'start_date=2022-01-01&end_date=2022-01-31',
    'manual_account_id=999999',
    'category_id=999999',
    'tag_id=999999',
    'recurring_id=999999',
    'end_date=2022-12-31&start_date=2022-12-31&limit=1&offset=5',
  ]) {
    assert.deepEqual(await service.list(filter), nothing, filter);
  }
});
