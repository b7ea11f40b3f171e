import { join } from 'node:path';
import sql from 'sql-template-tag';
import { changing, type Cause } from '../../packages/server/src/book/change.ts';
import { pruneHistory } from '../../packages/server/src/book/retention.ts';
import { BookWatch } from '../../packages/server/src/book/watch.ts';
import { insertMany, row, run } from '../../packages/server/src/db/engine.ts';
import type { Engine, Steps } from '../../packages/server/src/db/engine.ts';
import { find, select } from '../../packages/server/src/db/rows.ts';
import { books, manualAccounts, transactions } from '../../packages/server/src/db/tables/tables.ts';
import { positionAfter, readChanges } from '../../packages/server/src/history/feed/changes.ts';
import { presentValues } from '../../packages/server/src/history/records.ts';
import { undoChange } from '../../packages/server/src/history/undo/actions.ts';
import { createToken, newToken } from '../../packages/server/src/identity/users/actions.ts';
import { undoImport } from '../../packages/server/src/imports/operations/records.ts';
import { removeAccount } from '../../packages/server/src/ledger/remove.ts';
import { updateTransactions } from '../../packages/server/src/ledger/transactions/writes.ts';
import type { Book } from '../../packages/server/src/operations/caller.ts';
import { onBothEngines, settle } from '../measure/engines.ts';
import { cpuMs, meanCpuMs, sum } from '../measure/processor-time.ts';
import { startApp, writesOf, type Writes } from '../measure/requests.ts';
import { measureInTurns } from '../measure/turns.ts';
import { openBook, importRows } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { droppingLog, withoutLog, writingThrough } from './without-log.ts';

const rows = 100_000;

export async function measureHistory(folder: string): Promise<Figure[]> {
  return [
    ...(await measureWriteCost(folder)),
    ...(await measureUndo(folder)),
    ...(await measurePruning(folder)),
    ...(await measureReads(folder)),
    ...(await measureFeed(folder)),
  ];
}

const changes = 1_000_000;
const chunk = 10_000;
const rounds = { warmUps: 5, rounds: 100 };

/**
 * Measures pages of the history of a book with a million changes on both engines. Times are processor time, with that
 * of PostgreSQL's processes.
 */
function measureReads(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (url, name, serverPid) => {
    const { engine, book, token } = await openBook(url);
    const renamed = (version: number) => {
      const id = 1 + (version % 1000);
      return [['tags', id, id, 'changed', `{"name":["Name ${version - 1}","Name ${version}"]}`]];
    };
    for (let from = 2; from < 2 + changes; from += chunk) {
      const versions = Array.from({ length: chunk }, (_, at) => from + at);
      await engine.write(() => writeLog(book.id, versions, renamed));
    }
    const send = startApp(engine, token);
    const figure = async (what: string, query: string): Promise<Figure> => {
      const path = `/coffer/history?limit=100${query}`;
      const value = await meanCpuMs(serverPid, rounds, () => send('GET', path));
      return { name: `${name}: ${what}`, value, unit: 'ms', atMost: 5 };
    };
    const figures = [
      await figure('newest page of the history, a million changes', ''),
      await figure('page in the middle of the history', `&before=${changes / 2}`),
      await figure('page of the history of one record', '&record=tags&id=77'),
    ];
    await engine.close();
    return figures;
  });
}

/**
 * Measures how fast the log of the undo of an import of 100,000 rows is pruned, which has every row. The pauses between
 * the transactions are not counted.
 */
async function measurePruning(folder: string): Promise<Figure[]> {
  const { engine, book } = await openBook(`sqlite:${join(folder, 'undo.db')}`);
  const { importId } = await importRows(engine, book, rows);
  const cause = { bookId: book.id, actor: 'command', operation: 'bench' };
  await undoImport(engine, cause, importId!, 'refuse');
  const times: number[] = [];
  const write: Engine['write'] = async (steps, options) => {
    const before = process.cpuUsage();
    const result = await engine.write(steps, options);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    return result;
  };
  const { signal } = new AbortController();
  await pruneHistory(writingThrough(engine, write), '9999-01-01', signal);
  await engine.close();
  const perSecond = (rows / sum(times)) * 1000;
  const longest = Math.max(...times);
  return [
    { name: 'pruning of the log', value: perSecond, unit: 'lines a CPU second' },
    { name: 'longest transaction of the pruning', value: longest, unit: 'ms', atMost: 50 },
  ];
}

const rowsBefore = 20_000;
/** The processor time of another process is known in units of 10 ms. */
const plans = { own: { requests: 1, rounds: 60 }, database: { requests: 12, rounds: 7 } };
const kinds = ['insert', 'update to one value', 'update to own values', 'delete'] as const;
type Kind = (typeof kinds)[number];

/**
 * Compares requests that insert, update and delete 500 transactions with the same requests without a change log. Rows
 * that are updated to one value share a line of the log; each row with its own values has its own line. The unit is the
 * processor time of the process, and of the database server.
 */
function measureWriteCost(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (url, engineName, serverPid) => {
    const { requests, rounds } = serverPid === null ? plans.own : plans.database;
    const { engine, token } = await openBook(url, rowsBefore);
    await settle(url);
    const usual = await writesOf(startApp(engine, token));
    const bare = await writesOf(startApp(droppingLog(engine), token));
    const samples = await measureInTurns(
      {
        'with ': () => runRound(usual, requests, serverPid),
        'without ': () => withoutLog(() => runRound(bare, requests, serverPid)),
      },
      { rounds, warmUps: 2 },
    );
    await engine.close();
    const prefix = engineName === 'SQLite' ? '' : `${engineName}: `;
    return kinds.map((kind) => {
      const name = `${prefix}${kind} of 500 against one without change log`;
      const atMost = kind === 'delete' ? undefined : 1.15;
      return samples.times(name, `with ${kind}`, `without ${kind}`, { atMost });
    });
  });
}

