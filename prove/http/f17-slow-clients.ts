import { fork } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { endProgram } from '../../packages/core/src/testing/starts.ts';
import { fillDemo } from '../../packages/server/src/main.ts';
import { makeDemoBook } from '../../packages/server/src/demo/make-demo-book.ts';
import { runProgram } from '../../test/service/coffer.ts';
import { useStore } from '../../test/service/owners.ts';
import type { Check, Outcome } from '../run/check.ts';
import { commandsMissing } from '../run/commands.ts';
import { readSteadily, type ReadTimes } from '../run/paced-reads.ts';
import { withServer, type Served } from '../../test/service/server-process.ts';
import type { SlowKind, SlowNews } from './slow-clients.ts';

/** With this many connections, the check waits for over a minute until the server closes them. */
const patientFrom = 2_000;
const usualClients = 4;
const paths = ['/v2/me', '/v2/transactions?limit=20', '/v2/categories', '/v2/transactions/1'];
/** The longest time that each kind may hold a connection, by docs/operate/limits.md; slow reading has no limit. */
const mostHeldMs: Readonly<Record<SlowKind, number>> = {
  silent: 15_000,
  header: 15_000,
  body: 30_000,
  // The response comes at once; then the server waits for the rest of the request.
  'unwanted body': 30_000,
  // These do not read, so they cannot see the close; the descriptors of the server show it.
  unread: Infinity,
  'slow reader': Infinity,
};
/** After this time the server must have closed connections that read nothing. */
const patienceMs = 67_000;
const openTimeoutMs = 120_000;
const settleTimeoutMs = 10_000;
const fdsToSpare = 5;

export const check: Check = {
  id: 'F17',
  rounds: { short: 120, full: patientFrom },
  run: (connections) =>
    withServer({ flags: ['--rate-limit', '1000000000/24h'] }, async (served) => {
      await useStore(served.database, (store) =>
        fillDemo(store, served.owner.bookId, makeDemoBook({ transactions: 2_000 })),
      );
      return attempt(served, connections);
    }),
};

async function attempt(served: Served, connections: number): Promise<Outcome> {
  const { server, owner } = served;
  const isPatient = connections >= patientFrom;
  const measure = (until: Promise<unknown>): Promise<ReadTimes> =>
    readSteadily(server.url, owner.token, paths, until, usualClients);
  const measureUsual = (): Promise<ReadTimes> => measure(wait(isPatient ? 5_000 : 700));
  await measure(wait(500));
  const before = await measureUsual();
  const fdsBefore = fdsOf(server.pid);
  const attack = holdConnections(served, connections, isPatient);
  const beside = await measure(attack);
  const held = await attack;
  const fdsAfter = await settledFds(server.pid, fdsBefore);
  const after = await measureUsual();
  const figures = [
    `p99 ${ms(before)} before, ${ms(beside)} with ${connections} slow connections, ${ms(after)} after`,
    `descriptors ${fdsBefore} before, ${fdsAfter} after`,
  ];
  const problems = [...before.failures, ...beside.failures, ...heldTooLong(held.longestMs)];
  // The short form runs among other tests, whose load says nothing about the server.
  if (isPatient && isTooSlow([before, after], beside)) problems.push(`p99 rose to ${ms(beside)}`);
  if (fdsAfter > fdsBefore + fdsToSpare)
    problems.push(`${fdsBefore} descriptors became ${fdsAfter}`);
  if (isPatient) {
    figures.push(`held ${listOf(held.longestMs)}`);
    problems.push(...heldForEver(held, fdsBefore + Math.ceil(connections / 6) + fdsToSpare));
  }
  if (isPatient && commandsMissing({ ...check, needs: ['slowhttptest'] }).length === 0) {
    const tools = runTools(server.url);
    const besideTools = await measure(tools);
    const usual = [after, await measureUsual()];
    problems.push(...(await tools), ...besideTools.failures);
    if (isTooSlow(usual, besideTools))
      problems.push(`p99 rose to ${ms(besideTools)} with slowhttptest`);
    figures.push(`p99 ${ms(besideTools)} with slowhttptest`);
  }
  return { figure: figures.join('; '), problems };
}

