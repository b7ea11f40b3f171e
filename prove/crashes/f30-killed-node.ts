import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeModelBook, type ModelBook } from '../../test/nodes/model-book.ts';
import { killNodes, startNodes, startShared, until, type Node } from '../../test/nodes/nodes.ts';
import { proxies, type LogLine, type Proxy } from '../../test/nodes/proxies.ts';
import { startTraffic, type Traffic } from '../../test/nodes/traffic.ts';
import { addOwner, inFolder, useStore, type Owner } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { withSynced, type Synced } from '../../test/service/server-process.ts';
import { named, type Check, type Outcome } from '../run/check.ts';
import {
  batchesIn,
  doctorProblems,
  importBatches,
  Ledger,
  lossProblems,
  sumOfLosses,
} from '../run/ledger.ts';

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
  run: (rounds) =>
    inFolder(async (folder) => {
      const shared = await startShared();
      const { database } = shared;
      try {
        return await withSynced({ database }, accountCount, async (synced) => {
          const { environment } = synced.accounts;
          const nodes = await startNodes(shared, {
            flags: ['--rate-limit', '1000000'],
            environment,
          });
          try {
            const book = await makeModelBook(database, bookRows);
            const importer = await useStore(database, (store) => addOwner(store, 'importer'));
            const random = randomFrom(seed);
            const ledger = new Ledger();
            const written = Array.from({ length: accountCount }, () => 0);
            const all = { folder, database, nodes, book, synced, importer, ledger, random };
            return await killOften({ ...all, written }, rounds);
          } finally {
            await killNodes(nodes);
          }
        });
      } finally {
        await shared.stop();
      }
    }),
};

interface Pool {
  readonly folder: string;
  readonly database: string;
  readonly nodes: readonly Node[];
  readonly book: ModelBook;
  readonly synced: Synced;
  readonly importer: Owner;
  readonly written: number[];
  readonly ledger: Ledger;
  readonly random: Random;
}

async function killOften(pool: Pool, rounds: number): Promise<Outcome> {
  const { database, synced, importer, ledger } = pool;
  const total = { reads: 0, writes: 0, failedReads: 0, failedWrites: 0 };
  const problems: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const { traffic, found } = await killOne(pool, round);
    const failedReads = traffic.failures.filter(({ method }) => method === 'GET').length;
    total.reads += traffic.reads();
    total.writes += traffic.writes();
    total.failedReads += failedReads;
    total.failedWrites += traffic.failures.length - failedReads;
    problems.push(...named(`kill ${round}`, found));
  }
  const batches = await useStore(database, (store) => batchesIn(store, importer.bookId));
  const losses = sumOfLosses(await synced.accounts.compare(), ledger.compare(batches));
  problems.push(...lossProblems(losses), ...(await doctorProblems(database)));
  const { reads, writes, failedReads, failedWrites } = total;
  const figure =
    `${rounds} kills behind nginx and HAProxy in turn: ${reads} reads, ${writes} refreshes and ` +
    `${ledger.acknowledged.size} imports acknowledged, ${losses.lost} lost, ${losses.half} partial; ` +
    `${failedReads} reads and ${failedWrites} writes in flight failed (seed ${seed})`;
  return { figure, problems };
}

async function killOne(pool: Pool, round: number) {
  const { nodes, book, synced, written, random } = pool;
  const killed = nodes[round % nodes.length]!;
  const startProxy = round % 4 < 2 ? proxies.haproxy : proxies.nginx;
  const proxy = await startProxy(nodes.map(({ port }) => port));
  const importing = startImporting(pool, round);
  const traffic = startTraffic({
    url: proxy.url,
    book,
    accounts: synced.accounts,
    accountOwner: synced.owner,
    accountCount,
    written,
    seed: seed * 1000 + round,
  });
  try {
    await underLoad(traffic);
    await importing.begun;
    await wait(integerFrom(random, killAfterMs.least, killAfterMs.most));
    const killedMs = performance.now();
    await killed.end('SIGKILL');
    const goneMs = performance.now();
    await underLoad(traffic);
    await killed.start();
    const seen = countAt(proxy, killed);
    await until(() => countAt(proxy, killed) > seen, 'the proxy uses the node again');
    await traffic.stop();
    const strays = strayErrors(proxy.log(), killed);
    const found = [...problemsOf(traffic, killedMs, goneMs), ...strays, ...traffic.wrong];
    return { traffic, found };
  } finally {
    await traffic.stop();
    importing.kill();
    await importing.done;
    await proxy.stop();
  }
}

async function underLoad(traffic: Traffic): Promise<void> {
  const [reads, writes] = [traffic.reads() + readsMeanwhile, traffic.writes() + writesMeanwhile];
  await until(
    () => traffic.reads() >= reads && traffic.writes() >= writes,
    'reads and writes continue',
  );
}

function problemsOf({ failures }: Traffic, killedMs: number, goneMs: number): string[] {
  return failures
    .filter(({ beganMs, endedMs }) => endedMs < killedMs || beganMs > goneMs)
    .map(
      ({ what, beganMs }) => `failed ${Math.round(beganMs - killedMs)} ms after the kill: ${what}`,
    );
}

function strayErrors(log: readonly LogLine[], killed: Node): string[] {
  return log
    .filter(({ status, port }) => status >= 500 && port !== killed.port)
    .map(({ method, status, port }) => `${status} to a ${method} by the node at ${port}`);
}

function countAt(proxy: Proxy, { port }: Node): number {
  return proxy.log().filter((line) => line.port === port).length;
}

function startImporting({ folder, database, importer: { email }, ledger }: Pool, round: number) {
  const place = join(folder, `round-${round}`);
  mkdirSync(place);
  const batches = Array.from({ length: filesOfImport }, (_, n) =>
    ledger.send(rowCounts[n % rowCounts.length]!),
  );
  return importBatches(ledger, { folder: place, database, email, batches });
}
