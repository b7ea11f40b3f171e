import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addTransaction } from '../../../book/testing/undone-book.ts';
import { deleteUnlogged } from '../../../book/unlogged.ts';
import { select } from '../../../db/rows.ts';
import { storedFiles, transactionFiles, transactions } from '../../../db/tables/tables.ts';
import { contentOf } from '../../../files/content.ts';
import { FileStoreError, newKey, noFileStore } from '../../../files/store.ts';
import type { FileStore } from '../../../files/store.ts';
import { onEngines } from '../../../http/testing/engine-book.ts';
import { attachFile } from './actions.ts';
import { contentsJob } from './contents-job.ts';

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
