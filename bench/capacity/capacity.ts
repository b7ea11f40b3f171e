import { cpus } from 'node:os';
import { postgresPrograms } from '../../packages/server/src/db/testing/postgres-server.ts';
import { redisPrograms } from '../../packages/server/src/limiter/testing/redis-server.ts';
import { errorOf, predict, type CapacityRun, type RequestCosts } from './costs.ts';
import { writeCapacity } from './scale-document.ts';
import { redisFigure, withSetup, startRelay, type Setup } from './setup.ts';
import { startTogether } from '../../packages/core/src/testing/starts.ts';
import { scatteredPages } from '../measure/book.ts';
import { startCoffer, type ServerProcess } from '../measure/child.ts';
import { sum, machineTimeMs, processorTimeMs } from '../measure/processor-time.ts';
import type { Stamp } from '../report/results.ts';
import type { Figure } from '../report/figure.ts';
import { runLoad } from '../measure/load.ts';

const limit = 100;
const rows = 100_000;
/** Enough to keep every node busy, but few enough for short waits. */
const connections = 16;
const lightConnections = 2;
const rounds = 3;
const requests = 4000;
/** Enough to compile the hot code of a node. */
const warmUps = 2;
const nodeCounts = [1, 2, 4];

/**
 * Measures the costs of a page of 100 on one node at light load, predicts the rate of 1, 2 and 4 nodes at full load,
 * and measures that rate. All share this machine with PostgreSQL, Redis and the client. Writes the result to its file
 * and to the document about scale.
 */
export async function measureCapacity({ date, commit, inShort }: Stamp): Promise<Figure[]> {
  if (postgresPrograms() === null || redisPrograms().length === 0 || process.platform !== 'linux') {
    console.log('  the capacity model is not checked: missing: postgres or redis-server on Linux');
    return [];
  }
  const run = await withSetup(rows, async (setup): Promise<CapacityRun> => {
    const starting = Array.from({ length: Math.max(...nodeCounts) }, () => startNode(setup));
    const nodes = await startTogether<ServerProcess[]>(...starting);
    try {
      for (let round = 0; round < warmUps; round += 1) await load(setup, nodes, connections);
      const request = await measureRequest(setup, nodes.slice(0, 1));
      const checks = await checkAll(setup, nodes, request);
      return { processors: cpus().length, costs: { request, storage: setup.storage }, checks };
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
    }
  });
  writeCapacity({ date, commit, machine: inShort, run });
  return figuresOf(run);
}

function figuresOf({ checks }: CapacityRun): Figure[] {
  const worst = (name: string, errors: readonly number[]): Figure => {
    const value = 100 * Math.max(...errors.map(Math.abs));
    return { name: `capacity: worst error of the ${name}`, value, unit: '%', atMost: 50 };
  };
  const rates = checks.map((each) => errorOf(each.predictedPerSecond, each.measuredPerSecond));
  const cpu = checks.map((each) => errorOf(each.predictedCpuMs, each.measuredCpuMs));
  const detail = (what: string, value: number): Figure => {
    return { name: `capacity: ${what}`, value, unit: 'requests a second', isDetail: true };
  };
  return [
    ...checks.flatMap(({ nodes, predictedPerSecond, measuredPerSecond }) => [
      detail(`${nodes} nodes, predicted`, predictedPerSecond),
      detail(`${nodes} nodes, measured`, measuredPerSecond),
    ]),
    worst('rate', rates),
    worst('processor time', cpu),
  ];
}

function startNode(setup: Pick<Setup, 'url' | 'redis'>): Promise<ServerProcess> {
  return startCoffer(setup.url, 0, { REDIS_URL: setup.redis.url });
}

async function usedSoFar({ postgres, redis }: Setup, nodes: readonly ServerProcess[]) {
  const usages = await Promise.all(nodes.map((node) => node.usage()));
  const { user, system } = process.cpuUsage();
  const redisSeconds =
    (await redisFigure(redis, 'cpu', 'used_cpu_user')) +
    (await redisFigure(redis, 'cpu', 'used_cpu_sys'));
  return {
    node: sum(usages.map(({ cpuMs }) => cpuMs)),
    postgres: processorTimeMs(postgres.process.pid ?? 0),
    redis: redisSeconds * 1000,
    client: (user + system) / 1000,
  };
}

