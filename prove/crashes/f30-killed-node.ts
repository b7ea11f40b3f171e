import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { exportBook } from '../../packages/server/src/main.ts';
import { makeModelBook, type ModelBook } from '../../test/nodes/model-book.ts';
import { killNodes, startNodes, startShared, until, type Node } from '../../test/nodes/nodes.ts';
import { proxies, type LogLine, type Proxy } from '../../test/nodes/proxies.ts';
import { startTraffic, type Traffic } from '../../test/nodes/traffic.ts';
import { addOwner, inFolder, useStore, type Owner } from '../run/book.ts';
import type { Check } from '../run/check.ts';
import { coffer } from '../run/coffer.ts';
import { batchOf, importBatches, Ledger, type Batches } from '../run/ledger.ts';
import { integerFrom, randomFrom, type Random } from '../run/random.ts';
import { SyncedAccounts } from '../run/synced-accounts.ts';

const seed = 30;
const accountCount = 4;
const bookRows = 500;
const killAfterMs = { least: 200, most: 800 };
/** The requests that the other node must serve before the killed node starts again. */
const readsMeanwhile = 60;
const writesMeanwhile = 8;
const filesOfImport = 40;
const rowCounts = [5, 40, 300] as const;

/** Kills one of two nodes behind nginx and HAProxy in turn, during reads and writes. */
export const check: Check = {
  id: 'F30',
  needs: ['postgres', 'nginx', 'haproxy', 'redis-server'],
  rounds: { short: 1, full: 20 },
  run: (rounds) => inFolder((folder) => killOften(folder, rounds)),
};

/** The totals of all rounds. */
interface Total {
  reads: number;
  writes: number;
  imports: number;
  lost: number;
  half: number;
  failedReads: number;
  failedWrites: number;
  readonly problems: string[];
}

/** The nodes, their data, and the load on them. */
interface Pool {
  readonly folder: string;
  readonly database: string;
  readonly nodes: readonly Node[];
  readonly book: ModelBook;
  readonly writer: Owner;
  readonly importer: Owner;
  readonly accounts: SyncedAccounts;
  readonly written: number[];
  readonly ledger: Ledger;
  readonly random: Random;
}

async function killOften(folder: string, rounds: number) {
  const shared = await startShared();
  const { database } = shared;
  let nodes: Node[] = [];
  let accounts: SyncedAccounts | undefined;
  const total: Total = {
    reads: 0,
    writes: 0,
    imports: 0,
    lost: 0,
    half: 0,
    failedReads: 0,
    failedWrites: 0,
    problems: [],
  };
  try {
    const book = await makeModelBook(database, bookRows);
    const { writer, importer } = await useStore(database, async (store) => ({
      writer: await addOwner(store, 'writer'),
      importer: await addOwner(store, 'importer'),
    }));
    accounts = await SyncedAccounts.make(database, writer, accountCount);
    const flags = ['--rate-limit', '1000000'];
    nodes = await startNodes(shared, { flags, environment: accounts.environment });
    const pool: Pool = {
      folder,
      database,
      nodes,
      book,
      writer,
      importer,
      accounts,
      written: Array.from({ length: accountCount }, () => 0),
      ledger: new Ledger(),
      random: randomFrom(seed),
    };
    for (let round = 1; round <= rounds; round += 1) {
      const found = await killOne(pool, round, total);
      total.problems.push(...found.map((what) => `kill ${round}: ${what}`));
    }
    total.problems.push(...(await lossesOf(pool, total)));
  } finally {
    await killNodes(nodes);
    await accounts?.close();
    await shared.stop();
  }
  return { figure: figureOf(total, rounds), problems: total.problems };
}

function figureOf(total: Total, rounds: number): string {
  const { reads, writes, imports, lost, half, failedReads, failedWrites } = total;
  return (
    `${rounds} kills behind nginx and HAProxy in turn: ${reads} reads, ${writes} refreshes and ${imports} imports ` +
    `acknowledged, ${lost} lost, ${half} partial; ${failedReads} reads and ${failedWrites} writes in flight failed (seed ${seed})`
  );
}

