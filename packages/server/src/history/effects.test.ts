import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { runs } from '../../../core/src/testing/length.ts';
import { insertMany, rows, type Engine, type Steps } from '../db/engine.ts';
import { given, type Values } from '../db/table.ts';
import { bookTables, shownTables, books, tags, transactions } from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { updateUnlogged } from '../book/unlogged.ts';
import { RandomBook } from './undo/testing/random-book.ts';
import { firstWrites, stepsArbitrary } from './undo/testing/random-writes.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { NoSuchBookError } from '../book/change.ts';
import { rowsAfter } from './earlier-rows.ts';
import {
  PrunedPositionError,
  positionAfter,
  readChanges,
  type FeedChange,
  type FeedPosition,
} from './feed/changes.ts';
import { listHistory, type HistoryFilter } from './actions.ts';
import { readVersion } from '../book/log.ts';
import { restOf, tableOf } from '../book/net.ts';
import type { BookState } from '../book/testing/book-state.ts';
import {
  effectsOnRecord,
  recordsOfVersion,
  type Effect,
  countsOf,
  type RecordCount,
} from './effects.ts';

const filters: readonly HistoryFilter[] = [
  {},
  { before: 30 },
  { actor: 'token 1' },
  { operation: 'b' },
  { actor: 'token 1', operation: 'b' },
  { record: 'tags' },
  { record: 'tags', id: 1000 },
  { record: 'tags', id: 1000, actor: 'token 0', operation: 'a' },
  { record: 'transactions', id: 5, operation: 'a' },
  { record: 'rules' },
  { from: at(10), to: at(20), record: 'tags' },
  { from: at(99) },
  { to: at(1) },
];

function at(version: number): string {
  return new Date(Date.UTC(2026, 0, 1) + version * 1000).toISOString();
}

/** Versions 2 to 60: their actors, operations, tables and ranges of ids vary. */
const versions = Array.from({ length: 59 }, (_, index) => {
  const version = index + 2;
  return {
    version,
    actor: `token ${version % 3}`,
    operation: version % 2 ? 'a' : 'b',
    record: version % 5 ? 'tags' : 'transactions',
    firstId: [1000, 990, 489, 488, 487, 1, 5, 1001][version % 8]!,
    length: [1, 20, 600, 512, 513, 2000, 1, 5][(version * 3) % 8]!,
  };
});
type Version = (typeof versions)[number];

function isMatch(
  each: Version,
  { before: end, actor, operation, record, id, from, to }: HistoryFilter,
): boolean {
  const { version, firstId, length } = each;
  return (
    (end === undefined || version < end) &&
    (actor ?? each.actor) === each.actor &&
    (operation ?? each.operation) === each.operation &&
    (record ?? each.record) === each.record &&
    (id === undefined || (firstId <= id && id < firstId + length)) &&
    (from === undefined || at(version) >= from) &&
    (to === undefined || at(version) <= to)
  );
}

for (const { name, skip, open } of engines)
  describe(`the history of a book on ${name}`, { skip }, () => {
    let engine: Engine;
    let bookId: number;
    before(async () => {
      engine = await open();
      for (let count = 0; count < 2; count += 1) {
        bookId = (await newBook(engine)).id;
        await engine.write(() => writeVersions(bookId));
      }
    });

    for (const filter of filters)
      it(`lists pages by ${JSON.stringify(filter)}`, async () => {
        const expected = versions.filter((each) => isMatch(each, filter)).toReversed();
        for (const limit of [1, 7, 100]) {
          const walked: number[] = [];
          for (let last = filter.before; ;) {
            const page = await engine.read(() =>
              listHistory(bookId, { ...filter, before: last }, limit),
            );
            walked.push(...page.map(({ version }) => version));
            if (page.length < limit) break;
            last = page.at(-1)!.version;
          }
          assert.equal(walked.join(), expected.map(({ version }) => version).join());
        }
      });
    // Only SQLite's plans are always the same.
    if (name === 'SQLite')
      it('never reads all lines of a book, nor those of all later versions', async () => {
        const key = { table: tags, id: 1000, key: { id: 1000 } };
        const reads: (() => Steps<unknown>)[] = [
          ...filters.map((filter) => () => listHistory(bookId, filter, 10)),
          () => countsOf(bookId, [5, 9]),
          () => effectsOnRecord(bookId, tags, 1000, [5]),
          () => rowsAfter(bookId, 5, [key]),
        ];
        for (const read of reads)
          for (const [text, plan] of await engine.read(() => plansOf(read())))
            for (const line of plan.filter((each) => / (r|changed_records) /.test(each)))
              assert.doesNotMatch(
                line,
                /SCAN|PRIMARY KEY \(book_id=\?( AND version[<>].*)?\)$/,
                text,
              );
      });
  });

