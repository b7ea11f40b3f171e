import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { row, rows, type Engine, type Steps } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { books, tags } from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { changing } from './change.ts';
import { prunedVersion } from './log.ts';
import { pruneHistory } from './retention.ts';
import { NoSuchVersionError } from './net.ts';
import { undo } from './undo.ts';
import { runs } from '../../../core/src/testing/length.ts';

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const dayMs = 24 * 3_600_000;
const never = new AbortController().signal;

/** The changes of a book: after how many days each was made, and of how many lines. */
const historyArbitrary = fc.array(
  fc.record({ days: fc.nat({ max: 3 }), lines: fc.nat({ max: 4 }).map((lines) => lines + 1) }),
  { maxLength: 8 },
);

for (const { name, skip, open } of engines)
  describe(`the retention of the change log on ${name}`, { skip }, () => {
    let clockMs = startMs;
    let engine: Engine;
    before(async () => {
      engine = await open(() => clockMs);
    });

    /** Makes one change. Every second id is used, so that records do not share a line. */
    function* insertTags(bookId: number, count: number): Steps<number> {
      return yield* changing({ bookId, actor: 'token 1', operation: 'test' }, function* (change) {
        const last = yield* row<{ id: number }>(sql`SELECT coalesce(max(id), 0) AS id FROM tags`);
        const all = Array.from({ length: count }, (_, at) => ({
          id: last!.id + 2 * at + 2,
          name: `${change.version} ${at}`,
          description: null,
        }));
        yield* change.insertAll(tags, all);
        return change.version;
      });
    }
    const change = (bookId: number, count: number): Promise<number> =>
      engine.write(() => insertTags(bookId, count));
    const logOf = (bookId: number) =>
      engine.read(() =>
        rows<{ version: number; lines: number; entries: number }>(sql`
          SELECT version, CAST(sum(lines) AS INTEGER) AS lines, CAST(sum(entries) AS INTEGER) AS entries FROM (
            SELECT version, 0 AS lines, 1 AS entries FROM changes WHERE book_id = ${bookId}
            UNION ALL SELECT version, 1, 0 FROM changed_records WHERE book_id = ${bookId}
          ) log GROUP BY version ORDER BY version`),
      );
    const bookOf = async (id: number) => (await engine.read(() => find(books, { id })))!;
    const at = (ms: number): string => new Date(ms).toISOString();
    const prune = (from: Engine, days: number) =>
      pruneHistory(from, at(clockMs - days * dayMs), never);

    /** The engine, which calls `afterWrite` after each transaction. */
    const watched = (afterWrite: () => Promise<void>): Engine => ({
      dialect: engine.dialect,
      canWrite: true,
      read: (steps) => engine.read(steps),
      readStatement: (steps) => engine.readStatement(steps),
      stream: (steps) => engine.stream(steps),
      eraseDeleted: () => engine.eraseDeleted(),
      close: () => engine.close(),
      write: async (steps, options) => {
        const result = await engine.write(steps, options);
        await afterWrite();
        return result;
      },
    });

    it('keeps whole versions from a time on, also when it is interrupted', async () => {
      const cases = fc.tuple(historyArbitrary, historyArbitrary, fc.nat(12), fc.nat(5));
      await fc.assert(
        fc.asyncProperty(cases, async ([first, second, cutDays, runs]) => {
          const histories = [first, second];
          const made = await Promise.all(histories.map(() => newBook(engine)));
          const beginMs = clockMs;
          const expected: { version: number; lines: number; ms: number }[][] = [[], []];
          for (const [index, history] of histories.entries())
            for (const { days, lines } of history) {
              clockMs += days * dayMs + 1;
              const version = await change(made[index]!.id, lines);
              expected[index]!.push({ version, lines, ms: clockMs });
            }
          const before = beginMs + cutDays * dayMs;
          const beforeBooks = await Promise.all(made.map(({ id }) => bookOf(id)));
          const whole = async (): Promise<number[]> => {
            for (const [index, { id }] of made.entries()) {
              const pruned = await engine.read(() => prunedVersion(id));
              const kept = expected[index]!.filter(({ version }) => version > pruned);
              const log = (await logOf(id)).filter(({ version }) => version > pruned);
              const wanted = kept.map(({ version, lines }) => ({ version, lines, entries: 1 }));
              assert.deepEqual(log, wanted);
            }
            return Promise.all(made.map(({ id }) => engine.read(() => prunedVersion(id))));
          };
          const stopping = new AbortController();
          let writes = 0;
          await pruneHistory(
            watched(async () => {
              writes += 1;
              if (writes > runs) stopping.abort();
              await whole();
            }),
            at(before),
            stopping.signal,
          );
          await pruneHistory(engine, at(before), never);
          const pruned = await whole();
          for (const [index, { id }] of made.entries()) {
            const last = expected[index]!.findLast(({ ms }) => ms < before)?.version ?? 0;
            assert.equal(pruned[index], last);
            assert.ok((await logOf(id)).every(({ version }) => version > last));
            assert.deepEqual(await bookOf(id), { ...beforeBooks[index], pruned_version: last });
          }
        }),
        { numRuns: runs(name === 'SQLite' ? 60 : 15) },
      );
    });

    it('prunes large versions and many versions in several transactions', async () => {
      const { id } = await newBook(engine);
      const large = await change(id, 2500);
      await engine.write(function* () {
        for (let each = 0; each < 1100; each += 1) yield* insertTags(id, 1);
      });
      const sizes: number[] = [];
      const entries = async (): Promise<number> =>
        (await logOf(id)).reduce((sum, each) => sum + each.lines + each.entries, 0);
      let left = await entries();
      assert.equal(left, 2500 + 1 + 1100 * 2);
      const counting = watched(async () => {
        const now = await entries();
        sizes.push(left - now);
        left = now;
      });
      clockMs += 31 * dayMs;
      await prune(counting, 30);
      assert.deepEqual(await logOf(id), []);
      assert.ok(Math.max(...sizes) <= 1000, sizes.join());
      const { version, pruned_version } = await bookOf(id);
      assert.deepEqual([version, pruned_version], [large + 1100, large + 1100]);
      const next = await change(id, 3);
      assert.deepEqual(await logOf(id), [{ version: next, lines: 3, entries: 1 }]);
      await prune(engine, 30);
      assert.equal((await logOf(id)).length, 1, 'a change of the last days stays');
    });

    it('leaves changes that can be undone, and refuses those that were pruned', async () => {
      const { id } = await newBook(engine);
      const old = await change(id, 2);
      clockMs += 10 * dayMs;
      const kept = await change(id, 2);
      await prune(engine, 5);
      const undoing = (version: number) =>
        engine.write(() =>
          changing({ bookId: id, actor: 'token 1', operation: 'undo', undoes: version }, (change) =>
            undo(change, version),
          ),
        );
      await assert.rejects(() => undoing(old), NoSuchVersionError);
      await undoing(kept);
      const [left] = await engine.read(() =>
        rows<{ count: number }>(sql`SELECT count(*) AS count FROM tags WHERE book_id = ${id}`),
      );
      assert.equal(left?.count, 2);
    });
  });
