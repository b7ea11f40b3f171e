import { fork } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { endProgram } from '../../packages/core/src/testing/starts.ts';
import { fillDemo } from '../../packages/server/src/demo/fill.ts';
import { makeDemoBook } from '../../packages/server/src/demo/book/make-demo-book.ts';
import { useStore } from '../../test/service/owners.ts';
import type { Check, Outcome } from '../run/check.ts';
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
  const problems = [...before.failures, ...beside.failures];
  for (const [kind, heldMs] of held.longestMs)
    if (heldMs > mostHeldMs[kind]) problems.push(`${kind}: held ${Math.round(heldMs)} ms`);
  // The load of the machine may change. The short form runs among other tests, so it does not compare.
  const mostMs = 2 * Math.max(before.p99Ms, after.p99Ms) + 50;
  if (isPatient && !(beside.p99Ms <= mostMs)) problems.push(`p99 rose to ${ms(beside)}`);
  if (fdsAfter > fdsBefore + fdsToSpare)
    problems.push(`${fdsBefore} descriptors became ${fdsAfter}`);
  if (isPatient) {
    for (const [kind, heldMs] of held.longestMs)
      figures.push(`${kind} held ${(heldMs / 1000).toFixed(1)} s`);
    problems.push(...held.stillHeld.map((kind) => `${kind}: still held`));
    if (held.fdsAtLast > fdsBefore + Math.ceil(connections / 6) + fdsToSpare)
      problems.push(`${held.fdsAtLast} descriptors when only slow readers may be connected`);
  }
  return { figure: figures.join('; '), problems };
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