interface Held {
  readonly longestMs: ReadonlyMap<SlowKind, number>;
  /** Kinds with connections that were still open at the end although the server limits them. */
  readonly stillHeld: readonly SlowKind[];
  /** The descriptors of the server before the clients disconnect. */
  readonly fdsAtLast: number;
}

async function holdConnections({ server, owner }: Served, count: number, isPatient: boolean) {
  const script = join(import.meta.dirname, 'slow-clients.ts');
  const child = fork(script, [String(server.port), owner.token, String(count)]);
  const longestMs = new Map<SlowKind, number>();
  const closed = new Map<SlowKind, number>();
  const { promise: opened, resolve, reject } = Promise.withResolvers<undefined>();
  child.once('exit', () => reject(new Error('The slow clients ended')));
  child.on('message', (news: SlowNews) => {
    if ('opened' in news) resolve(undefined);
    else {
      longestMs.set(news.kind, Math.max(longestMs.get(news.kind) ?? 0, news.heldMs));
      closed.set(news.kind, (closed.get(news.kind) ?? 0) + 1);
    }
  });
  let fdsAtLast = 0;
  const deadline = setTimeout(() => reject(new Error('No slow clients')), openTimeoutMs);
  try {
    await opened;
    await wait(isPatient ? patienceMs : 2_000);
    fdsAtLast = fdsOf(server.pid);
  } finally {
    clearTimeout(deadline);
    await endProgram(child);
  }
  const kinds = Object.keys(mostHeldMs) as SlowKind[];
  const stillHeld = kinds.filter(
    (kind) =>
      Number.isFinite(mostHeldMs[kind]) &&
      (closed.get(kind) ?? 0) < Math.floor(count / kinds.length),
  );
  return { longestMs, stillHeld, fdsAtLast };
}

function heldForEver({ stillHeld, fdsAtLast }: Held, mostFds: number): string[] {
  const problems = stillHeld.map((kind) => `${kind}: still held`);
  if (fdsAtLast > mostFds)
    problems.push(`${fdsAtLast} descriptors when only slow readers may be connected`);
  return problems;
}

function heldTooLong(longestMs: Held['longestMs']): string[] {
  return [...longestMs]
    .filter(([kind, heldMs]) => heldMs > mostHeldMs[kind])
    .map(([kind, heldMs]) => `${kind}: held ${Math.round(heldMs)} ms`);
}

function listOf(longestMs: Held['longestMs']): string {
  return [...longestMs]
    .map(([kind, heldMs]) => `${kind} ${(heldMs / 1000).toFixed(1)} s`)
    .join(', ');
}

/** `usual` are the times without slow clients, before and after, because the load of the machine may change. */
function isTooSlow(usual: readonly ReadTimes[], beside: ReadTimes): boolean {
  return !(beside.p99Ms <= 2 * Math.max(...usual.map(({ p99Ms }) => p99Ms)) + 50);
}

function ms({ p99Ms }: ReadTimes): string {
  return `${p99Ms.toFixed(1)} ms`;
}

function fdsOf(pid: number): number {
  return existsSync(`/proc/${pid}/fd`) ? readdirSync(`/proc/${pid}/fd`).length : 0;
}

async function settledFds(pid: number, before: number): Promise<number> {
  for (let waitedMs = 0; waitedMs < settleTimeoutMs; waitedMs += 100) {
    if (fdsOf(pid) <= before + fdsToSpare) break;
    await wait(100);
  }
  return fdsOf(pid);
}

async function runTools(url: string): Promise<string[]> {
  const usual = ['-c', '600', '-r', '67', '-i', '1', '-l', '20', '-p', '3'];
  const modes = [
    ['-H', '-u', `${url}/healthz`],
    ['-B', '-t', 'POST', '-s', '8192', '-u', `${url}/v2/me`],
    ['-X', '-k', '5', '-w', '10', '-y', '20', '-n', '5', '-z', '32', '-u', `${url}/openapi.json`],
  ];
  const said = await Promise.all(
    modes.map((mode) => runProgram(['slowhttptest', ...usual, ...mode])),
  );
  return said.flatMap(({ stdout }, n) => {
    const text = stdout.replaceAll(/\x1b\[[0-9;]*m/g, '');
    return /service available:\s+YES/.test(text) && !/service available:\s+NO/.test(text)
      ? []
      : [`slowhttptest ${modes[n]![0]}: the service was not available`];
  });
}