async function killOne(pool: Pool, round: number, total: Total): Promise<string[]> {
  const { nodes, book, accounts, writer, written, random } = pool;
  const killed = nodes[round % nodes.length]!;
  const proxy = await (round % 4 < 2 ? proxies.haproxy : proxies.nginx)(
    nodes.map(({ port }) => port),
  );
  const importing = startImporting(pool, round);
  const traffic = startTraffic({
    url: proxy.url,
    book,
    accounts,
    accountOwner: writer,
    accountCount,
    written,
    seed: seed * 1000 + round,
  });
  try {
    await underLoad(traffic, readsMeanwhile, writesMeanwhile);
    await importing.begun;
    await wait(integerFrom(random, killAfterMs.least, killAfterMs.most));
    const killedMs = performance.now();
    await killed.end('SIGKILL');
    const goneMs = performance.now();
    await underLoad(traffic, readsMeanwhile, writesMeanwhile);
    await killed.start();
    const seen = countAt(proxy, killed);
    await until(() => countAt(proxy, killed) > seen, 'the proxy uses the node again');
    await traffic.stop();
    note(traffic, total);
    return [
      ...problemsOf(traffic, killedMs, goneMs),
      ...strayErrors(proxy.log(), killed),
      ...traffic.wrong,
    ];
  } finally {
    await traffic.stop();
    await importing.stop();
    await proxy.stop();
  }
}

/** Resolves when so many more reads and writes have succeeded. */
async function underLoad(traffic: Traffic, reads: number, writes: number): Promise<void> {
  const before = { reads: traffic.reads(), writes: traffic.writes() };
  await until(
    () => traffic.reads() >= before.reads + reads && traffic.writes() >= before.writes + writes,
    'reads and writes continue',
  );
}

function note(traffic: Traffic, total: Total): void {
  total.reads += traffic.reads();
  total.writes += traffic.writes();
  const failedReads = traffic.failures.filter(({ method }) => method === 'GET').length;
  total.failedReads += failedReads;
  total.failedWrites += traffic.failures.length - failedReads;
}

/** Returns the failures of requests that were not in flight when the node was killed. */
function problemsOf({ failures }: Traffic, killedMs: number, goneMs: number): string[] {
  return failures
    .filter(({ beganMs, endedMs }) => endedMs < killedMs || beganMs > goneMs)
    .map(
      ({ what, beganMs }) => `failed ${Math.round(beganMs - killedMs)} ms after the kill: ${what}`,
    );
}

/** Returns the errors that the proxy sent for a node that was not killed. */
function strayErrors(log: readonly LogLine[], killed: Node): string[] {
  return log
    .filter(({ status, port }) => status >= 500 && port !== killed.port)
    .map(({ method, status, port }) => `${status} to a ${method} by the node at ${port}`);
}

function countAt(proxy: Proxy, { port }: Node): number {
  return proxy.log().filter((line) => line.port === port).length;
}

/** Imports one file after the other into a separate book, in a separate process. */
function startImporting({ folder, database, importer, ledger }: Pool, round: number) {
  const place = join(folder, `round-${round}`);
  mkdirSync(place);
  const counts = Array.from({ length: filesOfImport }, (_, n) => rowCounts[n % rowCounts.length]!);
  const { email } = importer;
  const job = { folder: place, database, email, rowCounts: counts };
  const { kill, done, begun } = importBatches(ledger, job);
  const stop = async (): Promise<void> => {
    kill();
    await done;
  };
  return { begun, stop };
}

/** Returns how the database differs from the acknowledged writes, at the end. */
async function lossesOf({ database, accounts, importer, ledger }: Pool, total: Total) {
  const balances = await accounts.compare();
  const batches = await batchesIn(database, importer);
  const files = ledger.compare(batches);
  total.imports = ledger.acknowledged;
  total.lost = balances.lost + files.lost;
  total.half = balances.half + files.half;
  const doctor = await coffer('doctor', '--database', database);
  return [
    ...(total.lost > 0 ? [`${total.lost} acknowledged writes are lost`] : []),
    ...(total.half > 0 ? [`${total.half} writes are partial`] : []),
    ...(doctor.code === 0 ? [] : [`the doctor reports: ${doctor.stdout}${doctor.stderr}`]),
  ];
}

async function batchesIn(database: string, { bookId }: Owner): Promise<Batches> {
  return useStore(database, async (store) => {
    const batches = new Map<number, number>();
    const { transactions } = await exportBook(store, bookId);
    for await (const { payee } of transactions) {
      const batch = batchOf(payee);
      if (batch !== undefined) batches.set(batch, (batches.get(batch) ?? 0) + 1);
    }
    return batches;
  });
}
