import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { select } from '../../packages/server/src/db/rows.ts';
import { importPreviews, transactions } from '../../packages/server/src/db/tables.ts';
import { ask } from '../run/ask.ts';
import { addOwner, inFolder, useStore, type Owner } from '../run/book.ts';
import { acceptedMs, type Check } from '../run/check.ts';
import { DatabaseResponses } from '../run/database-responses.ts';
import { inspect } from '../run/ledger.ts';
import { readSteadily } from '../run/paced-reads.ts';
import { startServer, type ServerProcess } from '../run/server-process.ts';
import { csvOf, PreviewedFile } from './previewed-file.ts';

const fileRows = { short: 2_000, full: 100_000 };
const slowestReadMs = 100;
const aloneMs = 2000;
const writerPauseMs = 50;
const mostStopMs = 10_000;
/** Rows of the file whose import is ended. */
const endedRows = 5_000;
/** The server is ended until this share of the undisturbed duration of the import. */
const lastShare = 1.2;
const flags = ['--rate-limit', '1000000'];
const paths = ['/v2/me', '/v2/transactions?limit=20', '/v2/categories', '/coffer/imports'];

/** Imports a large file over HTTP while others read and write, and ends the server in the middle of imports. */
export const check: Check = {
  id: 'F33',
  rounds: { short: 2, full: 100 },
  run: (rounds) =>
    inFolder(async (folder) => {
      const served = await serveWhileImporting(folder, rounds);
      const ended = await endOften(folder, rounds);
      return {
        figure: `${served.figure}; ${ended.figure}`,
        problems: [...served.problems, ...ended.problems],
      };
    }),
};

/** Previews, commits and undoes a file of a server while others read and write. */
async function serveWhileImporting(folder: string, rounds: number) {
  const database = join(folder, 'served.db');
  const owner = await useStore(database, (store) => addOwner(store, 'owner'));
  const server = await startServer({ database, flags });
  try {
    const rows = rounds < check.rounds.full ? fileRows.short : fileRows.full;
    const mostMs = acceptedMs(slowestReadMs, check, rounds);
    const file = new PreviewedFile(server.url, owner.token);
    const problems: string[] = [];
    const warm = new DatabaseResponses();
    await write(server, owner, warm);
    // First use loads code, which has nothing to do with the file.
    await importAndUndo(new PreviewedFile(server.url, owner.token), 50, problems);
    const alone = await readBoth(server, owner, sleep(aloneMs));
    const importing = importAndUndo(file, rows, problems);
    const writes = new DatabaseResponses();
    const writing = writeUntil(importing, () => write(server, owner, writes));
    const { reads, health } = await readBoth(server, owner, importing);
    await importing;
    await writing;
    // On a busy machine reads are slow even without an import.
    for (const [what, found, before] of [
      ['reads', reads, alone.reads],
      ['/healthz', health, alone.health],
    ] as const) {
      problems.push(...found.failures);
      if (!(found.p99Ms <= Math.max(mostMs, 2 * before.p99Ms)))
        problems.push(`p99 of ${what} is ${found.p99Ms} ms, ${before.p99Ms} ms just before`);
    }
    problems.push(...writes.problems, ...warm.problems);
    if (writes.succeeded === 0) problems.push('no other write was stored');
    const stored = (await rowsOf(database, owner)).length;
    const expected = writes.succeeded + warm.succeeded;
    if (stored !== expected) problems.push(`${stored} rows after the undo instead of ${expected}`);
    const figure =
      `${rows} rows previewed, imported and undone: p99 of ${reads.count} reads ${reads.p99Ms.toFixed(1)} ms ` +
      `(${alone.reads.p99Ms.toFixed(1)} ms without), of /healthz ${health.p99Ms.toFixed(1)} ms ` +
      `(worst ${health.worstMs.toFixed(0)} ms); ` +
      `${writes.succeeded} other writes stored, ${writes.refused} got 503`;
    return { figure, problems };
  } finally {
    await server.end('SIGKILL');
  }
}

async function readBoth({ url }: ServerProcess, { token }: Owner, until: Promise<unknown>) {
  const [reads, health] = await Promise.all([
    readSteadily(url, token, paths, until),
    readSteadily(url, token, ['/healthz'], until),
  ]);
  return { reads, health };
}

async function importAndUndo(file: PreviewedFile, rows: number, problems: string[]) {
  const expect = (what: string, found: number): void => {
    if (found !== rows) problems.push(`${what} has ${found} of ${rows} rows`);
  };
  await file.preview(csvOf(rows));
  expect('the preview', (await file.shown()).preview?.imported ?? 0);
  await file.startCommit();
  const done = await file.until(({ preview }) => preview?.status !== 'committing');
  expect('the import', done.status === 'imported' ? done.imported : 0);
  await file.startUndo();
  const { status, work } = await file.until((shown) => shown.work?.is_under_way !== true);
  if (status !== 'undone') problems.push(`the undo left it ${status}: ${JSON.stringify(work)}`);
}