/** Runs steps, and returns the plan of each of their statements. */
function* plansOf(steps: Steps<unknown>): Steps<[text: string, plan: string[]][]> {
  const plans: [string, string[]][] = [];
  for (let next = steps.next(); next.done !== true;) {
    const step = next.value;
    if ('text' in step) {
      const plan = yield* rows<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${step}`);
      plans.push([step.text, plan.map(({ detail }) => detail)]);
    }
    next = steps.next(yield step);
  }
  return plans;
}

function* writeLog(bookId: number, version: number, cause: readonly string[], lines: unknown[][]) {
  const columns = ['book_id', 'version', 'at', 'actor', 'operation', 'undoes'];
  yield* insertMany('changes', columns, [[bookId, version, at(version), ...cause, null]]);
  const names = ['place', 'repeats', 'record', 'first_id', 'last_id', 'kind', 'diff'];
  const rows = lines.map((line, place) => [bookId, version, place, ...line]);
  yield* insertMany('changed_records', ['book_id', 'version', ...names], rows);
}

function* writeVersions(bookId: number) {
  for (const { version, actor, operation, record, firstId, length } of versions) {
    const line = [record, firstId, firstId + length - 1, 'changed', '{}'];
    // Lines of an older node have no mark for the second line about a table.
    const lines = [0, 1].map((place) => [version % 2 ? place : 0, ...line]);
    yield* writeLog(bookId, version, [actor, operation], lines);
  }
}

/** What happened to a record, by its table and key. */
type Shown = Readonly<Record<string, Pick<Effect, 'kind' | 'before' | 'after'>>>;

/** Returns the differences between two states, as a history shows them. */
function expectedOf(earlier: BookState, later: BookState): Shown {
  const shown: Record<string, Shown[string]> = {};
  for (const table of shownTables) {
    const [old, current] = [earlier.get(table.name)!, later.get(table.name)!];
    for (const key of new Set([...old.keys(), ...current.keys()])) {
      const [before = null, after = null] = [old.get(key), current.get(key)].map((row) =>
        row === undefined ? undefined : own(row),
      );
      const name = `${table.name} ${key}`;
      if (before === null || after === null)
        shown[name] = { kind: before === null ? 'made' : 'removed', before, after };
      else {
        const columns = Object.keys(after).filter((column) => before[column] !== after[column]);
        if (columns.length > 0)
          shown[name] = {
            kind: 'changed',
            before: only(columns, before),
            after: only(columns, after),
          };
      }
    }
  }
  return shown;
}

function only(columns: readonly string[], row: Values): Values {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}

/** Counts effects by table and kind. */
function countsIn(effects: readonly Effect[]): RecordCount[] {
  const kinds = ['made', 'changed', 'removed'] as const;
  const all = bookTables.flatMap((table) =>
    kinds.map((kind) => ({
      record: table.name,
      kind,
      count: effects.filter((each) => each.table === table && each.kind === kind).length,
    })),
  );
  return all.filter(({ count }) => count > 0);
}

/** A row without what states do not compare. */
function own(row: Values): Values {
  const names = ['book_id', 'updated_at', 'sealed_credentials'];
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

function shownOf(effects: readonly Effect[]): Shown {
  return Object.fromEntries(
    effects
      .map(({ table, key, kind, before, after }) => {
        const rows = { before: before && own(before), after: after && own(after) };
        return [
          `${table.name} ${table.key.map((name) => key[name]).join(' ')}`,
          { kind, ...rows },
        ] as const;
      })
      // A record that is as it was before.
      .filter(([, { kind, after }]) => kind !== 'changed' || Object.keys(after ?? {}).length > 0),
  );
}

for (const { name, skip, open } of engines)
  describe(`the records of a version on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    const page = (book: RandomBook, version: number, offset: number, limit: number) =>
      book.read(() => recordsOfVersion(book.id, version, { offset, limit }));

    async function walk(book: RandomBook, version: number, limit: number): Promise<Effect[]> {
      const all: Effect[] = [];
      for (;;) {
        const part = await page(book, version, all.length, limit);
        all.push(...part);
        if (part.length < limit) return all;
      }
    }

    it('are counted however many lines a version has', async () => {
      const { id } = await newBook(engine);
      const columns = [
        'book_id',
        'version',
        'place',
        'record',
        'first_id',
        'last_id',
        'kind',
        'diff',
      ];
      const lines = Array.from({ length: 130_000 }, (_, n) => [
        ...[id, 900, n, 'transactions', Math.max(1, 2 * n), Math.max(1, 2 * n), 'changed'],
        '{"notes":["a","b"]}',
      ]);
      lines.push([
        ...[id, 900, lines.length, 'transactions', 2, 2, 'changed'],
        '{"notes":["b","c"]}',
      ]);
      await engine.write(() => insertMany('changed_records', columns, lines));
      const counts = await engine.read(() => countsOf(id, [900]));
      assert.deepEqual(counts.get(900), [
        { record: 'transactions', kind: 'changed', count: 130_000 },
      ]);
    });

    it('are those that differ, before and after, whatever happened later', async () => {
      await fc.assert(
        fc.asyncProperty(stepsArbitrary(8), async (steps) => {
          const book = await RandomBook.open(engine);
          const fleeting = await book.change(function* (change) {
            yield* change.remove(tags, yield* change.insert(tags, { name: 'fleeting' }));
            return change.version;
          });
          const expected = new Map<number, Shown>([[fleeting, {}]]);
          let last = await book.state();
          for (const step of [...firstWrites, ...steps]) {
            const version = await book.version();
            await book.take(step);
            const state = await book.state();
            if ((await book.version()) === version + 1)
              expected.set(version + 1, expectedOf(last, state));
            last = state;
          }
          for (const [version, shown] of expected) {
            const walked = await walk(book, version, 2);
            assert.deepEqual(shownOf(walked), shown);
            assert.deepEqual(walked, await walk(book, version, 1000));
            const counts = await book.read(() => countsOf(book.id, [version]));
            assert.deepEqual(counts.get(version) ?? [], countsIn(walked));
          }
          await compareTransactions(book, expected);
        }),
        { numRuns: runs(name === 'SQLite' ? 40 : 7) },
      );
    });

    async function compareTransactions(
      book: RandomBook,
      expected: ReadonlyMap<number, Shown>,
    ): Promise<void> {
      const keys = new Set([...expected.values()].flatMap((shown) => Object.keys(shown)));
      for (const key of keys) {
        const [record, id] = key.split(' ');
        if (record !== transactions.name) continue;
        const found = await book.read(() =>
          effectsOnRecord(book.id, transactions, Number(id), [...expected.keys()]),
        );
        for (const [version, shown] of expected) {
          const effect = found.get(version);
          const own = effect === undefined ? undefined : shownOf([effect])[key];
          assert.deepEqual(given({ own }), given({ own: shown[key] }));
        }
      }
    }
  });

type FeedLine = Omit<FeedChange, 'next' | 'at'>;

function* allChanges(bookId: number, versions: number): Steps<FeedLine[]> {
  const all: FeedLine[] = [];
  for (let version = 1; version <= versions; version += 1)
    for (const line of yield* readVersion(bookId, version))
      for (let id = line.firstId; id <= line.lastId; id += 1) {
        const { record, kind } = line;
        if (!tableOf(record).isInternal)
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
): Promise<{ all: FeedLine[]; position: FeedPosition }> {
  const all: FeedLine[] = [];
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
  const lines = [
    [0, 'tags', 3, 3, 'made', null],
    [0, 'transactions', 11, 10 + count, 'made', null],
    [0, 'account_numbers', 1, 9, 'made', null],
  ];
  yield* writeLog(bookId, version, ['command', 'import'], lines);
  yield* updateUnlogged(books, { id: bookId }, { version });
}

for (const { name, skip, open } of engines)
  describe(`the feed of changes on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    it('has every change once, in the order of the commits, in pages of any size', async () => {
      const limits = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(stepsArbitrary(6), limits, async (steps, limits) => {
          const book = await RandomBook.open(engine);
          for (const step of [...firstWrites, ...steps]) await book.take(step);
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
        { numRuns: runs(name === 'SQLite' ? 40 : 7) },
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
      await engine.write(() => updateUnlogged(books, { id }, { pruned_version: 2 }));
      const read = (after: number) =>
        engine.read(() => readChanges(id, positionAfter(after), 1, 'tags'));
      await assert.rejects(read(1), new PrunedPositionError(3));
      const [{ changes }, later] = [await read(2), await read(9)];
      assert.equal(changes.map(({ version }) => version).join(), '3');
      assert.deepEqual(later, { changes: [], position: positionAfter(9), isEnd: true });
      const missing = engine.read(() => readChanges(id + 1, positionAfter(0), 1));
      await assert.rejects(missing, NoSuchBookError);
    });
  });
