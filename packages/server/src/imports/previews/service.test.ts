import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { isLong } from '../../../../core/src/testing/length.ts';
import { changing } from '../../book/change.ts';
import { context, type Engine } from '../../db/engine.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';
import { find, select } from '../../db/rows.ts';
import { migrate } from '../../db/sqlite/migrate.ts';
import { openSqlite } from '../../db/sqlite/sqlite.ts';
import { books, imports, importPreviewEntries, transactions } from '../../db/tables/tables.ts';
import { engines, newPostgresUrl } from '../../db/testing/engines.ts';
import { newBook } from '../../identity/users/testing/new-book.ts';
import { Problem } from '../../operations/problem.ts';
import type { CommitWork } from '../operations/import-service.ts';
import type { PreviewOptions } from '../operations/preview-schema.ts';
import {
  createPreview,
  findPreview,
  rowsOfPreview,
  reportOf,
  statusOf,
  updatePreview,
} from '../operations/preview-records.ts';
import { importOf } from '../operations/records.ts';
import { openTemporary } from '../statement-file.ts';
import { createImportService } from './service.ts';
import type { DatabaseConfig } from '../../config.ts';
import { openPool } from '../../thread-pool.ts';
import type { WorkerPool } from '../../workers/pool.ts';

type Served = Readonly<{ database: DatabaseConfig; engine: Engine; bookId: number }>;

const failures: unknown[] = [];
const log = { error: (details: object) => void failures.push(details) };
const folder = mkdtempSync(join(tmpdir(), 'coffer-previews-'));
const closers: (() => Promise<unknown>)[] = [];
let worker: Worker | null = null;
const note = (started: Worker): void => void (worker = started);
process.on('worker', note);
after(async () => {
  process.off('worker', note);
  for (const close of closers.toReversed()) await close();
  rmSync(folder, { recursive: true });
  assert.deepEqual(failures, []);
});

/** A new database, which a worker opens again. */
const newDatabases = {
  SQLite: async () => {
    const path = join(folder, 'book.db');
    const engine = openSqlite({ path, busyTimeoutMs: 60_000 });
    migrate(engine);
    return { database: { engine: 'sqlite', path }, engine } as const;
  },
  PostgreSQL: async () => {
    const url = await newPostgresUrl();
    const wait = { connectTimeoutMs: 30_000, statementTimeoutMs: 60_000, lockTimeoutMs: 60_000 };
    const engine = openPostgres({ url, poolSize: 4, maxWaiting: 100, ...wait });
    return { database: { engine: 'postgres', url }, engine } as const;
  },
};

/** Rows of about 30 bytes, or more with a long name. */
const csv = (count: number, name = 'Payee') =>
  `Date,Payee,Amount,Currency\n${Array.from(
    { length: count },
    (_, n) => `2024-01-${String((n % 28) + 1).padStart(2, '0')},${name} ${n},-${n}.25,EUR\n`,
  ).join('')}`;

/** Enough for a file that is too long to be read at once. */
const large = 2100;
const long = 'Payee '.repeat(20);

