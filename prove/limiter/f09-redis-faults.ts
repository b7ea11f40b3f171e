import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  startRedis,
  type RedisServer,
} from '../../packages/server/src/limiter/testing/redis-server.ts';
import { ask, newAddress, type Answer } from '../run/ask.ts';
import type { Check, Outcome } from '../run/check.ts';
import { metricOf, withNodes, type SharingNode } from './sharing-nodes.ts';

const limit = 100;
const nodeCount = 2;
const connections = 8;
/** Requests of each source to each node: enough to meet the limit and be refused. */
const requests = 130;
const longestP99Ms = 250;
/** How long a node waits for Redis. */
const timeoutMs = 100;
const sharedAgainWithinMs = 5_000;
const pollEveryMs = 20;

/** Redis is taken away from nodes that are asked all the time, in each of the ways it can go. */
export const check: Check = {
  id: 'F9',
  promise:
    'Redis dead, paused, full or restarted: no answer of 5xx, the slowest hundredth within 250 ms in each case, only ' +
    'requests under way wait for it, all headers there, each node passes at most 100 by itself, and exactly 100 pass ' +
    'over all nodes within 5 s of its return',
  needs: ['redis-server'],
  rounds: { short: 1, full: 10 },
  async run(rounds) {
    const redis = await startRedis();
    try {
      return await withNodes(nodeCount, redis.url, (nodes) => new Blows(redis, nodes).run(rounds));
    } finally {
      await redis.stop();
    }
  },
};

interface Asked {
  readonly node: SharingNode;
  readonly answer: Answer;
  readonly tookMs: number;
}

class Blows {
  readonly #redis: RedisServer;
  readonly #nodes: readonly SharingNode[];
  /** How long requests took, by what happened to Redis. */
  readonly #tookMs = new Map<string, number[]>(redisBlows.map(({ name }) => [name, []]));
  readonly #backMs: number[] = [];
  #alone = 0;

  constructor(redis: RedisServer, nodes: readonly SharingNode[]) {
    this.#redis = redis;
    this.#nodes = nodes;
  }

