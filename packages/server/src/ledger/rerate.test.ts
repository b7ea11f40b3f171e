import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { jobsOf } from '../all-jobs.ts';
import { changing } from '../book/change.ts';
import { changesSince } from '../book/testing/changes-since.ts';
import { deleteUnlogged } from '../book/unlogged.ts';
import type { Engine } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import {
  books as bookTable,
  exchangeRates,
  manualAccounts,
  recurringItems,
  transactions,
} from '../db/tables/tables.ts';
import { usualEngines } from '../db/testing/engines.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import type { Job } from '../jobs/scheduler.ts';
import { check } from '../maintenance/doctor.ts';
import { noServices } from '../services.ts';
import { startProviderServer } from '../sync/testing/provider-server.ts';
import type { Fault, ProviderServer } from '../sync/testing/provider-server.ts';
import { nextRerate, storeRates } from './currencies/actions.ts';
import type { DayRates } from './currencies/ecb.ts';
import { importRates, rerateBooks } from './rerate.ts';
import { dates, draft, fill, fillOthers, plain, rates, valuedRows } from './testing/valued-book.ts';
import type { Draft } from './testing/valued-book.ts';

for (const { name, skip, open } of usualEngines) {
  describe(`values after new rates on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-02-01T12:00:00.000Z'));
    });

    const forgetRates = () =>
      engine.write(function* () {
        yield* deleteUnlogged(exchangeRates, { source: 'file' });
        yield* deleteUnlogged(exchangeRates, { source: 'url' });
      });
    beforeEach(forgetRates);
    const filled = async (drafts: readonly Draft[]): Promise<number> => {
      const { id: bookId } = await newBook(engine);
      const cause = { bookId, actor: 'test', operation: 'fill' };
      await engine.write(() =>
        changing(cause, function* (change) {
          yield* fill(change, drafts);
          yield* fillOthers(change);
        }),
      );
      return bookId;
    };
    const load = (...files: DayRates[]) =>
      importRates(engine, { files, source: 'file', actor: 'command' });
    const versionOf = async (bookId: number) =>
      (await engine.read(() => changesSince(bookId, 0))).at(-1)?.version;
    const valuesOf = (bookId: number) => engine.read(() => valuedRows(bookId));

    it('are what they would be if the records were created afterwards', async () => {
      const drafts = fc.array(draft, { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(drafts, rates, rates, async (all, first, second) => {
          await forgetRates();
          await load(first);
          const earlier = await filled(all);
          const version = await versionOf(earlier);
          const { updated } = await load(second);
          const changed = await versionOf(earlier);
          assert.equal(changed! > version!, updated.books > 0);
          const later = await filled(all);
          assert.deepEqual(await valuesOf(earlier), await valuesOf(later));
          assert.deepEqual((await load(second)).updated, { records: 0, books: 0 });
          assert.equal(await versionOf(earlier), changed, 'known rates change nothing');
          await engine.write(() => deleteUnlogged(bookTable, { id: earlier }));
          await engine.write(() => deleteUnlogged(bookTable, { id: later }));
        }),
        { numRuns: runs(name === 'SQLite' ? 60 : 15) },
      );
      assert.deepEqual(await engine.read(() => check(false)), []);
    });

    it('are changed block by block, each by a change of the job', async () => {
      const drafts = Array.from({ length: 2300 }, (_, at) =>
        plain(dates[at % 3]!, at % 10 === 0 ? 'sek' : 'usd'),
      );
      // Its parts are in the first and the last block.
      const parts = [
        { amount: 1, date: dates[3]! },
        { amount: 2, date: dates[0]! },
      ];
      const bookId = await filled([{ ...plain(dates[0]!, 'sek'), parts }, ...drafts]);
      const other = await filled([plain(dates[0]!, 'usd')]);
      const version = (await versionOf(bookId))!;
      const otherVersion = await versionOf(other);
      const known = new Map(['usd', 'sek'].map((code) => [code, new Map([[dates[0]!, '1']])]));
      await engine.write(() => storeRates(known, 'url'));
      // Of the other records, those in yen and bitcoin have no rate. Both books have four in euros.
      const { records, books } = await rerateBooks(engine, { actor: 'job' });
      assert.deepEqual([records, books], [230 + 3 + 8, 2]);
      const changes = await engine.read(() => changesSince(bookId, version));
      const operations = changes.map(({ operation }) => operation);
      assert.deepEqual(operations, ['rates', 'rates', 'rates']);
      assert.equal(await versionOf(other), otherVersion! + 1);
      const rows = await engine.read(() => select(transactions, { book_id: bookId }));
      for (const row of rows) assert.equal(row.to_base, row.amount);
    });

    it('continue with the next book after a run that was interrupted', async () => {
      const one = plain('2026-01-02', 'nok', 7);
      const books = [await filled([one]), await filled([one]), await filled([one])];
      const known = new Map(['usd', 'nok'].map((code) => [code, new Map([['2026-01-02', '3']])]));
      await engine.write(() => storeRates(known, 'file'));
      const stopped = AbortSignal.abort(new Error('stopped'));
      await assert.rejects(rerateBooks(engine, { actor: 'job', signal: stopped }), /stopped/);
      await engine.write(() => deleteUnlogged(bookTable, { id: books[1]! }));
      assert.ok((await engine.read(() => nextRerate())) !== null);
      await load(known);
      for (const bookId of [books[0]!, books[2]!]) {
        const values = await valuesOf(bookId);
        assert.deepEqual(values[0], ['2026-01-02', 7, 'nok', 7]);
      }
      assert.equal(await engine.read(() => nextRerate()), null);
    });

    it('leave the time of a change, but for values at the rate of today', async () => {
      const bookId = await filled([]);
      const valuedOf = () =>
        engine.read(function* () {
          const of = { book_id: bookId, currency: 'jpy' };
          const [item] = yield* select(recurringItems, of);
          const [account] = yield* select(manualAccounts, of);
          return { item: item!, account: account! };
        });
      const before = await valuedOf();
      await load(new Map(['usd', 'jpy'].map((code) => [code, new Map([['2026-01-02', '3']])])));
      const { item, account } = await valuedOf();
      assert.notEqual(item.to_base, before.item.to_base);
      assert.equal(item.updated_at, before.item.updated_at);
      assert.notEqual(account.to_base, before.account.to_base);
      assert.notEqual(account.updated_at, before.account.updated_at);
    });
  });
}

const [{ open }] = usualEngines as [(typeof usualEngines)[number]];

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('the job for exchange rates', () => {
  let engine: Engine;
  let server: ProviderServer;
  let job: Job;
  const text = 'Date, USD, SEK, \n20 November 2026, 1.2, 11.5, \n';
  const signal = new AbortController().signal;
  before(async () => {
    engine = await open(() => Date.parse('2026-11-21T12:00:00.000Z'));
    server = await startProviderServer(() => ({ status: 200, text }));
    const ratesUrl = `${server.url}/eurofxref.csv?key=secret`;
    job = jobsOf({ ratesUrl, historyDays: null }, noServices, log)[0]!;
  });
  after(() => server.close());

  const run = () => job.run(engine, 0, signal);
  const stored = async () =>
    (await engine.read(() => select(exchangeRates, {}))).map(
      ({ currency, per_eur, source }) => `${currency} ${per_eur} ${source}`,
    );

  it('exists only with a URL', () => {
    const others = jobsOf({ ratesUrl: null, historyDays: null }, noServices, log).map(
      ({ name }) => name,
    );
    assert.ok(!others.includes(job.name));
    assert.ok(job.everyMs >= 3_600_000 && job.everyMs <= 86_400_000);
  });

  it('reads the URL as it is, stores the rates, and updates values', async () => {
    const { id: bookId } = await newBook(engine);
    await engine.write(() =>
      changing({ bookId, actor: 'test', operation: 'fill' }, function* (change) {
        const columns = { name: 'A', type: 'cash', balance_as_of: change.at, created_by_name: 'A' };
        yield* change.insert(manualAccounts, { ...columns, currency: 'sek', balance: 115_000 });
      }),
    );
    await run();
    assert.deepEqual(await stored(), ['sek 11.5 url', 'usd 1.2 url']);
    const [account] = await engine.read(() => select(manualAccounts, { book_id: bookId }));
    assert.equal(account!.to_base, 12_000);
    const { method, path, query, headers } = server.calls.at(-1)!;
    assert.deepEqual([method, path, String(query)], ['GET', '/eurofxref.csv', 'key=secret']);
    assert.match(String(headers.accept), /text\/csv/);
  });

  it('fails without storing anything, and without repeating the URL', async () => {
    const before = await stored();
    const other = await startProviderServer(() => ({
      status: 200,
      text: 'Date,USD\n2026-11-21,9\n',
    }));
    const faults: Fault[] = [
      ...(['html', 'endless', 'truncated', 'notHttp', 'down'] as const),
      { status: 404 },
      { redirectTo: `${other.url}/eurofxref.csv` },
      { text: 'Date,USD\n2026-11-21,9\n2026-11-22,x\n' },
    ];
    for (const fault of faults) {
      await server.fail(fault);
      await assert.rejects(run(), (error: Error) => {
        assert.match(error.name, /^(CryptoRefreshError|RatesFileError)$/);
        assert.doesNotMatch(error.message, /secret|127\.0\.0\.1/);
        return true;
      });
    }
    await server.fail(null);
    await assert.rejects(job.run(engine, 0, AbortSignal.abort()));
    assert.deepEqual(await stored(), before);
    assert.equal(other.calls.length, 0, 'no redirect is followed');
    await other.close();
  });
});
