import { join } from 'node:path';
import sql from 'sql-template-tag';
import { insertMany, run } from '../../packages/server/src/db/engine.ts';
import { openDatabase, parseDatabase } from '../../packages/server/src/main.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import { durable, makeToken } from '../postgres/postgres.ts';
import { meanProcessorTimeMs } from '../measure/processor-time.ts';
import type { Figure } from '../report/figure.ts';
import { onlyBook } from '../measure/walks.ts';
import { startApp } from '../measure/bench-app.ts';
import type { Send } from '../measure/bench-app.ts';

const changes = 1_000_000;
const chunk = 10_000;
const tokens = 5;
const rounds = { warmUps: 5, rounds: 100 };
const fed = 1000;

/**
 * Measures pages of the history of a book with a million changes, and a feed of the last 1,000 of them, on both
 * engines. Times are processor time, with that of PostgreSQL's processes.
 */
export async function measureReads(folder: string): Promise<Figure[]> {
  const figures = await measureEngine(`sqlite:${join(folder, 'reads.db')}`, 'SQLite', null);
  if (postgresPrograms() === null || process.platform !== 'linux') return figures;
  const server = await startPostgres(durable);
  try {
    const pid = server.process.pid ?? 0;
    return [...figures, ...(await measureEngine(await server.newDatabase(), 'PostgreSQL', pid))];
  } finally {
    await server.stop();
  }
}

async function measureEngine(
  url: string,
  name: string,
  serverPid: number | null,
): Promise<Figure[]> {
  const engine = await openDatabase(parseDatabase(url));
  const token = await makeToken(engine);
  const { id } = await onlyBook(engine);
  for (let from = 2; from < 2 + changes; from += chunk)
    await engine.write(() => addChanges(id, from));
  const send = startApp(engine, token);
  const pages = {
    'newest page of the history, a million changes': '/coffer/history?limit=100',
    'page in the middle of the history': `/coffer/history?limit=100&before=${changes / 2}`,
    'page of the history of one record': '/coffer/history?limit=100&record=tags&id=77',
  };
  const figures: Figure[] = [];
  const msOf = (path: string): Promise<number> =>
    meanProcessorTimeMs(serverPid, rounds, () => send('GET', path));
  const goal = { unit: 'ms', atMost: 5 } as const;
  for (const [what, path] of Object.entries(pages))
    figures.push({ name: `${name}: ${what}`, value: await msOf(path), ...goal });
  const after = await addTransactions(engine, send);
  const feed = `/coffer/changes?after=${after}&limit=${fed}`;
  const { changes: found } = JSON.parse(await send('GET', feed)) as { changes: unknown[] };
  if (found.length !== fed) throw new Error(`The feed has ${found.length} changes`);
  const ms = await msOf(feed);
  figures.push({ name: `${name}: feed of 1,000 changes`, value: ms, unit: 'ms', atMost: 20 });
  await engine.close();
  return figures;
}

/** Adds changes of single tags, as their log has them. */
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

/** Creates transactions and changes each of them once. Returns the version before the changes. */
async function addTransactions(engine: Engine, send: Send): Promise<number> {
  const one = { date: '2026-01-01', amount: '1.00', payee: 'Someone' };
  const ids: number[] = [];
  for (let sent = 0; sent < fed; sent += 500) {
    const body = { transactions: Array.from({ length: 500 }, () => one) };
    const { transactions } = JSON.parse(await send('POST', '/v2/transactions', body)) as {
      transactions: { id: number }[];
    };
    ids.push(...transactions.map(({ id }) => id));
  }
  const { version } = await onlyBook(engine);
  for (const id of ids) await send('PUT', `/v2/transactions/${id}`, { notes: `Note ${id}` });
  return version;
}