/** Adds one transaction that no file has. */
async function write({ url }: ServerProcess, { token }: Owner, answers: DatabaseResponses) {
  const row = { date: '2026-01-01', amount: '1', payee: 'Other' };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ transactions: [row] });
  await answers.time('a write', () =>
    ask(`${url}/v2/transactions`, { method: 'POST', token, headers, body }),
  );
}

async function writeUntil(end: Promise<unknown>, once: () => Promise<void>): Promise<void> {
  const time = { isOver: false };
  const over = (): void => void (time.isOver = true);
  void end.then(over, over);
  while (!time.isOver) {
    await once();
    await sleep(writerPauseMs);
  }
}

async function rowsOf(database: string, { bookId: book_id }: Owner) {
  return useStore(database, (store) => store.read(() => select(transactions, { book_id })));
}

/** A database with a preview, and its owner. */
interface Previewed {
  readonly path: string;
  readonly owner: Owner;
  readonly id: number;
}

/** Ends servers during imports, on copies of one database, by SIGKILL and SIGTERM in turn. */
async function endOften(folder: string, rounds: number) {
  const path = join(folder, 'previewed.db');
  const owner = await useStore(path, (store) => addOwner(store, 'owner'));
  const before = await withServerOn(path, async (server) => {
    const file = new PreviewedFile(server.url, owner.token);
    await file.preview(csvOf(endedRows));
    return { path, owner, id: file.id };
  });
  const wholeMs = await onCopy(before, folder, (copy) =>
    withServerOn(copy, async (server) => {
      const startedAtMs = performance.now();
      const file = new PreviewedFile(server.url, owner.token, before.id);
      await file.startCommit();
      await file.until(({ preview }) => preview?.status !== 'committing');
      return performance.now() - startedAtMs;
    }),
  );
  const found = { absent: 0, complete: 0 };
  const problems: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const signal = round % 2 === 0 ? 'SIGTERM' : 'SIGKILL';
    const afterMs = (wholeMs * lastShare * round) / rounds;
    const wrong = await onCopy(before, folder, async (copy) => [
      ...(await endDuring(copy, before, signal, afterMs)),
      ...inspect(copy).faults,
      ...(await repeat(copy, before, found)),
    ]);
    problems.push(
      ...wrong.map((each) => `round ${round}, ${signal} after ${Math.round(afterMs)} ms: ${each}`),
    );
  }
  const figure =
    `${rounds} servers ended during an import of ${endedRows} rows: ` +
    `${found.absent} absent, ${found.complete} complete`;
  return { figure, problems };
}

async function onCopy<T>({ path }: Previewed, folder: string, work: (copy: string) => Promise<T>) {
  const copy = join(folder, 'copy.db');
  const files = ['', '-wal', '-shm', '-lock'].map((end) => copy + end);
  for (const file of files) rmSync(file, { force: true });
  copyFileSync(path, copy);
  return work(copy);
}

async function withServerOn<T>(database: string, work: (server: ServerProcess) => Promise<T>) {
  const server = await startServer({ database, flags });
  try {
    const result = await work(server);
    await server.end('SIGTERM');
    return result;
  } finally {
    await server.end('SIGKILL');
  }
}

async function endDuring(
  database: string,
  { owner, id }: Previewed,
  signal: 'SIGKILL' | 'SIGTERM',
  afterMs: number,
): Promise<string[]> {
  const server = await startServer({ database, flags });
  try {
    await new PreviewedFile(server.url, owner.token, id).startCommit();
    await sleep(afterMs);
    const startedAtMs = performance.now();
    const code = await server.end(signal);
    const stopMs = performance.now() - startedAtMs;
    if (signal === 'SIGKILL') return [];
    const wrong = code === 0 ? [] : [`the server ended with ${code}: ${server.log()}`];
    if (stopMs > mostStopMs) wrong.push(`the server took ${Math.round(stopMs)} ms to end`);
    return wrong;
  } finally {
    await server.end('SIGKILL');
  }
}

/** Says what is wrong with an import that was ended, and with the same import afterwards. */
async function repeat(
  database: string,
  { owner, id }: Previewed,
  found: { absent: number; complete: number },
): Promise<string[]> {
  const problems: string[] = [];
  const rows = (await rowsOf(database, owner)).length;
  const isComplete = rows === endedRows;
  if (rows > 0 && !isComplete) problems.push(`it left ${rows} of ${endedRows} rows`);
  await withServerOn(database, async (server) => {
    const file = new PreviewedFile(server.url, owner.token, id);
    const { status, preview } = await file.shown();
    const shown = `${status}, ${preview?.status ?? 'no preview'}`;
    const expected = isComplete ? 'imported, no preview' : 'preview, ready';
    if (shown !== expected) problems.push(`it is ${shown} instead of ${expected}`);
    found[isComplete ? 'complete' : 'absent'] += 1;
    if (isComplete) return;
    await file.startCommit();
    await file.until((each) => each.preview?.status !== 'committing');
  });
  const again = (await rowsOf(database, owner)).length;
  if (again !== endedRows) problems.push(`repeated, it left ${again} of ${endedRows} rows`);
  const left = await useStore(database, (store) => store.read(() => select(importPreviews, {})));
  if (left.length > 0) problems.push('its preview is left');
  return problems;
}
