import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '../../packages/server/src/limiter/testing/redis-server.ts';
import { ask, newAddress, type Answer } from '../../test/service/ask.ts';
import { acceptedMs, named, quantile, timed, type Check, type Outcome } from '../run/check.ts';
import { metricOf, withNodes, withRedis, type SharingNode } from './sharing-nodes.ts';

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
    withRedis((redis) =>
      withNodes(nodeCount, redis.url, (nodes) => new Blows(redis, nodes, rounds).run()),
    ),
};

interface Asked {
  readonly node: SharingNode;
  readonly answer: Answer;
  readonly tookMs: number;
}

class Blows {
  readonly #redis: RedisServer;
  readonly #nodes: readonly SharingNode[];
  readonly #rounds: number;
  readonly #tookMs = new Map<string, number[]>(redisBlows.map(({ name }) => [name, []]));
  readonly #backMs: number[] = [];

  constructor(redis: RedisServer, nodes: readonly SharingNode[], rounds: number) {
    this.#redis = redis;
    this.#nodes = nodes;
    this.#rounds = rounds;
  }

  async run(): Promise<Outcome> {
    const rounds = this.#rounds;
    const problems = await this.#checkShared('at the start');
    for (let round = 1; round <= rounds; round += 1) {
      for (const blow of redisBlows) {
        const found = [...(await this.#deal(blow)), ...(await this.#checkShared('afterwards'))];
        problems.push(...named(`${blow.name} ${round}`, found));
      }
    }
    problems.push(...this.#nodes.flatMap((node) => this.#problemsOfLog(node)));
    const worst = [...this.#tookMs]
      .map(([name, tookMs]) => ({ name, p99Ms: partOf(tookMs, 0.99) }))
      .toSorted((one, other) => other.p99Ms - one.p99Ms)[0]!;
    if (!(worst.p99Ms <= this.#accepted(longestP99Ms)))
      problems.push(`p99 was ${worst.p99Ms} ms when Redis was ${worst.name}`);
    const count = [...this.#tookMs.values()].flat().length;
    const figure =
      `each ${rounds} times with ${nodeCount} nodes: ${count} requests, worst p99 ${worst.p99Ms} ms (${worst.name}), ` +
      `slowest ${partOf([...this.#tookMs.values()].flat(), 1)} ms; shared again after ${partOf(this.#backMs, 1)} ms`;
    return { figure, problems };
  }

  #accepted(promisedMs: number): number {
    return acceptedMs(promisedMs, check, this.#rounds);
  }

  async #deal(blow: RedisBlow): Promise<string[]> {
    const before = await this.#countAlone();
    const underWay = this.#askAll(newAddress(), this.#nodes);
    await blow.strike(this.#redis);
    const answers = [await underWay, await this.#askAll(newAddress(), this.#nodes)];
    const problems = answers.flat().flatMap(problemsOf);
    const tookMs = answers.map((some) => some.map((each) => each.tookMs));
    this.#tookMs.get(blow.name)?.push(...tookMs.flat());
    if (tookMs.some((some) => partOf(some, 0.5) >= this.#accepted(timeoutMs)))
      problems.push('requests waited for a Redis that was known to be unavailable');
    // Requests in flight may have been counted both before and after the fault.
    problems.push(...answers.flatMap((some, n) => this.#tooMany(some, n === 0 || !blow.lasts)));
    const alone = (await this.#countAlone()) - before;
    if (blow.lasts && alone < requests * nodeCount)
      problems.push(`only ${alone} were counted by a node alone`);
    await blow.end(this.#redis);
    const endedMs = performance.now();
    problems.push(...(await this.#untilShared(endedMs)));
    this.#backMs.push(performance.now() - endedMs);
    return problems;
  }

  /** Returns whether more passed than the limit per node; over a change, the shared limit is added. */
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

  /** The log must have one line for each change, for any number of requests. */
  #problemsOfLog({ server }: SharingNode): string[] {
    const lines = server.log().split('\n');
    const alone = lines.filter((line) => line.includes('is counted by this node alone')).length;
    const shared = lines.filter((line) => line.includes('is shared over Redis')).length;
    const most = this.#rounds * redisBlows.length;
    return alone <= most && shared === alone + 1
      ? []
      : [`the log has ${alone} lines for alone and ${shared} for shared`];
  }

  async #untilShared(fromMs: number): Promise<string[]> {
    for (;;) {
      const shared = this.#nodes.map((node) => metricOf(node, 'coffer_rate_limit_shared'));
      if ((await Promise.all(shared)).every((value) => value === 1)) return [];
      if (performance.now() - fromMs > this.#accepted(sharedAgainWithinMs))
        return ['not shared again within 5 s'];
      await sleep(pollEveryMs);
    }
  }

  /** Exactly the limit must pass over all nodes, with one Reset. */
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

function partOf(figures: readonly number[], part: number): number {
  return Math.ceil(quantile(figures, part));
}

async function askTimed(node: SharingNode, from: string, agent: Agent): Promise<Asked> {
  const { server, token } = node;
  const [tookMs, answer] = await timed(() => ask(`${server.url}/v2/me`, { token, from, agent }));
  return { node, answer, tookMs };
}

function problemsOf({ answer: { status, headers } }: Asked): string[] {
  const problems = status === 200 || status === 429 ? [] : [`a request got ${status}`];
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
