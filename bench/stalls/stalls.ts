import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCoffer, type ServerProcess } from '../measure/child.ts';
import { onPostgres, settle } from '../measure/engines.ts';
import type { PartPlan } from '../measure/plan.ts';
import { forgetMostMemory, memoryOf, processorTimeMs } from '../measure/processor-time.ts';
import type { Figure } from '../report/figure.ts';
import { sendTo, succeeding } from './client.ts';
import { commandsOf } from './commands.ts';
import { fillBooks, type FilledBooks } from './fill.ts';
import { measureMix } from './mix.ts';
import { longest, startProbes, type AllProbed, type Probes } from './probes.ts';
import { requestsOf, type Group } from './requests.ts';
import { printStall, writeStalls, type EngineName, type Stall, type Stalls } from './table.ts';

const fullRows = 1_000_000;
const quietMs = 5000;
/** The probes warm the server up, which runs its first jobs and loads the rest of its code meanwhile. */
const warmUpMs = 10_000;

/**
 * Measures how long others wait during each request to a book with `rows` transactions, and what the request costs. A
 * thread of its own probes the server. PostgreSQL has half of the rows. Each engine ends with a mix of ten users.
 */
export async function measureStalls({ folder, rows, stamp, choice }: PartPlan): Promise<Figure[]> {
  const kept = choice.keep ?? folder;
  mkdirSync(kept, { recursive: true });
  const engines: Partial<Record<EngineName, Stalls>> = {};
  if (choice.engine !== 'postgres') {
    const master = join(kept, `stalls-${rows}.db`);
    const filled = await fillBooks(`sqlite:${master}`, rows);
    const path = choice.keep === undefined ? master : join(folder, 'stalls.db');
    if (path !== master) copyFileSync(master, path);
    engines.SQLite = await measureEngine({
      url: `sqlite:${path}`,
      filled,
      pid: null,
      folder,
      choice,
    });
  }
  if (choice.engine !== 'sqlite')
    await onPostgres(async (server, pid) => {
      const url = await server.newDatabase();
      const filled = await fillBooks(url, rows / 2);
      await settle(url);
      engines.PostgreSQL = await measureEngine({ url, filled, pid, folder, choice });
    });
  const isFull = rows === fullRows && Object.values(choice).every((each) => each === undefined);
  writeStalls({ stamp, rows, engines }, isFull ? null : join(kept, 'stalls.json'));
  return Object.entries(engines).flatMap(([engine, stalls]) => figuresOf(engine, stalls));
}

interface Subject extends Pick<PartPlan, 'folder' | 'choice'> {
  readonly url: string;
  readonly filled: FilledBooks;
  /** Of the database server. */
  readonly pid: number | null;
}

async function measureEngine({ url, filled, pid, folder, choice }: Subject): Promise<Stalls> {
  const { only } = choice;
  const server = await startCoffer(url, 0, {
    PRICES_URL: 'http://127.0.0.1:1',
    BENCH_HELD: '1',
    BENCH_LOG_LEVEL: 'error',
  });
  const probes = startProbes(server.port, filled.probe);
  try {
    await delay(warmUpMs);
    const measure = await measurer(server, probes, pid);
    const groups = [
      ...requestsOf(filled.owner, succeeding(sendTo(server.port, filled.owner.token))),
      ...commandsOf(url, folder, filled.removed),
    ];
    const stalls: Stall[] = [];
    for (const group of groups.filter((each) => isWanted(each, only)))
      stalls.push(...(await measureGroup(group, measure)));
    const seconds = Number(choice.mix ?? (only === undefined ? 300 : 0));
    const mix = seconds === 0 ? null : await measureMix(server.port, filled, probes, seconds);
    return { stalls, mix };
  } finally {
    await probes.stop();
    await server.stop();
  }
}

function isWanted(group: Group, only: string | undefined): boolean {
  return only === undefined || Object.keys(group).some((name) => new RegExp(only).test(name));
}

type Measure = (name: string, work: () => Promise<unknown>) => Promise<Stall>;

async function measureGroup(group: Group, measure: Measure): Promise<Stall[]> {
  const stalls: Stall[] = [];
  for (const [name, work] of Object.entries(group)) {
    const stall = await measure(name, work);
    printStall(stall);
    stalls.push(stall);
    // What follows in the group needs this one.
    if (stall.error !== null) break;
  }
  return stalls;
}

/** Returns a function that measures one request, without the processor time of the probes, found in quiet seconds. */
async function measurer(
  server: ServerProcess,
  probes: Probes,
  pid: number | null,
): Promise<Measure> {
  const cpuMs = async () => {
    const database = pid === null ? 0 : processorTimeMs(pid);
    const { cpuMs: own, heldMs = 0 } = await server.usage();
    return { own, heldMs, database };
  };
  const raw = async (work: () => Promise<unknown>) => {
    await probes.take();
    forgetMostMemory(server.pid);
    const before = await cpuMs();
    const startedMs = performance.now();
    const error = await work().then(
      () => null,
      (thrown: unknown) => String(thrown),
    );
    const wallMs = performance.now() - startedMs;
    const after = await cpuMs();
    const probed = await probes.take();
    const peakMB = Math.round(memoryOf(server.pid, 'VmHWM') / 2 ** 20);
    const used = { own: after.own - before.own, database: after.database - before.database };
    return { error, wallMs, used, probed, heldMs: after.heldMs, peakMB };
  };
  const quiet = await raw(() => delay(quietMs));
  const perProbe = (ms: number): number => ms / countOf(quiet.probed);
  return async (name, work) => {
    const { used, probed, ...measured } = await raw(work);
    const without = (all: number, ofQuiet: number): number =>
      Math.max(0, all - perProbe(ofQuiet) * countOf(probed));
    return {
      name,
      ...measured,
      cpuMs: without(used.own, quiet.used.own),
      databaseCpuMs: without(used.database, quiet.used.database),
      meMs: longest(probed.me),
      healthzMs: longest(probed.healthz),
      writeMs: longest(probed.write),
      writes: probed.write.ms.length,
      writesRefused: probed.write.refused,
    };
  };
}

function countOf({ me, healthz, write }: AllProbed): number {
  return me.ms.length + healthz.ms.length + write.ms.length;
}

function figuresOf(engine: string, { stalls, mix }: Stalls): Figure[] {
  const worst = (name: 'meMs' | 'healthzMs' | 'writeMs' | 'writesRefused'): number =>
    Math.max(0, ...stalls.map((stall) => stall[name]));
  const failed = stalls.filter(({ error }) => error !== null).length;
  const figures: readonly (readonly [name: string, value: number, unit: string, atMost: number])[] =
    [
      ['longest wait of /v2/me beside a request', worst('meMs'), 'ms', 50],
      ['longest wait of /healthz', worst('healthzMs'), 'ms', 50],
      ['longest wait of a write', worst('writeMs'), 'ms', 30_000],
      ['writes that were refused', worst('writesRefused'), 'writes', 0],
      ['requests that failed', failed, 'requests', 0],
      ...(mix === null
        ? []
        : [['p99 of /v2/me beside ten users', mix.meP99Ms, 'ms', 100] as const]),
    ];
  return figures.map(([name, value, unit, atMost]) => {
    return { name: `stalls, ${engine}: ${name}`, value, unit, atMost };
  });
}