interface Load {
  readonly costs: Omit<RequestCosts, 'postgresTrips' | 'redisCommands' | 'postgresBytes'>;
  readonly perSecond: number;
  /** The processors that nothing else used. */
  readonly processors: number;
}

/** Returns the bytes of all bodies. */
function ask({ token }: Setup, nodes: readonly ServerProcess[], count: number, under: number) {
  const paths = scatteredPages(rows, limit);
  const ports = nodes.map(({ port }) => port);
  return runLoad({ ports, token, paths, requests: count, connections: under });
}

async function load(setup: Setup, nodes: readonly ServerProcess[], under: number): Promise<Load> {
  const before = await usedSoFar(setup, nodes);
  const machineBefore = machineTimeMs();
  const startedMs = performance.now();
  const bytes = await ask(setup, nodes, requests, under);
  const wallMs = performance.now() - startedMs;
  const after = await usedSoFar(setup, nodes);
  const names = ['node', 'postgres', 'redis', 'client'] as const;
  const used = names.map((name) => after[name] - before[name]);
  const othersMs = machineTimeMs() - machineBefore - sum(used);
  const [nodeMs = 0, postgresMs = 0, redisMs = 0, clientMs = 0] = used.map((ms) => ms / requests);
  return {
    costs: { nodeMs, postgresMs, redisMs, clientMs, bodyBytes: bytes / requests },
    perSecond: (requests / wallMs) * 1000,
    processors: cpus().length - Math.max(0, othersMs) / wallMs,
  };
}

async function measureRequest(setup: Setup, one: readonly ServerProcess[]): Promise<RequestCosts> {
  await load(setup, one, lightConnections);
  const loads = [];
  for (let round = 0; round < rounds; round += 1)
    loads.push(await load(setup, one, lightConnections));
  const { costs } = loads.toSorted((a, b) => serversMs(a) - serversMs(b))[0]!;
  return { ...costs, ...(await countRoundTrips(setup)) };
}

function serversMs({ costs: { nodeMs, postgresMs, redisMs } }: Load): number {
  return nodeMs + postgresMs + redisMs;
}

async function countRoundTrips(setup: Setup) {
  const relay = await startRelay(setup.url, setup.folder);
  const node = await startNode({ ...setup, url: relay.url });
  const calls = (): Promise<number> => redisFigure(setup.redis, 'commandstats', 'cmdstat_evalsha');
  // The first requests prepare statements.
  await ask(setup, [node], 50, 1);
  const before = { ...relay.counted, calls: await calls() };
  await ask(setup, [node], 200, 1);
  const after = { ...relay.counted, calls: await calls() };
  await node.stop();
  await relay.close();
  return {
    postgresTrips: (after.trips - before.trips) / 200,
    postgresBytes: (after.bytes - before.bytes) / 200,
    redisCommands: (after.calls - before.calls) / 200,
  };
}

/** Measures each number of nodes in turn; the round with the least other work on the machine counts. */
async function checkAll(setup: Setup, nodes: readonly ServerProcess[], costs: RequestCosts) {
  const best = new Map<number, Load>();
  for (let round = 0; round < rounds; round += 1) {
    for (const count of nodeCounts) {
      const measured = await load(setup, nodes.slice(0, count), connections);
      const known = best.get(count);
      if (known === undefined || measured.processors > known.processors) best.set(count, measured);
    }
  }
  return nodeCounts.map((count) => {
    const measured = best.get(count)!;
    const { processors, perSecond: measuredPerSecond } = measured;
    const known = {
      nodes: count,
      processors,
      measuredPerSecond,
      measuredCpuMs: serversMs(measured),
    };
    return { ...known, ...predict(costs, count, processors) };
  });
}