for (const { name, skip } of engines)
  describe(`the import service on ${name}`, { skip }, () => {
    let served: Served;
    let pool: WorkerPool;
    let service: ReturnType<typeof createImportService>;
    before(async () => {
      const { database, engine } = await newDatabases[name]();
      closers.push(() => engine.close());
      served = { database, engine, bookId: (await newBook(engine)).id };
      pool = openPool({ database, files: null })!;
      service = createImportService(pool, log);
      closers.push(() => service.close().then(() => pool.close()));
    });

    async function send(content: string | Buffer, options: PreviewOptions = {}) {
      const { engine, bookId } = served;
      const file = openTemporary();
      const bytes = writeSync(file, Buffer.from(content));
      const id = await engine.write(function* () {
        const { nowMs } = yield* context();
        const received = { actor: 'token 1', fileName: 'a.csv', hash: 'ab', bytes, options };
        return yield* createPreview({ bookId, ...received, nowMs, workerUntilMs: nowMs + 60_000 });
      });
      const work = { bookId, id, actor: 'token 1', bytes };
      return { work, isDone: await service.read(engine, { ...work, options, file }) };
    }

    async function settled(id: number): Promise<void> {
      while (service.progressOf(served.bookId, id) !== null)
        await new Promise((resolve) => setImmediate(resolve));
    }
    /** Reads from the database several times, while an import is under way. */
    async function readMeanwhile(id: number): Promise<void> {
      for (let reads = 0; reads < 5; reads += 1)
        await served.engine.read(() => find(books, { id: served.bookId }));
      assert.notEqual(service.progressOf(served.bookId, id), null);
    }
    const previewOf = (id: number) => served.engine.read(() => findPreview(served.bookId, id));
    const reportNow = async (id: number) => reportOf((await previewOf(id))!)!;
    const importedBy = async (id: number) => {
      const where = { book_id: served.bookId, import_id: id };
      return (await served.engine.read(() => select(transactions, where))).length;
    };
    async function commit(
      work: Omit<
        CommitWork,
        'operation' | 'options' | 'isChanged' | 'without' | 'choices' | 'entryCount'
      >,
      more: Partial<CommitWork> = {},
    ) {
      const { engine, bookId } = served;
      const row = (await previewOf(work.id))!;
      await engine.write(() =>
        updatePreview(bookId, work.id, {
          status: 'committing',
          worker_until_ms: Date.now() + 60_000,
        }),
      );
      const options = JSON.parse(row.options) as PreviewOptions;
      const rest = {
        options,
        isChanged: true,
        without: [],
        choices: [],
        entryCount: row.entry_count,
      };
      return service.commit(engine, { operation: 'commitImport', ...work, ...rest, ...more });
    }

    test('reads and imports a large file in a worker, and serves reads meanwhile', async () => {
      const { work, isDone } = await send(csv(large, long), { account: 'Giro' });
      assert.equal(isDone, false);
      await readMeanwhile(work.id);
      await settled(work.id);
      const { verdicts, imported } = await reportNow(work.id);
      assert.deepEqual([verdicts['new'], imported], [large, large]);
      const { bookId, engine } = served;
      const row = (await previewOf(work.id))!;
      const page = await engine.read(() => rowsOfPreview(row, { limit: 2, offset: large - 3 }));
      assert.deepEqual(
        [page.rows.map(({ number }) => number), page.has_more],
        [[large - 2, large - 1], true],
      );
      assert.equal(await commit(work), false);
      await readMeanwhile(work.id);
      await settled(work.id);
      assert.deepEqual([await previewOf(work.id), await importedBy(work.id)], [undefined, large]);
      const of = { book_id: bookId, import_id: work.id };
      assert.deepEqual(await engine.read(() => select(importPreviewEntries, of)), []);
      const record = await engine.read(() => importOf(bookId, work.id));
      assert.deepEqual(
        [record.is_preview, record.imported, record.actor],
        [false, large, 'token 1'],
      );
    });

    // A worker opens each database in its own way; the rest is the same for both.
    if (name === 'PostgreSQL' && !isLong) return;

    test('undoes a large import in a worker, and keeps why it refuses', async () => {
      const { bookId, engine } = served;
      const [record] = await engine.read(() =>
        select(imports, { book_id: bookId, imported: large }),
      );
      const { id, version } = record!;
      const [row] = await engine.read(() =>
        select(transactions, { book_id: bookId, import_id: id }, { limit: 1 }),
      );
      const change = (notes: string | null) =>
        engine.write(() =>
          changing({ bookId, actor: 'test', operation: 'edit' }, (change) =>
            change.update(transactions, row!, { notes }),
          ),
        );
      await change('mine');
      const work = {
        bookId,
        id,
        version: version!,
        actor: 'token 1',
        operation: 'undoImport',
        mode: 'refuse',
      } as const;
      assert.equal(
        service.undo(engine, { ...work, kind: 'undo' }, { ...record!, imported: 1 }),
        false,
      );
      assert.equal(service.undo(engine, { ...work, kind: 'undo' }, record!), true);
      assert.deepEqual(service.undoOf(bookId, id), {
        kind: 'undo',
        is_under_way: true,
        errors: [],
      });
      await settled(id);
      const refused = service.undoOf(bookId, id)!;
      assert.deepEqual([refused.is_under_way, refused.errors.length], [false, 1]);
      assert.match(refused.errors[0]!.errMsg, /notes was changed since/);
      assert.equal(await importedBy(id), large);
      service.undo(engine, { ...work, kind: 'undo', mode: 'skip' }, record!);
      await settled(id);
      assert.deepEqual([service.undoOf(bookId, id), await importedBy(id)], [null, 1]);
      const undone = await engine.read(() => importOf(bookId, id));
      assert.ok(undone.undone_version! > version!);
    });

    test('hands a file with many short rows over after it has read it', async () => {
      const { work, isDone } = await send(csv(3000, 'X'), { account: 'Short' });
      assert.equal(isDone, false);
      await settled(work.id);
      assert.equal((await reportNow(work.id)).verdicts['new'], 3000);
    });

    test('keeps what is wrong with a packed file, and reads it by other options', async () => {
      const wrong = `${csv(large, `W${long}`)}2024-02-30,Last,-1,EUR\n2024-02-01,Last,x,EUR\n`;
      const { work } = await send(gzipSync(wrong));
      await settled(work.id);
      const { errors } = await reportNow(work.id);
      assert.equal((await previewOf(work.id))!.status, 'failed');
      assert.deepEqual(
        errors.map(({ line, column }) => [line, column]),
        [
          [large + 2, 'Date'],
          [large + 3, 'Amount'],
        ],
      );
      await commit(work, { options: { skip_bad_rows: true, account: 'Wrong' } });
      await settled(work.id);
      const row = (await previewOf(work.id))!;
      const report = reportOf(row)!;
      assert.deepEqual(
        [row.status, row.options, report.bad_rows.count, report.errors.length],
        ['ready', '{"skip_bad_rows":true,"account":"Wrong"}', 2, 100],
      );
      assert.match(report.errors[0]!.errMsg, /Row 1 is new, and was not in the preview/);
      assert.equal(await importedBy(work.id), 0);
    });

    test('ends in the middle of an import: nothing of it is kept, and it can be repeated', async () => {
      const { bookId, engine } = served;
      const { work } = await send(csv(12_000, 'Z'), { account: 'Last' });
      await settled(work.id);
      await commit(work);
      // Until the event of the new thread.
      await new Promise((resolve) => setImmediate(resolve));
      const isComparing = () => service.progressOf(bookId, work.id)?.step === 'comparing';
      const ended = once(worker!, 'exit').then(() => assert.fail('It was not seen to compare'));
      while (!isComparing()) await Promise.race([once(worker!, 'message'), ended]);
      ended.catch(() => undefined);
      await service.close();
      const row = (await previewOf(work.id))!;
      assert.deepEqual([statusOf(row, false, Date.now()), await importedBy(work.id)], ['ready', 0]);
      const undo = { ...work, version: 1, kind: 'undo', operation: 'x', mode: 'refuse' } as const;
      assert.throws(() => service.undo(engine, undo, { imported: 9999 } as never), Problem);
      service = createImportService(pool, log);
      await commit(work);
      await settled(work.id);
      assert.equal(await importedBy(work.id), 12_000);
    });
  });
