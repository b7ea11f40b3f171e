import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fillDemo } from '../../packages/server/src/main.ts';
import { makeDemoBook } from '../../packages/server/src/demo/make-demo-book.ts';
import { useStore } from '../run/book.ts';
import type { Check, Outcome } from '../run/check.ts';
import { readSteadily, type ReadTimes } from '../run/paced-reads.ts';
import { withServer, type Served } from '../run/server-process.ts';
import type { SlowKind, SlowNews } from './slow-clients.ts';

/** From so many connections on, they are held until the server closes them; that takes over a minute. */
const patientFrom = 2_000;
const shortTries = 3;
const usualClients = 4;
const paths = ['/v2/me', '/v2/transactions?limit=20', '/v2/categories', '/v2/transactions/1'];
/** How long the server may be held by each kind, by what docs/operate/limits.md says; reading slowly has no end. */
const mostHeldMs: Readonly<Record<SlowKind, number>> = {
  silent: 15_000,
  header: 15_000,
  body: 30_000,
  // Answered at once; then the server waits for the rest of the request.
  'unwanted body': 30_000,
  // These cannot tell, because they do not read; the server's descriptors do.
  unread: Infinity,
  'slow reader': Infinity,
};
/** Until the server must have closed those that read nothing. */
const patienceMs = 67_000;
const settleTimeoutMs = 10_000;
/** Other connections and files of the server come and go. */
const fdsToSpare = 5;

/** Connections that are held by sending or reading slowly, while others ask as usual. */
export const check: Check = {
  id: 'F17',
  promise:
    'Beside 2,000 slow connections p99 stays within twice its usual and 50 ms; silent ones and slow headers are closed within 15 s, slow bodies within 30 s, and no descriptor is left',
  rounds: { short: 120, full: patientFrom },
  run: (connections) =>
    withServer({ flags: ['--rate-limit', '1000000000/24h'] }, async (served) => {
      await useStore(join(served.folder, 'coffer.db'), (store) =>
        fillDemo(store, served.owner.bookId, makeDemoBook({ transactions: 2_000 })),
      );
      const tries = connections >= patientFrom ? 1 : shortTries;
      let outcome = await attempt(served, connections);
      // A second or two of a busy machine say little; what really slows others down does so each time.
      for (let n = 1; n < tries && outcome.problems.length > 0; n += 1)
        outcome = await attempt(served, connections);
      return outcome;
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
    `p99 ${ms(before)} before, ${ms(beside)} beside ${connections} slow ones, ${ms(after)} after`,
    `descriptors ${fdsBefore} before, ${fdsAfter} after`,
  ];
  const problems = [...before.failures, ...beside.failures, ...heldTooLong(held.longestMs)];
  if (isTooSlow([before, after], beside)) problems.push(`p99 became ${ms(beside)}`);
  if (fdsAfter > fdsBefore + fdsToSpare)
    problems.push(`${fdsBefore} descriptors became ${fdsAfter}`);
  if (isPatient) {
    figures.push(`held ${listOf(held.longestMs)}`);
    problems.push(...heldForEver(held, fdsBefore + Math.ceil(connections / 6) + fdsToSpare));
  }
  if (isPatient && hasSlowHttpTest()) {
    const tools = runTools(server.url);
    const besideTools = await measure(tools);
    const usual = [after, await measureUsual()];
    problems.push(...(await tools), ...besideTools.failures);
    if (isTooSlow(usual, besideTools))
      problems.push(`p99 became ${ms(besideTools)} by slowhttptest`);
    figures.push(`p99 ${ms(besideTools)} beside slowhttptest`);
  }
  return { figure: figures.join('; '), problems };
}

/** How long connections were held, by their kind. */
interface Held {
  readonly longestMs: ReadonlyMap<SlowKind, number>;
  /** Kinds of which some were open to the end although the server bounds them. */
  readonly stillHeld: readonly SlowKind[];
  /** Of the server, before the clients leave. */
  readonly fdsAtLast: number;
}

/** Lets clients of a process of their own hold connections until the server must have closed all that it bounds. */
async function holdConnections(
  { server, owner }: Served,
  count: number,
  isPatient: boolean,
): Promise<Held> {
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
  try {
    await opened;
    await wait(isPatient ? patienceMs : 2_000);
    fdsAtLast = fdsOf(server.pid);
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  const kinds = Object.keys(mostHeldMs) as SlowKind[];
  const stillHeld = kinds.filter(
    (kind) =>
      Number.isFinite(mostHeldMs[kind]) &&
      (closed.get(kind) ?? 0) < Math.floor(count / kinds.length),
  );
  return { longestMs, stillHeld, fdsAtLast };
}

/** What the server should have closed before the clients left. */
function heldForEver({ stillHeld, fdsAtLast }: Held, mostFds: number): string[] {
  const problems = stillHeld.map((kind) => `${kind}: still held`);
  if (fdsAtLast > mostFds)
    problems.push(`${fdsAtLast} descriptors when only slow readers may be left`);
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

/** `usual` are the times without the slow clients, before and after: the machine may have got busier. */
function isTooSlow(usual: readonly ReadTimes[], beside: ReadTimes): boolean {
  return !(beside.p99Ms <= 2 * Math.max(...usual.map(({ p99Ms }) => p99Ms)) + 50);
}

function ms({ p99Ms }: ReadTimes): string {
  return `${p99Ms.toFixed(1)} ms`;
}

function fdsOf(pid: number): number {
  return existsSync(`/proc/${pid}/fd`) ? readdirSync(`/proc/${pid}/fd`).length : 0;
}

/** How many descriptors are open once they are as few as before, or when that does not come. */
async function settledFds(pid: number, before: number): Promise<number> {
  for (let waitedMs = 0; waitedMs < settleTimeoutMs; waitedMs += 100) {
    if (fdsOf(pid) <= before + fdsToSpare) break;
    await wait(100);
  }
  return fdsOf(pid);
}

function hasSlowHttpTest(): boolean {
  return (process.env['PATH'] ?? '')
    .split(':')
    .some((folder) => existsSync(join(folder, 'slowhttptest')));
}

/** A second opinion: slow headers, slow bodies and slow reading by slowhttptest, all at once. */
async function runTools(url: string): Promise<string[]> {
  const usual = ['-c', '600', '-r', '67', '-i', '1', '-l', '20', '-p', '3'];
  const modes = [
    ['-H', '-u', `${url}/healthz`],
    ['-B', '-t', 'POST', '-s', '8192', '-u', `${url}/v2/me`],
    ['-X', '-k', '5', '-w', '10', '-y', '20', '-n', '5', '-z', '32', '-u', `${url}/openapi.json`],
  ];
  const said = await Promise.all(modes.map((mode) => outputOf([...usual, ...mode])));
  return said.flatMap((text, n) =>
    /service available:\s+YES/.test(text) && !/service available:\s+NO/.test(text)
      ? []
      : [`slowhttptest ${modes[n]![0]}: the service was not available`],
  );
}

async function outputOf(args: readonly string[]): Promise<string> {
  const child = spawn('slowhttptest', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.on(
    'data',
    (chunk: Buffer) => (text += chunk.toString().replaceAll(/\x1b\[[0-9;]*m/g, '')),
  );
  await once(child, 'close');
  return text;
}
