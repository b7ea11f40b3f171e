import { join } from 'node:path';
import sql from 'sql-template-tag';
import { pruneHistory } from '../../packages/server/src/changes/retention.ts';
import { insertMany, run } from '../../packages/server/src/db/engine.ts';
import { undoImport, type Engine } from '../../packages/server/src/main.ts';
import { bookOf } from '../../packages/server/src/resources/users/actions.ts';
import { onBothEngines } from '../measure/engines.ts';
import { meanCpuMs, cpuMs, sum } from '../measure/processor-time.ts';
import { startApp, type Send } from '../measure/requests.ts';
import { openBook, importRows } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { writingThrough } from './without-log.ts';
import { measureWriteCost } from './write-cost.ts';

export async function measureHistory(folder: string): Promise<Figure[]> {
  return [
    ...(await measureWriteCost(folder)),
    ...(await measureUndoAndPruning(folder)),
    ...(await measureReads(folder)),
  ];
}

const changes = 1_000_000;
const chunk = 10_000;
const tokens = 5;
const rounds = { warmUps: 5, rounds: 100 };
const fed = 1000;

/**
 * Measures pages of the history of a book with a million changes, and a feed of the last 1,000 of them, on both
 * engines. Times are processor time, with that of PostgreSQL's processes.
 */
function measureReads(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (url, name, serverPid) => {
    const { engine, book, token } = await openBook(url);
    for (let from = 2; from < 2 + changes; from += chunk)
      await engine.write(() => addChanges(book.id, from));
    const send = startApp(engine, token);
    const figure = async (what: string, path: string, atMost: number): Promise<Figure> => {
      const value = await meanCpuMs(serverPid, rounds, () => send('GET', path));
      return { name: `${name}: ${what}`, value, unit: 'ms', atMost };
    };
    const history = '/coffer/history?limit=100';
    const figures = [
      await figure('newest page of the history, a million changes', history, 5),
      await figure('page in the middle of the history', `${history}&before=${changes / 2}`, 5),
      await figure('page of the history of one record', `${history}&record=tags&id=77`, 5),
    ];
    const after = await addTransactions(engine, book.id, send);
    const feed = `/coffer/changes?after=${after}&limit=${fed}`;
    const { changes: found } = JSON.parse(await send('GET', feed)) as { changes: unknown[] };
    if (found.length !== fed) throw new Error(`The feed has ${found.length} changes`);
    figures.push(await figure('feed of 1,000 changes', feed, 20));
    await engine.close();
    return figures;
  });
}

function* addChanges(bookId: number, from: number) {
  const versions = Array.from({ length: chunk }, (_, at) => from + at);
  const timeOf = (version: number): string => new Date(1.6e12 + version * 60_000).toISOString();
  yield* insertMany(
    'changes',
    ['book_id', 'version', 'at', 'actor', 'operation'],
    versions.map((each) => [
      ...[bookId, each, timeOf(each), `token ${1 + (each % tokens)}`, 'updateTag'],
    ]),
  );
  yield* insertMany(
    'changed_records',
    ['book_id', 'version', 'place', 'record', 'first_id', 'last_id', 'kind', 'diff'],
    versions.map((each) => [
      ...[bookId, each, 0, 'tags', 1 + (each % 1000), 1 + (each % 1000), 'changed'],
      `{"name":["Name ${each - 1}","Name ${each}"]}`,
    ]),
  );
  const last = versions.at(-1)!;
  yield* run(
    sql`UPDATE books SET version = ${last}, changed_at = ${timeOf(last)} WHERE id = ${bookId}`,
  );
}

async function addTransactions(engine: Engine, bookId: number, send: Send): Promise<number> {
  const one = { date: '2026-01-01', amount: '1.00', payee: 'Someone' };
  const ids: number[] = [];
  for (let sent = 0; sent < fed; sent += 500) {
    const body = { transactions: Array.from({ length: 500 }, () => one) };
    const { transactions } = JSON.parse(await send('POST', '/v2/transactions', body)) as {
      transactions: { id: number }[];
    };
    ids.push(...transactions.map(({ id }) => id));
  }
  const { version } = await engine.read(() => bookOf(bookId));
  for (const id of ids) await send('PUT', `/v2/transactions/${id}`, { notes: `Note ${id}` });
  return version;
}

const rows = 100_000;

/**
 * Measures the undo of an import of 100,000 rows, and then how fast the log of the undo is pruned, which has every row.
 * The pauses between the transactions are not counted.
 */
async function measureUndoAndPruning(folder: string): Promise<Figure[]> {
  const { engine, book } = await openBook(`sqlite:${join(folder, 'undo.db')}`);
  const { importId } = await importRows(engine, book, rows);
  const cause = { bookId: book.id, actor: 'command', operation: 'bench' };
  const undoMs = await cpuMs(() => undoImport(engine, cause, importId!, 'refuse'));
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
    { name: 'undo of an import of 100,000 rows', value: undoMs / 1000, unit: 's', atMost: 5 },
    { name: 'pruning of the log', value: perSecond, unit: 'lines a CPU second' },
    { name: 'longest transaction of the pruning', value: longest, unit: 'ms', atMost: 50 },
  ];
}
