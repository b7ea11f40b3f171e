import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addTransaction } from '../../../book/testing/undone-book.ts';
import { deleteUnlogged, updateUnlogged } from '../../../book/unlogged.ts';
import { undo } from '../../../book/undo.ts';
import { books, transactionFiles, transactions, storedFiles } from '../../../db/tables/tables.ts';
import { contentOf } from '../../../files/content.ts';
import { newKey, noFileStore, FileStoreError, type FileStore } from '../../../files/store.ts';
import { onEngines } from '../../../http/testing/engine-book.ts';
import { attachFile } from './actions.ts';
import { removeUnreferencedFiles, contentsJob } from './jobs.ts';
import { select } from '../../../db/rows.ts';

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

const png = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const withText = (text: string) => Buffer.concat([png.subarray(0, 8), Buffer.from(text)]);

onEngines('the job for the contents of files', (open) => {
  it('notes those that an older node stored, and never those of a file that is lost', async () => {
    const stored = new Map<string, Uint8Array>();
    const reads: string[] = [];
    const store: FileStore = {
      ...noFileStore,
      read: (key) => {
        reads.push(key);
        const found = stored.get(key) ?? null;
        if (found?.length === 0) return Promise.reject(new FileStoreError('planted'));
        return Promise.resolve(found);
      },
    };
    const log: unknown[] = [];
    const error = ({ fault }: { readonly fault?: string }) => void log.push(fault);
    const book = await open();
    const job = (of = store) =>
      contentsJob(of, { error }).run(book.engine, 0, new AbortController().signal);
    await book.change((change) => addTransaction(change, {}));
    const [{ id: transactionId } = assert.fail()] = await book.rows(transactions);
    const attach = async (bytes: Uint8Array | null, isKnown = false): Promise<string> => {
      const [key, content] = [newKey(book.id), contentOf(png)];
      if (bytes !== null) stored.set(key, bytes);
      const file = { name: 'a', type: 'image/png', notes: null } as const;
      await book.change((to) =>
        attachFile(to, { transactionId, uploadedBy: 1, file, key, content }),
      );
      // As an older node leaves it.
      if (!isKnown)
        await book.engine.write(() => deleteUnlogged(storedFiles, { storage_key: key }));
      return key;
    };
    const known = () => book.engine.read(() => select(storedFiles, { book_id: book.id }));
    const old = await attach(png);
    const removed = await attach(withText('removed'));
    const [, second] = await book.rows(transactionFiles);
    await book.change((change) => change.remove(transactionFiles, second!));
    const recorded = await attach(png, true);
    await attach(null);
    await attach(Buffer.alloc(20));
    await attach(withText('x'.repeat(2000)));
    const version = await book.version();
    await job();
    const rows = await known();
    const expected = [
      { storage_key: old, ...contentOf(png) },
      { storage_key: removed, ...contentOf(withText('removed')) },
      { storage_key: recorded, ...contentOf(png) },
    ].map((row) => ({ ...row, book_id: book.id }));
    const byKey = (all: typeof rows) =>
      Object.fromEntries(all.map((row) => [row.storage_key, row]));
    assert.deepEqual(byKey(rows), byKey(expected as typeof rows));
    const lost = [
      'is missing',
      'is not of the type image/png',
      'has 2008 bytes instead of about 1 kB',
    ];
    assert.deepEqual(log.splice(0), lost);
    assert.ok(!reads.includes(recorded), 'what is known is not read');
    assert.equal(await book.version(), version, 'no record is changed');
    // One that cannot be read does not keep the others from being noted.
    await attach(Buffer.of());
    await attach(png);
    await assert.rejects(job(), { name: 'FileStoreError', message: 'planted' });
    assert.equal((await known()).length, 4);
    assert.deepEqual(log.splice(0), lost);
    await job(noFileStore);
  });
});
