import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bookJobs, jobsOf } from './all-jobs.ts';
import type { Engine } from './db/engine.ts';
import { find } from './db/rows.ts';
import { migrate } from './db/sqlite/migrate.ts';
import { openSqlite } from './db/sqlite/sqlite.ts';
import { books, recordedMonths } from './db/tables/tables.ts';
import { newFolder } from './db/testing/folder.ts';
import { newBook } from './identity/users/testing/new-book.ts';
import { importEntries } from './imports/commit.ts';
import { entryOf } from './imports/testing/import-book.ts';
import { detachUser, hasRemovals } from './maintenance/user-removal.ts';
import { mostInPlace } from './operations/threads.ts';
import { noServices } from './services.ts';
import { jobsIn, openPool } from './thread-pool.ts';
import type { WorkerPool } from './workers/pool.ts';

const path = join(newFolder(), 'coffer.db');
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const { signal } = new AbortController();
let engine: Engine;
let pool: WorkerPool;
before(() => {
  const opened = openSqlite({ path, busyTimeoutMs: 60_000 });
  migrate(opened);
  engine = opened;
  pool = openPool({ database: { engine: 'sqlite', path }, files: null })!;
});
after(async () => {
  await pool.close();
  await engine.close();
});

test('a thread finishes removals, if there are any', async () => {
  const { userId } = await newBook(engine);
  const { whole } = jobsIn(pool, () => undefined);
  const settings = { ratesUrl: null, historyDays: null, ...whole };
  const job = jobsOf(settings, noServices, log).find(({ name }) => name === 'removals')!;
  await job.run(engine, 0, signal);
  assert.equal(pool.counts.threads, 0);
  await engine.write(() => detachUser(userId));
  await job.run(engine, 0, signal);
  assert.equal(pool.counts.threads, 1);
  assert.equal(await engine.read(hasRemovals), false);
  assert.equal(await engine.read(() => find(books, { user_id: userId })), undefined);
});

test('a thread records the end of a month for a large book, and this one for a small book', async () => {
  const [small, large] = [await newBook(engine), await newBook(engine)];
  const entries = Array.from({ length: mostInPlace + 1 }, (_, at) =>
    entryOf({ line: at + 1, payee: `Shop ${at}` }),
  );
  const from = { entries: () => entries, defaultAccount: null, dryRun: false };
  await importEntries(engine, large.id, from);
  const ofThreads: number[] = [];
  const run = pool.run.bind(pool);
  pool.run = (task, options) => {
    ofThreads.push(options.bookId);
    return run(task, options);
  };
  const monthEnds = bookJobs.find(({ name }) => name === 'month ends')!;
  await jobsIn(pool, () => undefined)
    .of(monthEnds)
    .run(engine, Date.parse('2026-02-03'), signal);
  for (const { id } of [small, large]) {
    const recorded = await engine.read(() => find(recordedMonths, { book_id: id }));
    assert.equal(recorded?.month, '2026-01');
  }
  assert.deepEqual(ofThreads, [large.id]);
});
