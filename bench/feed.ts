/*
 * Measures the change feed on both engines: `node bench/feed.ts`. Ends with 1 when a goal is missed.
 *
 * The book has 100,000 imported transactions, one line of the log, and then 500,000 changes of single ones. Times
 * are processor time, with that of PostgreSQL's processes, because a busy machine stretches the others.
 */
import { positionAfter, readChanges } from '../packages/server/src/changes/feed.ts';
import { updateUnlogged } from '../packages/server/src/changes/unlogged.ts';
import { BookWatch } from '../packages/server/src/changes/watch.ts';
import { insertMany } from '../packages/server/src/db/engine.ts';
import { books } from '../packages/server/src/db/tables.ts';
import type { Book, Engine } from '../packages/server/src/main.ts';
import { presentValues } from '../packages/server/src/resources/changes/present-values.ts';
import { createToken } from '../packages/server/src/resources/users/actions.ts';
import { newToken } from '../packages/server/src/resources/users/token.ts';
import { onBothEngines, withDatabase } from './measure/engines.ts';
import { meanCpuMs } from './measure/processor-time.ts';
import { openBook } from './measure/workspace.ts';
import { isMet, printFigure, type Figure } from './report/figure.ts';

const rows = 100_000;
const versions = 500;
const linesOfVersion = 1000;
const rounds = { warmUps: 10, rounds: 50 };
const waiters = 1000;

/** Measures a feed of 1,000 changes, a rare kind of record, and what 1,000 waiting clients cost. */
async function measureFeed(url: string, name: string, serverPid: number | null): Promise<Figure[]> {
  const { engine, book } = await openBook(url, rows);
  const first = await engine.read(() => readChanges(book.id, positionAfter(1), 1, 'transactions'));
  const last = await log(engine, book, first.changes[0]!.id);
  const feed = (after: number, record?: string): Promise<number> =>
    meanCpuMs(serverPid, rounds, async () => {
      await engine.read(function* () {
        const page = yield* readChanges(book.id, positionAfter(after), 1000, record);
        const values = yield* presentValues(book.id, page.changes);
        return values.length;
      });
    });
  const figure = (what: string, value: number, atMost?: number): Figure => ({
    ...{ name: `${name}: ${what}`, value, unit: 'ms', ...(atMost !== undefined && { atMost }) },
  });
  const figures = [
    figure('1,000 created records', await feed(1), 20),
    figure('1,000 changed records', await feed(last - 200), 20),
    figure('nothing new', await feed(last), 5),
    figure('a kind without changes in 500,000', await feed(2, 'tags')),
    figure(`a look for ${waiters} waiting clients`, await look(engine, book, serverPid)),
  ];
  await engine.close();
  return figures;
}

async function log(engine: Engine, book: Book, firstId: number): Promise<number> {
  const [begin, at] = [100, '2026-01-01T00:00:00.000Z'];
  for (let version = begin; version < begin + versions; version += 1)
    await engine.write(function* () {
      const lines = Array.from({ length: linesOfVersion }, (_, place) => {
        const id = firstId + ((version * linesOfVersion + place * 7) % rows);
        const diff = '{"notes":[null,"n"]}';
        return [book.id, version, place, 'transactions', id, id, 'changed', diff];
      });
      yield* insertMany(
        'changes',
        ['book_id', 'version', 'at', 'actor', 'operation'],
        [[book.id, version, at, 'token 1', 'updateTransactions']],
      );
      yield* insertMany(
        'changed_records',
        ['book_id', 'version', 'place', 'record', 'first_id', 'last_id', 'kind', 'diff'],
        lines,
      );
      yield* updateUnlogged(books, { id: book.id }, { version });
    });
  return begin + versions - 1;
}

async function look(engine: Engine, book: Book, serverPid: number | null): Promise<number> {
  const tokens = await engine.write(function* () {
    const ids: number[] = [];
    for (let count = 0; count < waiters; count += 1) {
      const { hash } = newToken();
      const token = { userId: book.userId, bookId: book.id, hash, label: null, expiresAt: null };
      ids.push(yield* createToken(token));
    }
    return ids;
  });
  const version = await engine.read(function* () {
    return (yield* readChanges(book.id, positionAfter(1), 1)).position.version;
  });
  return meanCpuMs(serverPid, rounds, async () => {
    // All see another version at the first look.
    const watch = new BookWatch(engine, { nowMs: () => 0, sleep: () => Promise.resolve() });
    const { signal } = new AbortController();
    const wait = { version: version + 1_000_000, untilMs: 1, signal };
    await Promise.all(tokens.map((callerId) => watch.wait({ ...wait, callerId })));
  });
}

await withDatabase(undefined, async (folder) => {
  const figures = await onBothEngines(folder, measureFeed);
  for (const figure of figures) console.log(printFigure(figure));
  process.exitCode = figures.every(isMet) ? 0 : 1;
});