  async run(rounds: number): Promise<Outcome> {
    const problems = await this.#checkShared('at the start');
    for (let round = 1; round <= rounds; round += 1) {
      for (const blow of redisBlows) {
        const found = [...(await this.#deal(blow)), ...(await this.#checkShared('afterwards'))];
        problems.push(...found.map((problem) => `${blow.name} ${round}: ${problem}`));
      }
    }
    problems.push(...this.#nodes.flatMap((node) => this.#problemsOfLog(node, rounds)));
    const worst = [...this.#tookMs]
      .map(([name, tookMs]) => ({ name, p99Ms: partOf(tookMs, 0.99) }))
      .toSorted((one, other) => other.p99Ms - one.p99Ms)[0]!;
    if (!(worst.p99Ms <= longestP99Ms))
      problems.push(
        `the slowest hundredth took ${worst.p99Ms} ms or more when Redis was ${worst.name}`,
      );
    const count = [...this.#tookMs.values()].flat().length;
    const figure =
      `${rounds} times each over ${nodeCount} nodes: ${count} requests, p99 ${worst.p99Ms} ms at worst (${worst.name}), ` +
      `longest ${partOf([...this.#tookMs.values()].flat(), 1)} ms, ${this.#alone} counted by a node alone; ` +
      `shared again after ${partOf(this.#backMs, 1)} ms at most`;
    return { figure, problems };
  }

  /** Strikes while requests are under way, goes on asking, and mends. */
  async #deal(blow: RedisBlow): Promise<string[]> {
    const before = await this.#countAlone();
    const underWay = this.#askAll(newAddress(), this.#nodes);
    await blow.strike(this.#redis);
    const answers = [await underWay, await this.#askAll(newAddress(), this.#nodes)];
    const problems = answers.flat().flatMap(problemsOf);
    const tookMs = answers.map((some) => some.map((each) => each.tookMs));
    this.#tookMs.get(blow.name)?.push(...tookMs.flat());
    if (tookMs.some((some) => partOf(some, 0.5) >= timeoutMs))
      problems.push('requests waited for a Redis that was known to be away');
    // Requests that were under way may have been counted on both sides of the blow.
    problems.push(...answers.flatMap((some, n) => this.#tooMany(some, n === 0 || !blow.lasts)));
    const alone = (await this.#countAlone()) - before;
    if (blow.lasts && alone < requests * nodeCount) problems.push(`only ${alone} counted alone`);
    this.#alone += alone;
    await blow.mend(this.#redis);
    const mendedMs = performance.now();
    problems.push(...(await this.#untilShared(mendedMs)));
    this.#backMs.push(performance.now() - mendedMs);
    return problems;
  }

  /** More than the limit by a node alone, or, over a change, more than that and what all share. */
  #tooMany(asked: readonly Asked[], isOverChange: boolean): string[] {
    const passed = this.#nodes.map(
      (node) => asked.filter((each) => each.node === node && each.answer.status === 200).length,
    );
    const all = passed.reduce((sum, count) => sum + count, 0);
    const isKept = isOverChange
      ? all <= limit * (nodeCount + 1)
      : passed.every((count) => count === limit);
    return isKept ? [] : [`${passed.join(' and ')} passed`];
  }

  /** One line for each change, however many requests there were. */
  #problemsOfLog({ server }: SharingNode, rounds: number): string[] {
    const lines = server.log().split('\n');
    const alone = lines.filter((line) => line.includes('is counted by this node alone')).length;
    const shared = lines.filter((line) => line.includes('is shared over Redis')).length;
    const most = rounds * redisBlows.length;
    return alone <= most && shared === alone + 1
      ? []
      : [`the log says alone ${alone} times, shared ${shared} times`];
  }

  async #untilShared(fromMs: number): Promise<string[]> {
    for (;;) {
      const shared = this.#nodes.map((node) => metricOf(node, 'coffer_rate_limit_shared'));
      if ((await Promise.all(shared)).every((value) => value === 1)) return [];
      if (performance.now() - fromMs > sharedAgainWithinMs) return ['not shared again within 5 s'];
      await sleep(pollEveryMs);
    }
  }

  /** Exactly the limit passes over all nodes, under one Reset. */
  async #checkShared(when: string): Promise<string[]> {
    const asked = await this.#askAll(newAddress(), this.#nodes);
    const passed = asked.filter(({ answer }) => answer.status === 200).length;
    const resets = new Set(asked.map(({ answer }) => answer.headers['ratelimit-reset']));
    const problems = asked.flatMap(problemsOf);
    if (passed !== limit || resets.size !== 1)
      problems.push(`${passed} passed ${when} under ${resets.size} Resets`);
    return problems;
  }

  async #countAlone(): Promise<number> {
    const counts = this.#nodes.map((node) => metricOf(node, 'coffer_rate_limit_fallbacks_total'));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** Asks every node from one address, over a few connections each, one request after the other on each. */
  async #askAll(from: string, nodes: readonly SharingNode[]): Promise<Asked[]> {
    const agent = new Agent({ keepAlive: true });
    const asked: Asked[] = [];
    const lanes = nodes.flatMap((node) => {
      let left = requests;
      return Array.from({ length: connections }, async () => {
        while ((left -= 1) >= 0) asked.push(await askTimed(node, from, agent));
      });
    });
    await Promise.all(lanes).finally(() => agent.destroy());
    return asked;
  }
}

/** What so large a part of the figures does not exceed, rounded up. */
function partOf(figures: readonly number[], part: number): number {
  const sorted = figures.toSorted((one, other) => one - other);
  return Math.ceil(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN);
}

async function askTimed(node: SharingNode, from: string, agent: Agent): Promise<Asked> {
  const { server, token } = node;
  const beganMs = performance.now();
  const answer = await ask(`${server.url}/v2/me`, { token, from, agent });
  return { node, answer, tookMs: performance.now() - beganMs };
}

/** What is wrong with one answer: its status, or a header that is missing, no number or told twice in two ways. */
function problemsOf({ answer: { status, headers } }: Asked): string[] {
  const problems = status === 200 || status === 429 ? [] : [`a request was answered ${status}`];
  for (const name of ['limit', 'remaining', 'reset']) {
    const value = headers[`ratelimit-${name}`];
    if (!/^\d+$/.test(String(value)) || headers[`x-ratelimit-${name}`] !== value)
      problems.push(`RateLimit-${name} was ${String(value)}`);
  }
  const retryAfter = headers['retry-after'];
  if (/^\d+$/.test(String(retryAfter)) !== (status === 429))
    problems.push(`Retry-After was ${String(retryAfter)} at ${status}`);
  return problems;
}

/** Something that happens to a Redis, and how it is mended. */
interface RedisBlow {
  readonly name: string;
  strike(redis: RedisServer): unknown;
  mend(redis: RedisServer): unknown;
  /** Whether nodes count alone from the blow until it is mended; otherwise it is over at once. */
  readonly lasts: boolean;
}

/** Killed, stopped where it is, without memory, and started anew so soon that requests meet it before and after. */
const redisBlows: readonly RedisBlow[] = [
  {
    name: 'dead',
    strike: (redis) => redis.kill(),
    mend: (redis) => redis.restart(),
    lasts: true,
  },
  {
    name: 'paused',
    strike: (redis) => redis.freeze(),
    mend: (redis) => redis.thaw(),
    lasts: true,
  },
  {
    name: 'full',
    strike: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '1mb'),
    mend: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '0'),
    lasts: true,
  },
  {
    name: 'restarted',
    strike: async (redis: RedisServer): Promise<void> => {
      await redis.kill();
      await redis.restart();
    },
    mend: () => undefined,
    lasts: false,
  },
];