async function runRound(
  { insert, update, remove }: Writes,
  requests: number,
  serverPid: number | null,
): Promise<Record<Kind, number>> {
  const inserted: number[][] = [];
  const inTurn = async (valuesOf: (at: number) => object): Promise<void> => {
    const ids = inserted.shift()!;
    await update(ids, valuesOf);
    inserted.push(ids);
  };
  const works: Record<Kind, () => Promise<unknown>> = {
    insert: async () => inserted.push(await insert(500)),
    'update to one value': () => inTurn(() => ({ status: 'reviewed' })),
    'update to own values': () => inTurn((at) => ({ amount: at, notes: `Note ${at}` })),
    delete: () => remove(inserted.shift()!),
  };
  const costs = {} as Record<Kind, number>;
  for (const kind of kinds)
    costs[kind] = await cpuMs(async () => {
      for (let each = 0; each < requests; each += 1) await works[kind]();
    }, serverPid);
  return costs;
}

/**
 * Measures the undo of large changes, and the undo of these undos, against the import of the same rows in the same run:
 * processor time a row, with that of PostgreSQL's processes. The changes are the import, the removal of an account with
 * its transactions, whose ids are scattered, and new amounts and notes for all transactions.
 */
function measureUndo(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (url, engineName, serverPid) => {
    const { engine, book } = await openBook(url);
    const cause = { bookId: book.id, actor: 'command', operation: 'bench' };
    const ofRow = async (count: number, work: () => Promise<unknown>): Promise<number> => {
      await settle(url);
      return (await cpuMs(work, serverPid)) / count;
    };
    const importMs = await ofRow(rows, () => importRows(engine, book, rows));
    const figures: Figure[] = [];
    const addUndos = async (name: string, count: number): Promise<void> => {
      for (const undo of ['undo', 'undo of the undo']) {
        const version = await versionOf(engine, book.id);
        const ms = await ofRow(count, () => undoChange(engine, cause, version, { mode: 'refuse' }));
        const value = ms / importMs;
        const what = `${undo} of ${name} against an import, a row`;
        figures.push({ name: `${engineName}: ${what}`, value, unit: 'times', atMost: 2 });
      }
    };
    await addUndos('an import', rows);
    await changeAll(engine, cause);
    await addUndos('changed amounts and notes', rows);
    await addUndos('the removal of an account', await removeOne(engine, cause));
    await engine.close();
    return figures;
  });
}

async function versionOf(engine: Engine, id: number): Promise<number> {
  return (await engine.read(() => find(books, { id })))!.version;
}

async function changeAll(engine: Engine, cause: Cause): Promise<void> {
  const all = await engine.read(() => select(transactions, { book_id: cause.bookId }));
  const updates = all.map((before) => {
    const amount = before.amount + 10_000;
    return { before, columns: { amount, to_base: amount, notes: `Note ${before.id}` } };
  });
  await engine.write(() => changing(cause, (change) => updateTransactions(change, updates)));
}

/** Removes an account with its transactions, and returns how many they were. */
async function removeOne(engine: Engine, cause: Cause): Promise<number> {
  const [account] = await engine.read(() => select(manualAccounts, { book_id: cause.bookId }));
  const counted = await engine.read(() =>
    row<{ count: number }>(sql`SELECT COUNT(*) AS count FROM transactions
      WHERE book_id = ${cause.bookId} AND manual_account_id = ${account!.id}`),
  );
  await engine.write(() =>
    changing(cause, (change) => removeAccount(change, account!, { items: true })),
  );
  return counted!.count;
}

const begin = 100;
const last = begin + 499;
const linesOfVersion = 1000;
const feedRounds = { warmUps: 10, rounds: 50 };
const waiters = 1000;

/**
 * Measures a feed of 1,000 changes, a rare kind of record, and what 1,000 waiting clients cost. The book has 100,000
 * imported transactions, one line of the log, and then 500,000 changes of single ones.
 */
function measureFeed(folder: string): Promise<Figure[]> {
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
      meanCpuMs(serverPid, feedRounds, async () => {
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
  return meanCpuMs(serverPid, feedRounds, async () => {
    // All see another version at the first look.
    const watch = new BookWatch(engine, { nowMs: () => 0, sleep: () => Promise.resolve() });
    const { signal } = new AbortController();
    const wait = { version: last + 1_000_000, untilMs: 1, signal };
    await Promise.all(callers.map((callerId) => watch.wait({ ...wait, callerId })));
  });
}

const tokens = 5;
const columns = ['book_id', 'version', 'place', 'record', 'first_id', 'last_id', 'kind', 'diff'];

/** Writes versions that no request has made; the lines of each are the columns from `record` on. */
function* writeLog(
  bookId: number,
  versions: readonly number[],
  linesOf: (version: number) => readonly (readonly (string | number)[])[],
): Steps<void> {
  const timeOf = (version: number): string => new Date(1.6e12 + version * 60_000).toISOString();
  yield* insertMany(
    'changes',
    ['book_id', 'version', 'at', 'actor', 'operation'],
    versions.map((each) => [bookId, each, timeOf(each), `token ${1 + (each % tokens)}`, 'update']),
  );
  const lines = versions.flatMap((each) =>
    linesOf(each).map((line, place) => [bookId, each, place, ...line]),
  );
  yield* insertMany('changed_records', columns, lines);
  const last = versions.at(-1)!;
  yield* run(
    sql`UPDATE books SET version = ${last}, changed_at = ${timeOf(last)} WHERE id = ${bookId}`,
  );
}
