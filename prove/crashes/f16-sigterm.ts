import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDemoBook } from '../../packages/server/src/demo/book/make-demo-book.ts';
import { exportBook } from '../../packages/server/src/exports/lists/export.ts';
import { exportedTransactions } from '../../packages/server/src/exports/lists/testing/exported.ts';
import { fillDemo } from '../../packages/server/src/demo/fill.ts';
import { newAddress } from '../../test/service/http-exchange.ts';
import { killCoffer, whose } from '../../test/service/coffer.ts';
import { addOwner, inFolder, useStore, type Owner } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { withSynced, type ServerProcess, type Synced } from '../../test/service/server-process.ts';
import { acceptedMs, counted, named, timed, type Check } from '../run/check.ts';
import { lossProblems } from '../run/ledger.ts';
import { RawConnection, type RawRequest } from '../run/raw-connection.ts';

const seed = 16;
const ratePerSecond = 200;
const longestStopMs = 10_000;
/** In this round a client never completes its request, so the server waits as long as it ever does. */
const stuckRound = 10;
const importRows = 20_000;
const syncedAccounts = 4;
/** The duration of the import on an otherwise idle machine. */
const mostImportMs = 1_200;

export const check: Check = {
  id: 'F16',
  rounds: { short: 2, full: 50 },
  run: (rounds) =>
    inFolder(async (folder) => {
      const database = join(folder, 'coffer.db');
      const statement = join(folder, 'statement.csv');
      const rows = Array.from(
        { length: importRows },
        (_, n) => `2025-01-02,Payee ${n},-1.00,Cash\n`,
      );
      await writeFile(statement, `Date,Payee,Amount,Account\n${rows.join('')}`);
      const flags = ['--rate-limit', '1000000/60s'];
      return withSynced({ database, flags }, syncedAccounts, async (synced) => {
        const { bookId } = synced.owner;
        await useStore(database, (store) =>
          fillDemo(store, bookId, makeDemoBook({ transactions: 1000 })),
        );
        return runRounds({ database, statement, synced }, rounds);
      });
    }),
};

interface Book {
  readonly database: string;
  readonly statement: string;
  readonly synced: Synced;
}

async function runRounds(book: Book, rounds: number) {
  const random = randomFrom(seed);
  const total = { answered: 0, cut: 0, unanswered: 0, late: 0, whole: 0 };
  const problems: string[] = [];
  const mostStopMs = acceptedMs(longestStopMs, check, rounds);
  let slowestMs = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const importing = importAndStop(book, `importer${round}`, random);
    const { load, stopMs, code, lost } = await serveAndStop(book, random, round === stuckRound);
    const imported = await importing;
    for (const key of ['answered', 'cut', 'unanswered', 'late'] as const) total[key] += load[key];
    total.whole += imported.isWhole ? 1 : 0;
    slowestMs = Math.max(slowestMs, stopMs);
    const found = [...load.faults, ...lost, ...imported.problems];
    found.push(...counted(load.cut, 'responses were cut off'));
    found.push(...counted(load.unanswered, 'requests were lost'));
    if (code !== 0) found.push(`the server ended with ${code}`);
    if (stopMs > mostStopMs) found.push(`the server took ${Math.round(stopMs)} ms to end`);
    problems.push(...named(`round ${round}`, found));
  }
  const figure =
    `${rounds} stops, ${total.answered} responses, ${total.cut} cut off, ${total.unanswered} lost, ` +
    `${total.late} requests too late; slowest stop ${Math.round(slowestMs)} ms; ` +
    `${total.whole} of ${rounds} imports complete, the others absent (seed ${seed})`;
  return { figure, problems };
}

