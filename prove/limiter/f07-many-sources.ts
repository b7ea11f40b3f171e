import { existsSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { ask, newAddress, type Answer } from '../../test/service/ask.ts';
import { runProgram } from '../../test/service/coffer.ts';
import { inLanes, joined, type Check, type Outcome } from '../run/check.ts';
import { withServer } from '../../test/service/server-process.ts';

const limit = 100;
/** The most memory for a million clients in each window, and the most growth after the second window. */
const mostMiB = 100;
const mostMoreMiB = 10;
/** The most memory left two windows later: of the whole process, and outside its heap. */
const mostLeftMiB = 12;
const mostLeftExternalMiB = 4;
const connections = 50;
const childTimeoutMs = 120_000;

export const check: Check = {
  id: 'F7',
  rounds: { short: 100_000, full: 1_000_000 },
  async run(sources) {
    const addresses = sources < check.rounds.full ? 400 : 4000;
    return joined([await measureLimiter(sources), await askFromMany(addresses)]);
  },
};

interface Measured {
  /** The growth of the process after each flood: consecutive ones, and one that came at once. */
  readonly grownBytes: readonly number[];
  /** Its growth, in total and outside the heap, after two windows of ordinary traffic. */
  readonly leftBytes: number;
  readonly leftExternalBytes: number;
  /** The number of clients with their own count, in the worst flood. */
  readonly ownLeast: number;
  readonly refused: number;
  readonly neighbours: number;
  readonly neighboursAllowed: number;
}

async function measureLimiter(sources: number): Promise<Outcome> {
  const script = join(import.meta.dirname, 'many-sources.ts');
  const command = [process.execPath, '--expose-gc', script, String(sources)];
  const { code, stdout, stderr } = await runProgram(command, { timeoutMs: childTimeoutMs });
  if (code !== 0) throw new Error(`The measurement ended with ${code}: ${stderr}`);
  return judge(sources, JSON.parse(stdout) as Measured);
}

function judge(sources: number, measured: Measured): Outcome {
  const { ownLeast, refused, neighbours, neighboursAllowed } = measured;
  const grownMiB = measured.grownBytes.map(inMiB);
  const [leftMiB, externalMiB] = [inMiB(measured.leftBytes), inMiB(measured.leftExternalBytes)];
  // The first window has no previous window in memory.
  const [, second = NaN, ...others] = grownMiB;
  const problems: string[] = [];
  if (!(Math.max(...grownMiB) <= mostMiB)) problems.push(`${grownMiB.join(', ')} MiB were used`);
  if (!(Math.max(...others) <= second + mostMoreMiB))
    problems.push(`${grownMiB.join(', ')} MiB were used: the use grows from window to window`);
  if (!(leftMiB <= mostLeftMiB && externalMiB <= mostLeftExternalMiB))
    problems.push(`two windows later ${leftMiB} MiB were used, ${externalMiB} outside the heap`);
  if (ownLeast !== sources)
    problems.push(`only ${ownLeast} of ${sources} clients had their own count`);
  if (refused !== 0) problems.push(`${refused} ordinary requests were refused`);
  if (neighboursAllowed !== limit)
    problems.push(`${neighboursAllowed} of ${neighbours} requests of one /64 passed`);
  const figure =
    `${sources} clients: at most ${Math.max(...grownMiB)} MiB in ${grownMiB.length} floods, ` +
    `two windows later ${leftMiB} MiB`;
  return { figure, problems };
}

function inMiB(bytes: number): number {
  return Math.round((bytes / 2 ** 20) * 10) / 10;
}

function askFromMany(addresses: number): Promise<Outcome> {
  const flags = ['--trusted-proxies', '127.0.0.1/32', '--rate-limit', `${limit}/1h`];
  return withServer({ flags }, async ({ server: { url, pid } }) => {
    const before = residentMiB(pid);
    const first = await inLanes(connections, addresses, () =>
      ask(`${url}/v2/me`, { from: newAddress() }),
    );
    const grownMiB = residentMiB(pid) - before;
    const own = first.filter((answer) => remainingOf(answer) === limit - 1).length;
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const neighbours = addresses * 5;
    const answers = await inLanes(connections, neighbours, (n) =>
      ask(`${url}/v2/me`, { from: '127.0.0.1', agent, headers: forwardedFrom(n) }),
    );
    agent.destroy();
    const allowed = answers.filter(({ status }) => status !== 429).length;
    const problems: string[] = [];
    if (own !== addresses)
      problems.push(`only ${own} of ${addresses} addresses had their own count`);
    if (grownMiB > mostMiB)
      problems.push(`${addresses} addresses took ${grownMiB} MiB of the server`);
    if (allowed !== limit) problems.push(`${allowed} of ${neighbours} requests of one /64 passed`);
    const figure = `${own} of ${addresses} addresses had their own count, ${neighbours} of an IPv6 /64 had one`;
    return { figure, problems };
  });
}

function forwardedFrom(n: number): Readonly<Record<string, string>> {
  const tail = `${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}`;
  return { 'x-forwarded-for': `2001:db8:0:7:0:0:${tail}` };
}

function remainingOf({ headers }: Answer): number {
  return Number(headers['ratelimit-remaining']);
}

function residentMiB(pid: number): number {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return 0;
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]) / 1024);
}
