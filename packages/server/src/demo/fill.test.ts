import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addDays } from '@coffer/core/dates';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { runs } from '../../../core/src/testing/length.ts';
import { insertUnlogged } from '../book/unlogged.ts';
import { rows, type Engine } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { bookTables, exchangeRates, transactions } from '../db/tables/tables.ts';
import { usualEngines } from '../db/testing/engines.ts';
import { FileStoreError, noFileStore, type FileStore } from '../files/store.ts';
import { checkDatabase } from '../maintenance/doctor.ts';
import { listRules, readRule, rulesOf } from '../ledger/rules/actions.ts';
import { expectedOccurrences } from '../ledger/recurring/links.ts';
import { ratesOf } from '../ledger/currencies/actions.ts';
import { summaryOf } from '../ledger/summary/routes.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { fillDemo } from './fill.ts';
import { makeDemoBook } from './book/make-demo-book.ts';

const now = () => Date.parse('2026-11-20T08:00:00Z');
const demo = makeDemoBook({ transactions: 1000 });

function memoryStore(): FileStore & { readonly kept: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>();
  const write = (key: string, bytes: Uint8Array) => Promise.resolve(void kept.set(key, bytes));
  return { ...noFileStore, write, kept };
}

/** All records of a book, and the rates; keys of files are random. */
async function contentsOf(engine: Engine, bookId: number) {
  const contents: Record<string, unknown[]> = {};
  for (const table of bookTables)
    contents[table.name] = (await engine.read(() => select(table, { book_id: bookId }))).map(
      (row) => ({ ...row, ...('storage_key' in row && { storage_key: '' }) }),
    );
  contents['exchange_rates'] = await engine.read(() => select(exchangeRates, {}));
  return contents;
}

let first: Record<string, unknown[]> | undefined;

for (const { name, skip, open } of usualEngines) {
  describe(name, { skip }, () => {
    test('the demo book has records of every kind, without findings, and is always the same', async () => {
      const engine = await open(now);
      const book = await newBook(engine);
      const store = memoryStore();
      assert.equal(await fillDemo(engine, book.id, demo, store), null);
      const contents = await contentsOf(engine, book.id);
      const counts = Object.entries(contents).map(([table, found]) => [table, found.length]);
      assert.deepEqual(Object.fromEntries(counts.filter(([, count]) => count !== 0)), {
        manual_accounts: 7,
        plaid_accounts: 3,
        categories: 57,
        tags: 14,
        recurring_items: 4,
        transactions: 1000,
        transaction_files: 3,
        rules: 3,
        budgets: demo.budgets!.length,
        crypto_synced_accounts: 1,
        crypto_synced_balances: 2,
        crypto_manual_accounts: 1,
        balance_history: demo.history!.length,
        exchange_rates: 4 * 121,
      });
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
      await assertValues(engine, book.id);
      const found = await engine.read(() => select(transactions, { book_id: book.id }));
      const linked = found.filter((row) => row.recurring_id !== null);
      assert.ok(linked.length > 2, String(linked.length));
      assert.ok(linked.some((row) => row.payee === 'Lantern Video, family plan'));
      for (const bytes of store.kept.values())
        assert.match(Buffer.from(bytes).toString('latin1'), /^%PDF-1\.4\n[^]*%%EOF\n$/);
      assert.equal(store.kept.size, 3);
      first ??= contents;
      assert.deepEqual(contents, first);

      // A second book in the same database has the same values, and the rates are not stored again.
      const other = await newBook(engine);
      await fillDemo(engine, other.id, demo, memoryStore());
      const values = (id: number) =>
        engine.read(() =>
          rows(sql`SELECT date, amount, to_base, payee, notes, status, created_at, updated_at
            FROM transactions WHERE book_id = ${id} ORDER BY id`),
        );
      assert.deepEqual(await values(other.id), await values(book.id));
      const rates = await engine.read(() => select(exchangeRates, {}));
      assert.equal(rates.length, 4 * 121);
    });

    test('values agree with the rates that the database has', async () => {
      const engine = await open(now);
      const { id } = await newBook(engine);
      const source = { source: 'url', read_at: '2026-01-01T00:00:00.000Z' } as const;
      const rate = { ...source, date: '2016-10-24', currency: 'usd', per_eur: '2' };
      await engine.write(() => insertUnlogged(exchangeRates, rate));
      await fillDemo(engine, id, demo);
      await assertValues(engine, id);
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
      const usd = await engine.read(() => select(exchangeRates, { currency: 'usd' }));
      assert.equal(usd.length, 1);
    });

    test('a month has an aligned summary, a missing payment, and rules that the service accepts', async () => {
      const engine = await open(now);
      const book = await newBook(engine);
      await fillDemo(engine, book.id, makeDemoBook({ transactions: 3000 }));
      const month = { start_date: '2026-10-01', end_date: '2026-10-31' };
      const query = {
        ...month,
        include_exclude_from_budgets: false,
        include_occurrences: false,
        include_past_budget_dates: false,
        include_totals: true,
        include_rollover_pool: false,
      };
      const owner = { id: book.id, primaryCurrency: 'usd' };
      const summary = await engine.read(() => summaryOf(owner, query));
      assert.equal(summary.aligned, true);
      const budgets = summary.categories.map(({ totals }) => totals.budgeted ?? null);
      const budgeted = budgets.filter((each) => each !== null);
      assert.ok(budgeted.length >= 10, String(budgeted.length));
      const missing = await engine.read(() => expectedOccurrences(book.id, month));
      assert.ok(JSON.stringify(missing).includes('2026-10-30'));
      const all = await engine.read(() => listRules(book.id));
      assert.equal(all.length, 3);
      for (const { conditions, actions } of all) {
        const stored = await engine.read(function* () {
          return yield* readRule(book.id, yield* rulesOf(book.id), { conditions, actions });
        });
        const kept = await engine.read(() =>
          rows(sql`SELECT 1 FROM rules
            WHERE book_id = ${book.id} AND conditions = ${stored.conditions} AND actions = ${stored.actions}`),
        );
        assert.equal(kept.length, 1);
      }
    });
  });
}

