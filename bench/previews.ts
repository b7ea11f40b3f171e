import { execFileSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { parseDatabase } from '../packages/server/src/config.ts';
import { openDatabase } from '../packages/server/src/database.ts';
import { context, withOwn, type Engine, type Steps } from '../packages/server/src/db/engine.ts';
import {
  createPreview,
  previewOf,
} from '../packages/server/src/imports/operations/preview-records.ts';
import { importOf } from '../packages/server/src/imports/operations/records.ts';
import { rowAs } from '../packages/server/src/db/rows.ts';
import { integer } from '../packages/server/src/db/table.ts';
import { createImportService } from '../packages/server/src/imports/previews/service.ts';
import { openTemporary } from '../packages/server/src/imports/statement-file.ts';
import { benchEntries } from './measure/book.ts';
import { cpuMs, forgetMostMemory, memoryOf } from './measure/processor-time.ts';
import { toCsv } from './imports.ts';
import type { Figure } from './report/figure.ts';

const rows = 200_000;
const rowsOfBook = 1_000_000;

/** The longest and all processor times for which writes held the lock. */
class LockTimes {
  longestMs = 0;
  totalMs = 0;

  watch(engine: Engine): Engine {
    return withOwn(engine, {
      write: (steps, options) => engine.write(() => this.#timed(steps()), options),
    });
  }

  *#timed<T>(steps: Steps<T>): Steps<T> {
    const before = process.cpuUsage();
    try {
      return yield* steps;
    } finally {
      const { user, system } = process.cpuUsage(before);
      const ms = (user + system) / 1000;
      this.longestMs = Math.max(this.longestMs, ms);
      this.totalMs += ms;
    }
  }
}

/**
 * Previews a file of 200,000 rows for a book with a million, and imports it.
 *
 * The file has rows of the same days and accounts, of which the book has none. The work is done in this process, so
 * that its processor time and memory are measured. The lock is held while a write transaction runs.
 */
export async function measurePreviews(folder: string): Promise<Figure[]> {
  const url = `sqlite:${folder}/previews.db`;
  fillElsewhere(url);
  const engine = await openDatabase(parseDatabase(url), { now: Date.now });
  const { id: bookId } = (await engine.read(() =>
    rowAs({ id: integer }, sql`SELECT id FROM books`),
  ))!;
  const csv = toCsv(
    [...benchEntries(rows)].map((entry) => ({ ...entry, payee: `${entry.payee} X` })),
  );
  const [preview, commit] = [new LockTimes(), new LockTimes()];
  const service = createImportService(null, { error: (details) => console.error(details) });
  const file = openTemporary();
  const bytes = writeSync(file, Buffer.from(csv));
  const id = await engine.write(function* () {
    const { nowMs } = yield* context();
    const received = { actor: 'token 1', fileName: 'a.csv', hash: 'ab', bytes, options: {} };
    return yield* createPreview({ bookId, ...received, nowMs, workerUntilMs: nowMs + 3_600_000 });
  });
  const work = { bookId, id, actor: 'token 1', bytes, options: {} };
  const settled = async () => {
    while (service.progressOf(bookId, id) !== null) await setImmediate();
  };
  global.gc?.();
  forgetMostMemory('self');
  const before = memoryOf('self', 'VmRSS');
  const previewMs = await cpuMs(async () => {
    await service.read(preview.watch(engine), { ...work, file });
    await settled();
  });
  const {
    entry_count: entryCount,
    status,
    report,
  } = await engine.read(() => previewOf(bookId, id));
  if (status !== 'ready') throw new Error(report);
  const commitMs = await cpuMs(async () => {
    const of = {
      ...work,
      operation: 'commitImport',
      entryCount,
      isChanged: false,
      without: [],
      choices: [],
    };
    await service.commit(commit.watch(engine), of);
    await settled();
  });
  const most = memoryOf('self', 'VmHWM');
  const { imported } = await engine.read(() => importOf(bookId, id));
  if (imported !== rows) throw new Error(`${imported} rows were imported`);
  await service.close();
  await engine.close();
  const ofRows = (ms: number): number => (rows / ms) * 1000;
  return [
    { name: 'preview of 200,000 rows', value: ofRows(previewMs), unit: 'rows a CPU second' },
    { name: 'commit of 200,000 rows', value: ofRows(commitMs), unit: 'rows a CPU second' },
    {
      name: 'preview and commit of 200,000 rows',
      value: ofRows(previewMs + commitMs),
      unit: 'rows a CPU second',
      atLeast: 40_000,
    },
    { name: 'lock held at once by a preview', value: preview.longestMs, unit: 'ms' },
    { name: 'lock held by a preview in all', value: preview.totalMs, unit: 'ms' },
    { name: 'lock held by a commit', value: commit.longestMs, unit: 'ms' },
    {
      name: 'memory of a preview and its commit',
      value: (most - before) / 2 ** 20,
      unit: 'MB',
      atMost: 250,
    },
  ];
}

/** Fills the book in another process, which leaves nothing in the memory of this one. */
function fillElsewhere(url: string): void {
  const { href } = new URL('./measure/workspace.ts', import.meta.url);
  const [module, database] = [JSON.stringify(href), JSON.stringify(url)];
  const script = `import { fillBook } from ${module}; await fillBook(${database}, ${rowsOfBook});`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
}
