import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addTransaction } from '../book/testing/undone-book.ts';
import { deleteUnlogged } from '../book/unlogged.ts';
import { storedFiles, transactionFiles, transactions } from '../db/tables/tables.ts';
import { contentOf } from '../files/content.ts';
import { FileStoreError, newKey, noFileStore, type FileStore } from '../files/store.ts';
import { onEngines } from '../http/testing/engine-book.ts';
import { attachFile } from '../ledger/transactions/attachments/actions.ts';
import { removeUser } from './user-removal.ts';
import { checkFiles } from './doctor.ts';

onEngines('the doctor of attached files', (open) => {
  it('finds those that are lost, also removed ones, and counts those without a checksum', async () => {
    const stored = new Map<string, Uint8Array>();
    const store: FileStore = {
      ...noFileStore,
      read: (key) => Promise.resolve(stored.get(key) ?? null),
    };
    const book = await open();
    await book.change((change) => addTransaction(change, {}));
    const [{ id: transactionId } = assert.fail()] = await book.rows(transactions);
    const attach = async (): Promise<string> => {
      const key = newKey(book.id);
      const file = { name: 'a "b"', type: 'image/png', notes: null } as const;
      const content = contentOf(Buffer.from('content'));
      stored.set(key, Buffer.from('content'));
      await book.change((to) =>
        attachFile(to, { transactionId, uploadedBy: 1, file, key, content }),
      );
      return key;
    };
    const remove = async () => {
      const last = (await book.rows(transactionFiles)).at(-1)!;
      await book.change((change) => change.remove(transactionFiles, last));
    };
    const check = async (of = store) => {
      const { findings, notes } = await checkFiles(book.engine, of);
      assert.ok(findings.every((each) => each.check === 'files' && !each.repaired));
      return [...findings.map(({ detail }) => detail), ...notes].map((text) =>
        text.replaceAll(/(attachment|book) \d+/g, '$1 N'),
      );
    };
    const name = 'attachment N in book N, "a \\"b\\"",';
    const keys = [await attach(), await attach(), await attach(), await attach()];
    await remove();
    assert.deepEqual(await check(), []);
    stored.delete(keys[0]!);
    stored.set(keys[1]!, Buffer.from('CONTENT'));
    stored.delete(keys[3]!);
    const lost = [
      `The file of the ${name} is missing`,
      `The file of the ${name} has other bytes than were stored`,
      `The file of the deleted ${name} is missing`,
    ];
    assert.deepEqual(await check(), lost);
    // As an older node leaves it: only its size can be compared.
    await book.engine.write(() => deleteUnlogged(storedFiles, { storage_key: keys[1]! }));
    const unknown = 'Attached files without a checksum, which the server adds while it runs: 1';
    assert.deepEqual(await check(), [lost[0], lost[2], unknown]);
    const unplaced = 'Attached files that were not checked, because FILES_URL is not set: 4';
    assert.deepEqual(await check(noFileStore), [unplaced, unknown]);
    // A store that fails is not asked for every file.
    for (let at = 0; at < 3; at += 1) await attach();
    const read = () => Promise.reject(new FileStoreError('planted'));
    const rest = [
      `The file of the ${name} cannot be read: planted`,
      '2 further files were not read',
    ];
    assert.deepEqual((await check({ ...store, read })).slice(4), [...rest, unknown]);
    // A file that was deleted while the doctor read it is no finding.
    const removing = async (key: string) => {
      if (key === keys[0]) await removeUser(book.engine, book.book.userId, { files: null });
      return null;
    };
    assert.deepEqual(await check({ ...store, read: removing }), [unknown]);
  });
});
