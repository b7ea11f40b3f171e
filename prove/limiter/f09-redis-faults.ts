import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '../../packages/server/src/limiter/testing/redis-server.ts';
import { ask, type Answer } from '../../test/service/ask.ts';
import { checkAnswer } from '../../test/service/document-check.ts';
import {
  acceptedMs,
  inLanes,
  named,
  quantile,
  timed,
  type Check,
  type Outcome,
} from '../run/check.ts';
import { countAlone, metricOf, withNodes, withRedis, type SharingNode } from './sharing-nodes.ts';
import { newAddress } from '../../test/service/http-exchange.ts';

type Nodes = readonly SharingNode[];

const limit = 100;
const nodeCount = 2;
const connections = 8;
/** Requests of each client to each node: enough to exceed the limit. */
const requests = 130;
const longestP99Ms = 250;
const timeoutMs = 100;
const sharedAgainWithinMs = 5_000;
const pollEveryMs = 20;

export const check: Check = {
  id: 'F9',
  needs: ['redis-server'],
  rounds: { short: 1, full: 10 },
  run: (rounds) =>
    withRedis((redis) => withNodes(nodeCount, redis.url, (nodes) => strike(redis, nodes, rounds))),
};

async function strike(redis: RedisServer, nodes: Nodes, rounds: number): Promise<Outcome> {
  const tookMs = new Map<string, number[]>(redisBlows.map(({ name }) => [name, []]));
  const backMs: number[] = [];
  const problems = await sharedProblems(nodes, 'at the start');
  for (let round = 1; round <= rounds; round += 1)
    for (const blow of redisBlows) {
      const found = await blowProblems(redis, nodes, blow, rounds, tookMs.get(blow.name)!);
      await blow.end(redis);
      const endedMs = performance.now();
      const mostMs = acceptedMs(sharedAgainWithinMs, check, rounds);
      if (!(await isShared(nodes, endedMs + mostMs))) found.push('not shared again within 5 s');
      backMs.push(performance.now() - endedMs);
      found.push(...(await sharedProblems(nodes, 'afterwards')));
      problems.push(...named(`${blow.name} ${round}`, found));
    }
  problems.push(...nodes.flatMap((node) => logProblems(node, rounds * redisBlows.length)));
  const worst = [...tookMs]
    .map(([name, times]) => ({ name, p99Ms: partOf(times, 0.99) }))
    .toSorted((one, other) => other.p99Ms - one.p99Ms)[0]!;
  if (!(worst.p99Ms <= acceptedMs(longestP99Ms, check, rounds)))
    problems.push(`p99 was ${worst.p99Ms} ms when Redis was ${worst.name}`);
  const all = [...tookMs.values()].flat();
  const figure =
    `each ${rounds} times with ${nodeCount} nodes: ${all.length} requests, worst p99 ${worst.p99Ms} ms (${worst.name}), ` +
    `slowest ${partOf(all, 1)} ms; shared again after ${partOf(backMs, 1)} ms`;
  return { figure, problems };
}

async function blowProblems(
  redis: RedisServer,
  nodes: Nodes,
  blow: RedisBlow,
  rounds: number,
  times: number[],
): Promise<string[]> {
  const before = await countAlone(nodes);
  const underWay = askAll(nodes);
  await blow.strike(redis);
  const answers = [await underWay, await askAll(nodes)];
  const tookMs = answers.map((some) => some.map((each) => each.tookMs));
  times.push(...tookMs.flat());
  const problems = answers.flat().flatMap(problemsOf);
  if (tookMs.some((some) => partOf(some, 0.5) >= acceptedMs(timeoutMs, check, rounds)))
    problems.push('requests waited for a Redis that was known to be unavailable');
  for (const [n, asked] of answers.entries()) {
    const passed = nodes.map(
      (node) => asked.filter((each) => each.node === node && each.answer.status === 200).length,
    );
    // Requests in flight may have been counted both before and after the fault.
    const isKept =
      n === 0 || !blow.lasts
        ? passed.reduce((sum, count) => sum + count, 0) <= limit * (nodeCount + 1)
        : passed.every((count) => count === limit);
    if (!isKept) problems.push(`${passed.join(' and ')} passed`);
  }
  const alone = (await countAlone(nodes)) - before;
  if (blow.lasts && alone < requests * nodeCount)
    problems.push(`only ${alone} were counted by a node alone`);
  return problems;
}

