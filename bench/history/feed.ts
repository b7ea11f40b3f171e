import { positionAfter, readChanges } from '../../packages/server/src/history/feed/changes.ts';
import { BookWatch } from '../../packages/server/src/book/watch.ts';
import type { Book } from '../../packages/server/src/operations/caller.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { presentValues } from '../../packages/server/src/history/records.ts';
import { createToken, newToken } from '../../packages/server/src/identity/users/actions.ts';
import { onBothEngines } from '../measure/engines.ts';
import { meanCpuMs } from '../measure/processor-time.ts';
import { openBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { writeLog } from './log.ts';

const rows = 100_000;
const begin = 100;
const last = begin + 499;
const linesOfVersion = 1000;
const rounds = { warmUps: 10, rounds: 50 };
const waiters = 1000;

/**
 * Measures a feed of 1,000 changes, a rare kind of record, and what 1,000 waiting clients cost. The book has 100,000
 * imported transactions, one line of the log, and then 500,000 changes of single ones.
 */
export function measureFeed(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (url, name, serverPid) => {
    const { engine, book } = await openBook(url, rows);
    const first = await engine.read(() =>
      readChanges(book.id, positionAfter(1), 1, 'transactions'),
    );
    const changed = (version: number) =>
      Array.from({ length: linesOfVersion }, (_, place) => {
        const id = first.changes[0]!.id + ((version * linesOfVersion + place * 7) % rows);
        return ['transactions', id, id, 'changed', '{"notes":[null,"n"]}'];
      });
    for (let version = begin; version <= last; version += 1)
      await engine.write(() => writeLog(book.id, [version], changed));
    const feed = (after: number, record?: string): Promise<number> =>
      meanCpuMs(serverPid, rounds, async () => {
        await engine.read(function* () {
          const page = yield* readChanges(book.id, positionAfter(after), 1000, record);
          const values = yield* presentValues(book.id, page.changes);
          return values.length;
        });
      });
    const figure = (what: string, value: number, atMost?: number): Figure => {
      return { name: `${name}: ${what}`, value, unit: 'ms', atMost };
    };
    const figures = [
      figure('feed of 1,000 created records', await feed(1), 20),
      figure('feed of 1,000 changes', await feed(last - 200), 20),
      figure('feed without changes', await feed(last), 5),
      figure('feed of a kind without changes in 500,000', await feed(2, 'tags')),
      figure(`a look for ${waiters} waiting clients`, await look(engine, book, serverPid)),
    ];
    await engine.close();
    return figures;
  });
}

async function look(engine: Engine, book: Book, serverPid: number | null): Promise<number> {
  const callers: number[] = [];
  await engine.write(function* () {
    const token = { userId: book.userId, bookId: book.id, label: null, expiresAt: null };
    for (let count = 0; count < waiters; count += 1)
      callers.push(yield* createToken({ ...token, hash: newToken().hash }));
  });
  return meanCpuMs(serverPid, rounds, async () => {
    // All see another version at the first look.
    const watch = new BookWatch(engine, { nowMs: () => 0, sleep: () => Promise.resolve() });
    const { signal } = new AbortController();
    const wait = { version: last + 1_000_000, untilMs: 1, signal };
    await Promise.all(callers.map((callerId) => watch.wait({ ...wait, callerId })));
  });
}
