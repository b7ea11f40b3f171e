import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { changing } from '../../book/change.ts';
import { attachedFiles, type AttachedFile } from '../../db/attached-files.ts';
import { rows, run, withOwn, type Engine } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import {
  bookTables,
  importForms,
  importOrigins,
  tags,
  transactionFiles,
  transactions,
} from '../../db/tables/tables.ts';
import { engines, usualEngines } from '../../db/testing/engines.ts';
import { contentOf } from '../../files/content.ts';
import {
  booksOf,
  findBooks,
  createBook,
  findUser,
  listUsers,
} from '../../identity/users/actions.ts';
import { noteContent } from '../../ledger/transactions/attachments/actions.ts';
import { detachUser, removeAbandoned } from '../../maintenance/user-removal.ts';
import { exportFormats } from '../lists/file.ts';
import { exportBook } from '../lists/export.ts';
import { linesOf, memoryStore, unpacked } from './testing/archives.ts';
import {
  archive,
  archived,
  counts,
  faultsOf,
  full,
  imported,
  makeUser,
  nowMs,
  openFull,
} from './testing/full-archive.ts';
import { withoutIds } from './testing/without-ids.ts';
import { archiveBook } from './write-archive.ts';

async function csvWithoutIds(engine: Engine, bookId: number): Promise<string[]> {
  const pieces = exportFormats.csv.piecesOf(await exportBook(engine, bookId));
  const lines = Buffer.concat(await Array.fromAsync(pieces))
    .toString()
    .split(/(?<=\n)(?=\d)/);
  return lines.map((line) => line.replace(/^\d+,/, '')).toSorted();
}

