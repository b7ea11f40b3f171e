import { existsSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { ask, type Answer } from '../../test/service/ask.ts';
import { runProgram } from '../../test/service/coffer.ts';
import { counted, inLanes, joined, type Check, type Outcome } from '../run/check.ts';
import { withServer } from '../../test/service/server-process.ts';
import { newAddress } from '../../test/service/http-exchange.ts';
import type { Measured } from './many-sources.ts';

const limit = 100;
const mostOwn = 200_000;
/** The most memory for a million clients in each window: of the process, and of the counts in it. */
const mostMiB = 128;
const mostUsedMiB = 40;
/** The most that is left of the counts two windows later. */
const mostLeftMiB = 2;
const connections = 50;
const childTimeoutMs = 240_000;

export const check: Check = {
  id: 'F7',
  rounds: { short: 100_000, full: 1_000_000 },
  async run(sources) {
    const addresses = sources < check.rounds.full ? 400 : 4000;
    return joined([await measureLimiter(sources), await askFromMany(addresses)]);
  },
};

async function measureLimiter(sources: number): Promise<Outcome> {
  const script = join(import.meta.dirname, 'many-sources.ts');
  const command = [process.execPath, '--expose-gc', script, String(sources)];
  const { code, stdout, stderr } = await runProgram(command, { timeoutMs: childTimeoutMs });
  if (code !== 0) throw new Error(`The measurement ended with ${code}: ${stderr}`);
  return judge(sources, JSON.parse(stdout) as Measured);
}

function judge(sources: number, measured: Measured): Outcome {
  const { ownMost, ordinary, refused, refusedNew, neighbours, neighboursAllowed } = measured;
  const grownMiB = inMiB(measured.grownBytes);
  const [usedMiB, leftMiB] = [inMiB(measured.usedBytes), inMiB(measured.leftBytes)];
  const problems = counted(refused, 'requests of known clients were refused');
  problems.push(...counted(refusedNew, 'new clients were refused their only request'));
  if (!(grownMiB <= mostMiB)) problems.push(`the process grew by ${grownMiB} MiB`);
  if (!(usedMiB <= mostUsedMiB)) problems.push(`the counts took ${usedMiB} MiB`);
  if (!(leftMiB <= mostLeftMiB)) problems.push(`two windows later the counts took ${leftMiB} MiB`);
  // The clients of the ordinary traffic have theirs too.
  if (ownMost < Math.min(sources, mostOwn) || ownMost > mostOwn)
    problems.push(`${ownMost} clients had their own count`);
  if (neighboursAllowed !== limit)
    problems.push(`${neighboursAllowed} of ${neighbours} requests of one /64 passed`);
  const figure =
    `${sources} new clients in each window: ${ownMost} with their own count, ${usedMiB} MiB ` +
    `(the process ${grownMiB}), two windows later ${leftMiB}; ` +
    `${refusedNew} of them and ${refused} of ${ordinary} other requests refused`;
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
