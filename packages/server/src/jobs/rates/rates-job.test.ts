import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { changing } from '../../changes/changing.ts';
import { startProviderServer } from '../../connectors/testing/provider-server.ts';
import type { Fault, ProviderServer } from '../../connectors/testing/provider-server.ts';
import type { Engine } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { exchangeRates, manualAccounts } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { noServices } from '../../resources/services.ts';
import { newBook } from '../../resources/users/testing/new-book.ts';
import { jobsOf } from '../index.ts';
import type { Job } from '../../changes/job.ts';

const [{ open }] = usualEngines as [(typeof usualEngines)[number]];

const log = { info: () => undefined, warn: () => undefined };

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