describe('an archive of a book', () => {
  it('has the records of every table, without secrets and what only one server knows', () => {
    const lines = linesOf(unpacked(archive));
    const found = new Set(lines.map(({ table }) => table));
    const wanted = bookTables.map(({ name }) => name).filter((name) => name !== 'account_numbers');
    assert.deepEqual(
      [...wanted, 'imports', 'import_settings', 'recorded_months', 'import_origins'].filter(
        (name) => !found.has(name),
      ),
      [],
    );
    const text = JSON.stringify(lines);
    for (const secret of ['sealed_credentials', 'storage_key', 'book_id', '"actor"'])
      assert.ok(!text.includes(secret), secret);
  });

  for (const { name, skip, open } of engines)
    describe(`imported to ${name}`, { skip }, () => {
      it('without users has all ids, and gives the same archive', async () => {
        const engine = await open(() => nowMs);
        const files = memoryStore();
        const book = await imported(engine, archive, { files });
        assert.deepEqual([book.id, book.hasSameIds, book.files], [1, true, 1]);
        assert.deepEqual(await archived(engine, files, 1), archive);
        assert.deepEqual(await faultsOf(engine), []);
        const present = await counts(engine);
        assert.deepEqual([present['users'], present['books'], present['changes']], [1, 1, 0]);
        const [attached] = await engine.read(() => attachedFiles(1));
        assert.deepEqual(attached?.content, contentOf(files.kept.get(attached!.key)!));
        // What is made next gets an id of its own, and the history begins.
        const cause = { bookId: 1, actor: 'test', operation: 'test' };
        await engine.write(() =>
          changing(cause, function* (change) {
            yield* change.insert(tags, { name: 'after the import' });
          }),
        );
        await makeUser(engine);
        assert.deepEqual(await faultsOf(engine), []);
        // Times are later than the version that was carried, which is the oldest state.
        assert.deepEqual(await archived(engine, files, 1, '9'), archive);
      });

      it('beside other books is the same but for ids, again and again', async () => {
        const engine = await open(() => nowMs);
        const files = memoryStore();
        const { id, userId } = await makeUser(engine);
        const before = await archived(engine, files, id);
        const copies: number[] = [];
        for (const copy of ['one', 'two']) {
          const book = await imported(engine, archive, { files, userId, name: copy });
          assert.deepEqual([book.hasSameIds, book.userId, book.name], [false, userId, copy]);
          copies.push(book.id);
        }
        for (const copy of copies) {
          const again = unpacked(await archived(engine, files, copy));
          assert.deepEqual(
            withoutIds(linesOf(again), userId),
            withoutIds(linesOf(unpacked(archive)), 1),
          );
          assert.deepEqual(await csvWithoutIds(engine, copy), await csvWithoutIds(full.engine, 1));
        }
        assert.deepEqual(await archived(engine, files, id), before);
        assert.deepEqual(await faultsOf(engine), []);
        assert.equal(files.kept.size, 2);
      });

      it('is seen by nobody before it is whole', async () => {
        const engine = await open(() => nowMs);
        const seen: unknown[] = [];
        const look = () =>
          engine.read(function* () {
            const [owner] = yield* rows<{ id: number }>(sql`SELECT id FROM users`);
            return [
              yield* listUsers(),
              yield* findUser('ada@Example.com'),
              yield* findBooks('ada@Example.com'),
              yield* booksOf(owner?.id ?? 0),
            ];
          });
        const write: Engine['write'] = async (steps, options) => {
          seen.push(await look());
          return engine.write(steps, options);
        };
        await imported(withOwn(engine, { write }), archive);
        assert.ok(seen.length > 10);
        for (const all of seen) assert.deepEqual(all, [[], null, [], []]);
        const [owner] = await engine.read(listUsers);
        assert.deepEqual([owner?.email, owner?.books], ['ada@Example.com', 1]);
      });

      it('leaves nothing when it fails, is stopped or is killed, and the next import removes the rest', async () => {
        const clock = { ms: nowMs };
        const engine = await open(() => clock.ms);
        const { userId } = await makeUser(engine);
        const before = await counts(engine);
        const files = memoryStore();
        const failing = { ...files, write: () => Promise.reject(new Error('the disk is full')) };
        await assert.rejects(imported(engine, archive, { userId, files: failing }), /disk is full/);
        assert.deepEqual(await counts(engine), before);
        const stop = new AbortController();
        const onProgress = (done: number): void => {
          if (done > 300) stop.abort(new Error('stopped'));
        };
        const { signal } = stop;
        await assert.rejects(
          imported(engine, archive, { userId, files, onProgress, signal }),
          /stopped/,
        );
        assert.deepEqual([await counts(engine), files.kept.size], [before, 0]);
        for (const writes of [4, 9, 20]) {
          await removeAbandoned(engine, { files });
          assert.deepEqual(await counts(engine), before);
          await assert.rejects(imported(dyingAfter(engine, writes), archive, { userId }), /killed/);
          const left = await counts(engine);
          assert.equal(left['books'], before['books']! + 1);
          assert.equal((await engine.read(() => booksOf(userId))).length, 1);
          clock.ms += 601_000;
        }
        await assert.rejects(
          imported(engine, archive, { userId, name: 'mine', onProgress: () => assert.fail() }),
          {
            message:
              'The user already has a book "Mine". Give the imported one another name with --name',
          },
        );
        assert.deepEqual(await counts(engine), before);
        // Somebody else takes the name meanwhile.
        let writes = 0;
        const write: Engine['write'] = async (steps, options) => {
          writes += 1;
          const other = { userId, name: 'Same', primaryCurrency: 'usd' };
          if (writes === 8) await engine.write(() => createBook(other));
          return engine.write(steps, options);
        };
        const late = imported(withOwn(engine, { write }), archive, { userId, name: 'same' });
        await assert.rejects(late, /The user already has a book "Same"/);
        const after = { ...before, books: before['books']! + 1 };
        assert.deepEqual(await counts(engine), after);
        // Somebody removes the user meanwhile.
        writes = 0;
        const removing: Engine['write'] = async (steps, options) => {
          writes += 1;
          if (writes === 8) {
            await engine.write(() => detachUser(userId));
            // With the book, whose rows are deleted in steps.
            assert.equal((await counts(engine))['books'], after.books + 1);
          }
          return engine.write(steps, options);
        };
        const ownerless = imported(withOwn(engine, { write: removing }), archive, {
          userId,
          files,
        });
        await assert.rejects(ownerless, /The book was removed while it was imported/);
        const none = { ...before, users: 0, books: 0 };
        assert.deepEqual([await counts(engine), files.kept.size], [none, 0]);
      });
    });

  it('that created its user leaves no user', async () => {
    const clock = { ms: nowMs };
    const engine = await usualEngines[0]!.open(() => clock.ms);
    const before = await counts(engine);
    await assert.rejects(imported(dyingAfter(engine, 5), archive), /killed/);
    assert.equal((await counts(engine))['users'], 1);
    await assert.rejects(imported(engine, archive), /Another book is being imported/);
    clock.ms += 601_000;
    await assert.rejects(imported(engine, Buffer.from('{"type":"book"}')), /no archive/);
    const { id, hasSameIds } = await imported(engine, archive, { email: 'new@example.com' });
    assert.deepEqual([id, hasSameIds], [1, true]);
    assert.equal((await counts(engine))['books'], before['books']! + 1);
    assert.equal((await engine.read(listUsers))[0]?.email, 'new@example.com');
  });

  it('is of one version, whatever is changed while it is read', async () => {
    const { engine, files } = await openFull();
    const before = await archived(engine, files, 1);
    let turn = 0;
    const read: Engine['read'] = async (steps, options) => {
      const result = await engine.read(steps, options);
      turn += 1;
      await engine.write(() =>
        changing({ bookId: 1, actor: 'test', operation: 'test' }, function* (change) {
          const all = yield* select(transactions, { book_id: 1 });
          yield* change.update(transactions, all[turn % all.length]!, { payee: `New ${turn}` });
          yield* change.update(transactions, all.at(-turn)!, { notes: 'Changed' });
          yield* change.insert(tags, { name: `New ${turn}` });
          const [file] = yield* select(transactionFiles, { book_id: 1 });
          if (file !== undefined) yield* change.remove(transactionFiles, file);
        }),
      );
      return result;
    };
    const changed = withOwn(engine, { read });
    assert.deepEqual(await archived(changed, files, 1), before);
    assert.ok(turn > 15);
    assert.deepEqual(await archived(engine, files, 1, '9'), before);
  });

  it('leaves out the forms of transactions that were removed', async () => {
    const { engine, files } = await openFull();
    await engine.write(() =>
      changing({ bookId: 1, actor: 'test', operation: 'test' }, function* (change) {
        const [form] = yield* select(importForms, { book_id: 1 });
        const id = form!.transaction_id;
        yield* change.removeAll(
          transactionFiles,
          yield* select(transactionFiles, { book_id: 1, transaction_id: id }),
        );
        yield* change.removeAll(transactions, yield* select(transactions, { book_id: 1, id }));
      }),
    );
    const bytes = await archived(engine, files, 1);
    assert.ok(linesOf(unpacked(bytes)).every(({ table }) => table !== 'import_forms'));
    await imported(await usualEngines[0]!.open(() => nowMs), bytes);
  });

  it('has what files and banks had said, also of transactions that were deleted', async () => {
    const { engine, files } = await openFull();
    const gone = 9_000_000;
    const origins = (bytes: Buffer) =>
      linesOf(unpacked(bytes)).filter(({ table }) => table === 'import_origins');
    for (const [id, account] of [
      [gone, 1],
      [gone + 1, 999],
    ] as const)
      await engine.write(() =>
        run(sql`INSERT INTO import_origins SELECT book_id, ${id}, ${account}, NULL, date, amount, currency, payee,
          external_id, 'of a bank', NULL, is_pending FROM import_origins WHERE book_id = 1 LIMIT 1`),
      );
    const bytes = await archived(engine, files, 1);
    // Not that of an account which is gone, too.
    assert.deepEqual(
      origins(bytes).map(({ row }) => row['transaction_id'] === gone),
      [false, true],
    );
    const target = await usualEngines[0]!.open(() => nowMs);
    const store = memoryStore();
    const { userId } = await imported(target, bytes, { files: store });
    assert.deepEqual(await archived(target, store, 1), bytes);
    const { id } = await imported(target, bytes, { files: store, userId, name: 'Copy' });
    const [first, second] = await target.read(() => select(importOrigins, { book_id: id }));
    const present = new Set((await target.read(() => select(transactions, {}))).map((t) => t.id));
    assert.ok(present.has(first!.transaction_id));
    assert.ok(second!.transaction_id > gone && !present.has(second!.transaction_id));
    await engine.write(() =>
      changing({ bookId: 1, actor: 'test', operation: 'test' }, function* (change) {
        yield* change.insert(tags, { name: 'later' });
      }),
    );
    assert.equal(origins(await archived(engine, files, 1, '9')).length, 1);
  });

  it('says which files are damaged', async () => {
    const { engine, files } = await openFull();
    const [{ key }] = (await engine.read(() => attachedFiles(1))) as [AttachedFile];
    await engine.write(() => noteContent(1, key, contentOf(files.kept.get(key)!)));
    assert.deepEqual(await archived(engine, files, 1), archive);
    files.kept.get(key)![0]! ^= 1;
    const faults: string[] = [];
    const { pieces } = await archiveBook(engine, 1, {
      files,
      onMissing: ({ fault }) => faults.push(fault),
    });
    await Array.fromAsync(pieces);
    assert.deepEqual(faults, ['has other bytes than were stored']);
  });

  it('says which files have no content, and is imported without them', async () => {
    const { engine, files } = await openFull();
    files.kept.clear();
    const missing: unknown[] = [];
    const { pieces } = await archiveBook(engine, 1, {
      files,
      onMissing: (file) => missing.push(file),
    });
    const bytes = Buffer.concat(await Array.fromAsync(pieces));
    assert.deepEqual(missing, [{ id: 1, name: 'r.pdf', fault: 'is missing' }]);
    const target = await usualEngines[0]!.open(() => nowMs);
    const { notCarried, files: count } = await imported(target, bytes);
    assert.equal(count, 0);
    assert.ok(notCarried.some(({ what }) => what === 'the content of 1 attached file'));
    assert.deepEqual(await archived(target, memoryStore(), 1), bytes);
  });
});

/** Returns an engine whose writes fail after a number of them, like those of a process that was killed. */
function dyingAfter(engine: Engine, writes: number): Engine {
  let left = writes;
  const write: Engine['write'] = (steps, options) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('killed')) : engine.write(steps, options);
  };
  return withOwn(engine, { write });
}
