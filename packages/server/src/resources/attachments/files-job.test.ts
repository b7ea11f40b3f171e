import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changing } from '../../changes/changing.ts';
import type { Change } from '../../changes/change.ts';
import { deleteBook, updateUnlogged } from '../../changes/unlogged.ts';
import { undo } from '../../changes/undo.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { books, transactionFiles } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { newKey, noFileStore } from '../../files/store.ts';
import type { FileStore } from '../../files/store.ts';
import { BulkRows } from '../transactions/actions.ts';
import { createUser } from '../users/actions.ts';
import { attachFile } from './actions.ts';
import { removeUnreferencedFiles, unreferencedFilesJob } from './files-job.ts';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 0, 9);

/** A store in memory with the times of its files. */
function memoryStore(times: Map<string, number>): FileStore {
  return {
    ...noFileStore,
    remove: (key) => Promise.resolve(void times.delete(key)),
    async *list() {
      await Promise.resolve();
      for (const [key, modifiedAtMs] of times) yield { key, modifiedAtMs };
    },
  };
}

for (const { name, skip, open } of usualEngines)
  describe(`the job for unreferenced files on ${name}`, { skip }, () => {
    const times = new Map<string, number>();
    const store = memoryStore(times);
    const clean = (engine: Engine) => removeUnreferencedFiles(engine, store, { nowMs });

    function change<T>(engine: Engine, bookId: number, work: (c: Change) => Steps<T>): Promise<T> {
      return engine.write(() => changing({ bookId, actor: 'test', operation: 'test' }, work));
    }

    async function newFile(engine: Engine, bookId: number, transactionId: number) {
      const key = newKey(bookId);
      times.set(key, nowMs - 2 * dayMs);
      const file = { name: 'a', type: 'image/png', bytes: Buffer.of(1), notes: null } as const;
      const attachment = { transactionId, uploadedBy: 1, file, key };
      return change(engine, bookId, (change) => attachFile(change, attachment));
    }

    it('keeps files of records and of the change log, and young ones', async () => {
      const engine = await open();
      const user = { email: 'a@b', name: 'x', bookName: 'x', primaryCurrency: 'eur' };
      // Nothing is deleted with a database that has no book.
      times.set(newKey(1), 0);
      assert.equal(await clean(engine), 0);
      times.clear();
      const book = await engine.write(() => createUser(user));
      await change(engine, book.id, function* (change) {
        const rows = new BulkRows(change);
        const columns = { date: '2026-01-01', amount: 1, to_base: 1, currency: 'eur' };
        rows.add({ id: 501, ...columns, payee: 'x', status: 'reviewed', source: 'api' });
        yield* rows.flush();
      });
      const kept = await newFile(engine, book.id, 501);
      const removed = await newFile(engine, book.id, 501);
      await change(engine, book.id, (change) => change.remove(transactionFiles, removed));
      const young = newKey(book.id);
      times.set(young, nowMs - dayMs + 1000);
      const used = [...times.keys()];
      for (const key of [newKey(book.id), `${newKey(book.id)}.tmp`, newKey(999)])
        times.set(key, nowMs - dayMs - 1000);
      assert.equal(await clean(engine), 3);
      assert.deepEqual([...times.keys()], used);
      // What an undo brings back has its bytes, and what an undo removes keeps them.
      const { version } = (await engine.read(() => find(books, { id: book.id })))!;
      await change(engine, book.id, (change) => undo(change, version));
      await change(engine, book.id, (change) => undo(change, version - 1));
      assert.equal(await clean(engine), 0);
      assert.ok(times.has(kept.storage_key!) && times.has(removed.storage_key!));
      // A pruned log cannot bring it back, also if its lines are still there.
      await engine.write(() =>
        updateUnlogged(books, { id: book.id }, { pruned_version: version + 1 }),
      );
      assert.equal(await clean(engine), 0);
      await engine.write(() =>
        updateUnlogged(books, { id: book.id }, { pruned_version: version + 2 }),
      );
      assert.equal(await clean(engine), 1);
      assert.ok(times.has(kept.storage_key!) && !times.has(removed.storage_key!));
      await engine.write(() => deleteBook(book.id));
      await engine.write(() => createUser({ ...user, email: 'b@b' }));
      const aborted = AbortSignal.abort();
      assert.equal(await removeUnreferencedFiles(engine, store, { nowMs, signal: aborted }), 0);
      await unreferencedFilesJob(store).run(engine, nowMs, new AbortController().signal);
      assert.deepEqual([...times.keys()], [young]);
    });
  });
