import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addTransaction } from '../../../book/testing/undone-book.ts';
import { deleteUnlogged, updateUnlogged } from '../../../book/unlogged.ts';
import { undo } from '../../../book/undo.ts';
import { books, transactionFiles, transactions } from '../../../db/tables/tables.ts';
import { contentOf } from '../../../files/content.ts';
import { newKey, noFileStore } from '../../../files/store.ts';
import type { FileStore } from '../../../files/store.ts';
import { onEngines } from '../../../http/testing/engine-book.ts';
import { attachFile } from './actions.ts';
import { removeUnreferencedFiles } from './files-job.ts';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 0, 9);

/** The times of the files of a store in memory. */
const times = new Map<string, number>();
const store: FileStore = {
  ...noFileStore,
  remove: (key) => Promise.resolve(void times.delete(key)),
  async *list() {
    await Promise.resolve();
    for (const [key, modifiedAtMs] of times) yield { key, modifiedAtMs };
  },
};

onEngines('the job for unreferenced files', (open) => {
  it('keeps files of records and of the change log, and young ones', async () => {
    times.clear();
    const book = await open();
    const { engine } = book;
    const clean = () => removeUnreferencedFiles(engine, store, { nowMs });
    const prunedTo = (pruned_version: number) =>
      engine.write(() => updateUnlogged(books, { id: book.id }, { pruned_version }));
    const isStored = () => [kept, removed].map((file) => times.has(file.storage_key!));
    await book.change((change) => addTransaction(change, {}));
    const [{ id: transactionId } = assert.fail()] = await book.rows(transactions);
    const newFile = () => {
      const key = newKey(book.id);
      times.set(key, nowMs - 2 * dayMs);
      const file = { name: 'a', type: 'image/png', notes: null } as const;
      const content = contentOf(Buffer.of(1));
      return book.change((to) =>
        attachFile(to, { transactionId, uploadedBy: 1, file, key, content }),
      );
    };
    const [kept, removed] = [await newFile(), await newFile()];
    await book.change((change) => change.remove(transactionFiles, removed));
    const young = newKey(book.id);
    times.set(young, nowMs - dayMs + 1000);
    const used = [...times.keys()];
    for (const key of [newKey(book.id), `${newKey(book.id)}.tmp`, newKey(999)])
      times.set(key, nowMs - dayMs - 1000);
    assert.equal(await clean(), 3);
    assert.deepEqual([...times.keys()], used);
    // What an undo brings back has its bytes, and what an undo removes keeps them.
    const version = await book.version();
    for (const back of [0, 1]) await book.change((change) => undo(change, version - back));
    assert.equal(await clean(), 0);
    assert.deepEqual(isStored(), [true, true]);
    // A pruned log cannot bring it back, also if its lines are still there.
    await prunedTo(version + 1);
    assert.equal(await clean(), 0);
    await prunedTo(version + 2);
    assert.equal(await clean(), 1);
    assert.deepEqual(isStored(), [true, false]);
    await engine.write(() => deleteUnlogged(books, { id: book.id }));
    // Nothing is deleted with a database that has no book.
    assert.equal(await clean(), 0);
    await open();
    const signal = AbortSignal.abort();
    assert.equal(await removeUnreferencedFiles(engine, store, { nowMs, signal }), 0);
    await clean();
    assert.deepEqual([...times.keys()], [young]);
  });
});
