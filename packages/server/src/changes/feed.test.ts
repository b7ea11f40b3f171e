import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { insertMany } from '../db/engine.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { books } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { updateRows } from '../db/writes.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { NoSuchBookError } from './changing.ts';
import { positionAfter, PrunedPositionError, readChanges } from './feed.ts';
import type { FeedChange, FeedPosition } from './feed.ts';
import { readVersion } from './logged.ts';
import { restOf, tableOf } from './net.ts';
import { changeArbitrary } from './testing/random-changes.ts';
import { UndoneBook } from './testing/undone-book.ts';
import { runs } from '../../../core/src/testing/length.ts';

type Shown = Omit<FeedChange, 'next' | 'at'>;

/** Every change of a book, from its log. */
function* allChanges(bookId: number, versions: number): Steps<Shown[]> {
  const all: Shown[] = [];
  for (let version = 1; version <= versions; version += 1)
    for (const line of yield* readVersion(bookId, version))
      for (let id = line.firstId; id <= line.lastId; id += 1) {
        const { record, kind } = line;
        all.push({ version, record, id, key: restOf(tableOf(record), line), kind });
      }
  return all;
}

/** Reads the feed in pages, and checks that only the last one is the end. */
async function walk(
  engine: Engine,
  bookId: number,
  limits: readonly number[],
  record?: string,
  mostLines?: number,
): Promise<{ all: Shown[]; position: FeedPosition }> {
  const all: Shown[] = [];
  let position = positionAfter(0);
  for (let at = 0; ; at += 1) {
    const limit = limits[at % limits.length]!;
    const page = await engine.read(() => readChanges(bookId, position, limit, record, mostLines));
    const isFull = page.changes.length === limit;
    assert.ok(isFull || page.isEnd || record !== undefined, 'a page before the end is full');
    for (const { next, at, ...change } of page.changes) {
      assert.match(at, /^2026-01-01T/);
      assert.ok(next.version >= change.version);
      all.push(change);
    }
    if (!page.isEnd && record === undefined)
      assert.deepEqual(page.position, page.changes.at(-1)!.next);
    position = page.position;
    if (page.isEnd) return { all, position };
  }
}

/** Writes a version that created many transactions, as its log has it. */
function* logMany(bookId: number, version: number, count: number): Steps<void> {
  const at = '2026-01-01T00:00:00.000Z';
  yield* insertMany(
    'changes',
    ['book_id', 'version', 'at', 'actor', 'operation', 'undoes'],
    [[bookId, version, at, 'command', 'import', null]],
  );
  yield* insertMany(
    'changed_records',
    ['book_id', 'version', 'place', 'record', 'first_id', 'last_id', 'kind', 'diff'],
    [
      [bookId, version, 0, 'tags', 3, 3, 'made', null],
      [bookId, version, 1, 'transactions', 11, 10 + count, 'made', null],
      [bookId, version, 2, 'account_numbers', 1, 9, 'made', null],
    ],
  );
  yield* updateRows(books, { id: bookId }, { version });
}

for (const { name, skip, open } of engines) {
  describe(`the feed of changes on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    it('has every change once, in the order of the commits, in pages of any size', async () => {
      const changes = fc.array(changeArbitrary, { minLength: 1, maxLength: 6 });
      const limits = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(changes, limits, async (changes, limits) => {
          const book = await UndoneBook.open(engine);
          for (const writes of changes) await book.perform(writes);
          const version = await book.version();
          const expected = await book.read(() => allChanges(book.id, version));
          const { all, position } = await walk(engine, book.id, limits);
          assert.deepEqual(all, expected);
          assert.deepEqual(position, positionAfter(version));
          const ofTags = expected.filter(({ record }) => record === 'tags');
          for (const mostLines of [3, 1000]) {
            const filtered = await walk(engine, book.id, limits, 'tags', mostLines);
            assert.deepEqual(filtered, { all: ofTags, position });
          }
        }),
        { numRuns: runs(name === 'SQLite' ? 100 : 25) },
      );
    });

    it('cuts a line of 100,000 ids exactly, without the records of imports', async () => {
      const { id } = await newBook(engine);
      await engine.write(() => logMany(id, 1, 100_000));
      const { all } = await walk(engine, id, [1, 999, 50_000]);
      const made = { version: 1, key: {}, kind: 'made' } as const;
      assert.equal(all.length, 100_001);
      assert.deepEqual(all[0], { ...made, record: 'tags', id: 3 });
      for (let index = 1; index < all.length; index += 1)
        assert.deepEqual(all[index], { ...made, record: 'transactions', id: 10 + index });
    });

    it('refuses positions before the oldest version, and missing books', async () => {
      const { id } = await newBook(engine);
      for (const version of [1, 2, 3]) await engine.write(() => logMany(id, version, 2));
      await engine.write(() => updateRows(books, { id }, { pruned_version: 2 }));
      const read = (after: number) =>
        engine.read(() => readChanges(id, positionAfter(after), 1, 'tags'));
      await assert.rejects(read(1), new PrunedPositionError(3));
      const [{ changes }, later] = [await read(2), await read(9)];
      assert.deepEqual(
        changes.map(({ version }) => version),
        [3],
      );
      assert.deepEqual(later, { changes: [], position: positionAfter(9), isEnd: true });
      const missing = engine.read(() => readChanges(id + 1, positionAfter(0), 1));
      await assert.rejects(missing, NoSuchBookError);
    });
  });
}
