import { fillDemo, exportBook } from '../../packages/server/src/main.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDemoBook } from '../../packages/server/src/demo/make-demo-book.ts';
import { addOwner, inFolder, useStore, type Owner } from '../run/book.ts';
import { acceptedMs, type Check } from '../run/check.ts';
import { cofferProgram, whose } from '../run/coffer.ts';
import { integerFrom, randomFrom, type Random } from '../run/random.ts';
import type { RawRequest } from '../run/raw-connection.ts';
import { startServer, type ServerProcess } from '../run/server-process.ts';
import { startLoad, type LoadOutcome } from './steady-load.ts';
import { SyncedAccounts } from '../run/synced-accounts.ts';

const seed = 16;
const ratePerSecond = 200;
const longestStopMs = 10_000;
/** In this round a client never completes its request, so the server waits as long as it ever does. */
const stuckRound = 10;
const importRows = 20_000;
const syncedAccounts = 4;
/** The duration of the import on an otherwise idle machine. */
const mostImportMs = 1_200;

/** Stops servers under load, and imports, at random moments. */
export const check: Check = {
  id: 'F16',
  rounds: { short: 2, full: 50 },
  run: (rounds) => inFolder((folder) => runRounds(folder, rounds)),
};

interface Book {
  readonly path: string;
  readonly owner: Owner;
  readonly statement: string;
  readonly accounts: SyncedAccounts;
}

async function runRounds(folder: string, rounds: number) {
  const random = randomFrom(seed);
  const book = await makeBook(folder);
  const total = { answered: 0, cut: 0, unanswered: 0, late: 0, whole: 0 };
  const problems: string[] = [];
  const mostStopMs = acceptedMs(longestStopMs, check, rounds);
  let slowestMs = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const importing = importAndStop(book, `importer${round}`, random);
    const {
      load,
      stopMs,
      code,
      problems: writing,
    } = await serveAndStop(book, random, round === stuckRound);
    const { isWhole, problem } = await importing;
    for (const key of ['answered', 'cut', 'unanswered', 'late'] as const) total[key] += load[key];
    total.whole += isWhole ? 1 : 0;
    slowestMs = Math.max(slowestMs, stopMs);
    const found = [...load.faults, ...writing, ...(problem === undefined ? [] : [problem])];
    if (load.cut > 0) found.push(`${load.cut} responses were cut off`);
    if (load.unanswered > 0) found.push(`${load.unanswered} requests were lost`);
    if (code !== 0) found.push(`the server ended with ${code}`);
    if (stopMs > mostStopMs) found.push(`the server took ${Math.round(stopMs)} ms to end`);
    problems.push(...found.map((what) => `round ${round}: ${what}`));
  }
  await book.accounts.close();
  const figure =
    `${rounds} stops, ${total.answered} responses, ${total.cut} cut off, ${total.unanswered} lost, ` +
    `${total.late} requests too late; slowest stop ${Math.round(slowestMs)} ms; ` +
    `${total.whole} of ${rounds} imports complete, the others absent (seed ${seed})`;
  return { figure, problems };
}

async function makeBook(folder: string): Promise<Book> {
  const path = join(folder, 'coffer.db');
  const owner = await useStore(path, async (store) => {
    const made = await addOwner(store, 'owner');
    await fillDemo(store, made.bookId, makeDemoBook({ transactions: 1000 }));
    return made;
  });
  const statement = join(folder, 'statement.csv');
  const rows = Array.from({ length: importRows }, (_, n) => `2025-01-02,Payee ${n},-1.00,Cash\n`);
  await writeFile(statement, `Date,Payee,Amount,Account\n${rows.join('')}`);
  const accounts = await SyncedAccounts.make(path, owner, syncedAccounts);
  return { path, owner, statement, accounts };
}

async function serveAndStop({ path, owner, accounts }: Book, random: Random, isStuck: boolean) {
  const flags = ['--rate-limit', '1000000/60s'];
  const { environment } = accounts;
  const server = await startServer({ database: path, flags, environment });
  try {
    const stuck = isStuck ? await beginRequest(server.port) : undefined;
    const refreshing = refreshUntilStopped(accounts, server);
    const load = startLoad(server.port, ratePerSecond, requestsOf(owner));
    await wait(integerFrom(random, 200, 700));
    const stoppedMs = performance.now();
    load.noteStop();
    const code = await server.end('SIGTERM');
    const stopMs = performance.now() - stoppedMs;
    const outcome: LoadOutcome = await load.done;
    const refreshed = await refreshing;
    stuck?.destroy();
    const { lost, half } = await accounts.compare();
    const problems = refreshed.filter((error) => error.startsWith('Not'));
    if (lost > 0) problems.push(`${lost} acknowledged refreshes were lost`);
    if (half > 0) problems.push(`${half} accounts have balances of two refreshes`);
    return { load: outcome, stopMs, code, problems };
  } finally {
    await server.end('SIGKILL');
  }
}

/** Refreshes accounts one after the other until the server has ended, and returns the final error. */
async function refreshUntilStopped(
  accounts: SyncedAccounts,
  { url }: ServerProcess,
): Promise<string[]> {
  for (let n = 0; ; n += 1) {
    try {
      await accounts.refresh(url, n % syncedAccounts);
    } catch (error) {
      return [(error as Error).message];
    }
  }
}

/** Opens a connection and sends half a request. */
async function beginRequest(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET /v2/me HTTP/1.1\r\nHost: a\r\n');
  return socket;
}

function requestsOf({ token }: Owner): RawRequest[] {
  const targets = ['/v2/me', '/v2/transactions?limit=20', '/v2/categories', '/v2/transactions'];
  return targets.map((target) => ({
    method: 'GET',
    target,
    bytes: Buffer.from(
      `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    ),
  }));
}

/** Imports a file into a new book with the command, stops the command, and checks the content of the book. */
async function importAndStop({ path, statement }: Book, name: string, random: Random) {
  const owner = await useStore(path, (store) => addOwner(store, name));
  const [node = '', ...program] = cofferProgram;
  const args = [...program, 'import', statement, ...whose(owner, path)];
  const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const stop = setTimeout(() => child.kill('SIGTERM'), integerFrom(random, 100, mostImportMs));
  const [code] = await ended;
  clearTimeout(stop);
  const rows = await useStore(path, async (store) => {
    const { transactions } = await exportBook(store, owner.bookId);
    return (await Array.fromAsync(transactions)).length;
  });
  const isWhole = rows === importRows;
  const isAcknowledgedLost = code === 0 && !isWhole;
  const problem =
    (rows === 0 || isWhole) && !isAcknowledgedLost
      ? undefined
      : `an import ended with ${code} and left ${rows} of ${importRows} rows`;
  return { isWhole, problem };
}