/** The log must have one line for each change, for any number of requests. */
function logProblems({ server }: SharingNode, mostChanges: number): string[] {
  const lines = server.log().split('\n');
  const alone = lines.filter((line) => line.includes('is counted by this node alone')).length;
  const shared = lines.filter((line) => line.includes('is shared over Redis')).length;
  if (alone <= mostChanges && shared === alone + 1) return [];
  return [`the log has ${alone} lines for alone and ${shared} for shared`];
}

async function isShared(nodes: Nodes, untilMs: number): Promise<boolean> {
  for (;;) {
    const shared = nodes.map((node) => metricOf(node, 'coffer_rate_limit_shared'));
    if ((await Promise.all(shared)).every((value) => value === 1)) return true;
    if (performance.now() > untilMs) return false;
    await sleep(pollEveryMs);
  }
}

/** Exactly the limit must pass over all nodes, with one Reset. */
async function sharedProblems(nodes: Nodes, when: string): Promise<string[]> {
  const asked = await askAll(nodes);
  const passed = asked.filter(({ answer }) => answer.status === 200).length;
  const resets = new Set(asked.map(({ answer }) => answer.headers['ratelimit-reset']));
  const problems = asked.flatMap(problemsOf);
  if (passed !== limit || resets.size !== 1)
    problems.push(`${passed} passed ${when} under ${resets.size} Resets`);
  return problems;
}

interface Asked {
  readonly node: SharingNode;
  readonly answer: Answer;
  readonly tookMs: number;
}

async function askAll(nodes: Nodes): Promise<Asked[]> {
  const from = newAddress();
  const agent = new Agent({ keepAlive: true });
  const lanes = nodes.map((node) =>
    inLanes(connections, requests, async (): Promise<Asked> => {
      const { server, token } = node;
      const asking = () => ask(`${server.url}/v2/me`, { token, from, agent });
      const [tookMs, answer] = await timed(asking);
      return { node, answer, tookMs };
    }),
  );
  return (await Promise.all(lanes).finally(() => agent.destroy())).flat();
}

function partOf(figures: readonly number[], part: number): number {
  return Math.ceil(quantile(figures, part));
}

function problemsOf({ answer }: Asked): string[] {
  const { status, headers } = answer;
  if (status !== 200 && status !== 429) return [`a request got ${status}`];
  try {
    checkAnswer('GET', '/v2/me', answer);
    return /^\d+$/.test(headers['retry-after'] ?? '') === (status === 429) ? [] : ['Retry-After'];
  } catch (error) {
    return [(error as Error).message];
  }
}

interface RedisBlow {
  readonly name: string;
  strike(redis: RedisServer): unknown;
  end(redis: RedisServer): unknown;
  /** Whether nodes count alone until the fault ends; otherwise it ends at once. */
  readonly lasts: boolean;
}

/** Killed, frozen, without memory, and restarted so fast that requests reach it before and after. */
const redisBlows: readonly RedisBlow[] = [
  { name: 'dead', lasts: true, strike: (redis) => redis.kill(), end: (redis) => redis.restart() },
  { name: 'paused', lasts: true, strike: (redis) => redis.freeze(), end: (redis) => redis.thaw() },
  {
    name: 'full',
    lasts: true,
    strike: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '1mb'),
    end: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '0'),
  },
  {
    name: 'restarted',
    lasts: false,
    strike: async (redis) => {
      await redis.kill();
      await redis.restart();
    },
    end: () => undefined,
  },
];