function serveAndStop(
  { synced: { owner, accounts, serve } }: Book,
  random: Random,
  stuck: boolean,
) {
  return serve(async (server) => {
    const socket = stuck ? await beginRequest(server.port) : undefined;
    const refreshing = refreshUntilStopped(accounts, server);
    const running = startLoad(server.port, ratePerSecond, requestsOf(owner));
    await wait(integerFrom(random, 200, 700));
    running.noteStop();
    const [stopMs, code] = await timed(() => server.end('SIGTERM'));
    const load = await running.done;
    const last = await refreshing;
    socket?.destroy();
    const wrong = last.startsWith('Not') ? [last] : [];
    const lost = [...wrong, ...lossProblems(await accounts.compare(), 'refreshes')];
    return { load, stopMs, code, lost };
  });
}

async function refreshUntilStopped(accounts: Synced['accounts'], { url }: ServerProcess) {
  for (let n = 0; ; n += 1) {
    try {
      await accounts.refresh(url, n % syncedAccounts);
    } catch (error) {
      return (error as Error).message;
    }
  }
}

async function beginRequest(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET /v2/me HTTP/1.1\r\nHost: a\r\n');
  return socket;
}

function requestsOf({ token }: Owner): RawRequest[] {
  const targets = ['/v2/me', '/v2/transactions?limit=20', '/v2/categories', '/v2/transactions'];
  const fields = `Host: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
  return targets.map((target) => ({
    method: 'GET',
    target,
    bytes: Buffer.from(`GET ${target} HTTP/1.1\r\n${fields}\r\n`),
  }));
}

async function importAndStop({ database, statement }: Book, name: string, random: Random) {
  const owner = await useStore(database, (store) => addOwner(store, name));
  const args = ['import', statement, ...whose(owner, database)];
  const { code } = await killCoffer(args, integerFrom(random, 100, mostImportMs), 'SIGTERM');
  const rows = await useStore(database, async (store) => {
    return (await exportedTransactions(await exportBook(store, owner.bookId))).length;
  });
  const isWhole = rows === importRows;
  const isRight = isWhole || (rows === 0 && code !== 0);
  const problem = `an import ended with ${code} and left ${rows} of ${importRows} rows`;
  return { isWhole, problems: isRight ? [] : [problem] };
}

const keptConnections = 16;
const freshShare = 10;

function startLoad(port: number, ratePerSecond: number, requests: readonly RawRequest[]) {
  // Cut off are responses that did not end; late are requests after the signal, which a client repeats.
  const counts = { answered: 0, cut: 0, unanswered: 0, late: 0 };
  const faults: string[] = [];
  const kept: RawConnection[] = [];
  let isStopping = false;
  let isOver = false;
  const one = async (request: RawRequest, isFresh: boolean): Promise<void> => {
    const connection = (isFresh ? undefined : kept.pop()) ?? new RawConnection(port, newAddress());
    const wasStopping = isStopping;
    const { answers, rest, isClosed, wasOpen } = await connection.send([request]);
    const [answer] = answers;
    if (!wasOpen) isOver = isStopping;
    if (answer !== undefined) {
      counts.answered += 1;
      if (answer.status >= 500) faults.push(`${answer.status} to ${request.target}`);
      const isLast = isClosed || answer.lines['connection']?.includes('close') === true;
      if (!isLast && !isFresh && kept.length < keptConnections) kept.push(connection);
      else connection.close();
    } else if (rest !== '') counts.cut += 1;
    else if (wasOpen && wasStopping) counts.late += 1;
    else if (!wasStopping) counts.unanswered += 1;
  };
  const run = async () => {
    const underWay: Promise<void>[] = [];
    const startedMs = performance.now();
    for (let n = 0; !isOver; n += 1) {
      const dueMs = startedMs + (n * 1000) / ratePerSecond - performance.now();
      if (dueMs > 1) await wait(dueMs);
      underWay.push(one(requests[n % requests.length]!, n % freshShare === 0));
    }
    await Promise.all(underWay);
    for (const connection of kept) connection.close();
    return { ...counts, faults };
  };
  return { noteStop: () => void (isStopping = true), done: run() };
}
