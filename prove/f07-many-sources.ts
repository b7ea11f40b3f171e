import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ask, newAddress, type Answer } from './ask.ts';
import type { Check, Outcome } from './check.ts';
import { withServer } from './with-server.ts';

const limit = 100;
/** Most that the limiter may take for a million sources, and most that it may take besides for the next ones. */
const mostMiB = 100;
const mostMoreMiB = 10;
const connections = 50;
const childTimeoutMs = 120_000;

/** Addresses cost little, what they cost is bounded, and a /64 is one of them however many addresses it has. */
export const check: Check = {
  id: 'F7',
  promise:
    'A million source addresses cost less than 100 MiB, the next millions nothing more, each counts for itself, and all of one IPv6 /64 count as one',
  rounds: { short: 100_000, full: 1_000_000 },
  async run(sources) {
    const [inProcess, overHttp] = [await measureLimiter(sources), await askFromMany(sources)];
    return {
      figure: `${inProcess.figure}; ${overHttp.figure}`,
      problems: [...inProcess.problems, ...overHttp.problems],
    };
  },
};

/** What many-sources.ts prints. */
interface Measured {
  /** How much larger the process was after each window. */
  readonly grownBytes: readonly number[];
  /** How many sources of a window counted for themselves, in the worst window. */
  readonly ownLeast: number;
  /** Addresses of one /64. */
  readonly neighbours: number;
  readonly neighboursAllowed: number;
}

async function measureLimiter(sources: number): Promise<Outcome> {
  const script = fileURLToPath(new URL('./many-sources.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', script, String(sources)],
    { timeout: childTimeoutMs },
  );
  const { grownBytes, ownLeast, neighbours, neighboursAllowed } = JSON.parse(stdout) as Measured;
  const grownMiB = grownBytes.map((bytes) => Math.round(bytes / 2 ** 20));
  const [first = NaN, ...others] = grownMiB;
  const problems: string[] = [];
  if (!(Math.max(...grownMiB) <= mostMiB)) problems.push(`${grownMiB.join(', ')} MiB were taken`);
  // Until a million sources have been seen, memory is still being used for the first time.
  if (sources >= 1_000_000 && !(Math.max(...others) <= first + mostMoreMiB))
    problems.push(`${grownMiB.join(', ')} MiB were taken: more from window to window`);
  if (ownLeast !== sources) problems.push(`only ${ownLeast} of ${sources} had their own quota`);
  if (neighboursAllowed !== limit)
    problems.push(`${neighboursAllowed} of ${neighbours} requests of one /64 passed`);
  const figure = `${sources} sources in each of ${grownMiB.length} windows: ${grownMiB.join(', ')} MiB`;
  return { figure, problems };
}

function askFromMany(sources: number): Promise<Outcome> {
  const flags = ['--trusted-proxies', '127.0.0.1/32', '--rate-limit', `${limit}/1h`];
  return withServer({ flags }, async ({ server: { url, pid } }) => {
    const addresses = Math.ceil(sources / 250);
    const before = residentMiB(pid);
    const first = await all(addresses, () => ask(`${url}/v2/me`, { from: newAddress() }));
    const grownMiB = residentMiB(pid) - before;
    const own = first.filter((answer) => remainingOf(answer) === limit - 1).length;
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const neighbours = Math.ceil(sources / 50);
    const answers = await all(neighbours, (n) =>
      ask(`${url}/v2/me`, { from: '127.0.0.1', agent, headers: forwardedFrom(n) }),
    );
    agent.destroy();
    const allowed = answers.filter(({ status }) => status !== 429).length;
    const problems: string[] = [];
    if (own !== addresses) problems.push(`only ${own} of ${addresses} addresses began anew`);
    if (grownMiB > mostMiB) problems.push(`${addresses} addresses cost the server ${grownMiB} MiB`);
    if (allowed !== limit) problems.push(`${allowed} of ${neighbours} of one /64 passed`);
    const figure = `over HTTP ${addresses} addresses each with their own quota, ${allowed} of ${neighbours} of one /64`;
    return { figure, problems };
  });
}

/** What a trusted proxy says of the n-th address of one /64. */
function forwardedFrom(n: number): Readonly<Record<string, string>> {
  const tail = `${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}`;
  return { 'x-forwarded-for': `2001:db8:0:7:0:0:${tail}` };
}

function remainingOf({ headers }: Answer): number {
  return Number(headers['ratelimit-remaining']);
}

/** Does something many times, some of it at once. */
async function all<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = (next += 1) - 1; n < count; n = (next += 1) - 1) results[n] = await work(n);
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return results;
}

/** How large a process is; 0 where the system does not say. */
function residentMiB(pid: number): number {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return 0;
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]) / 1024);
}