/** Every transaction has its value at the rate of its day, also as a member of a group. */
async function assertValues(engine: Engine, bookId: number): Promise<void> {
  const wrong = await engine.read(function* () {
    const rates = yield* ratesOf();
    const found = [];
    for (const row of yield* select(transactions, { book_id: bookId })) {
      if (row.is_group_parent) continue;
      const value = yield* rates.convert(row.amount, row.currency, 'usd', row.date);
      if (value !== row.to_base) found.push([row.id, row.amount, row.currency, row.to_base, value]);
    }
    return found;
  });
  assert.deepEqual(wrong, []);
}

for (const until of [
  '2026-11-01',
  '2026-11-27',
  '2027-02-28',
  '2028-02-29',
  '2027-03-31',
  '2027-09-04',
])
  test(`until ${until}, nothing is missing or made later, and the next bills are expected`, async () => {
    const engine = await usualEngines[0]!.open(() => Date.parse(`${until}T00:30:00Z`));
    const { id } = await newBook(engine);
    await fillDemo(engine, id, makeDemoBook({ until }), memoryStore());
    assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    await assertValues(engine, id);
    const times = await engine.read(() =>
      rows<{ at: string }>(sql`SELECT max(created_at) AS at FROM transactions WHERE book_id = ${id}
        UNION ALL SELECT max(balance_as_of) FROM manual_accounts WHERE book_id = ${id}`),
    );
    for (const { at } of times) assert.equal(at, `${until}T00:00:00.000Z`);
    const expectedIn = (start_date: string, end_date: string) =>
      engine.read(() => expectedOccurrences(id, { start_date, end_date }));
    const past = await expectedIn(addDays(until, -500), until);
    assert.ok(past.length > 45, String(past.length));
    assert.deepEqual(
      past.filter(({ isFound }) => !isFound).map(({ item, date }) => [item.payee, date]),
      [],
    );
    const coming = await expectedIn(addDays(until, 1), addDays(until, 31));
    assert.equal(coming.filter(({ isFound }) => !isFound).length >= 3, true);
  });

test('a book of any size and seed keeps every rule that the doctor knows', async () => {
  const options = fc.record({
    transactions: fc.integer({ min: 100, max: 800 }),
    seed: fc.nat(4_294_967_295),
  });
  const engine = await usualEngines[0]!.open(now);
  await fc.assert(
    fc.asyncProperty(options, async (chosen) => {
      const { id } = await newBook(engine);
      await fillDemo(engine, id, makeDemoBook(chosen));
    }),
    { numRuns: runs(25) },
  );
  assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
});

test('without a place for files the book has none, and the problem is returned', async () => {
  const engine = await usualEngines[0]!.open(now);
  const { id } = await newBook(engine);
  const problem = await fillDemo(engine, id, demo, noFileStore);
  assert.ok(problem instanceof FileStoreError);
  assert.deepEqual((await contentsOf(engine, id))['transaction_files'], []);
});
