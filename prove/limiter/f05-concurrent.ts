import { startRedis } from '../../packages/server/src/limiter/testing/redis-server.ts';
import { ask, newAddress, type Answer } from '../run/ask.ts';
import type { Check, Outcome } from '../run/check.ts';
import { withServer } from '../run/server-process.ts';
import { metricOf, withNodes, withNodesOnPostgres, type SharingNode } from './sharing-nodes.ts';

const limit = 100;
const requests = 400;
const nodeCount = 4;

/** The limit is exact when all ask at once, and every answer says the same end of the window. */
export const check: Check = {
  id: 'F5',
  promise:
    '400 requests at once from one address, to one server or spread over 4 that share a Redis, with or without a ' +
    'PostgreSQL database: exactly 100 pass, each with a Remaining of its own, under one Reset',
  needs: ['redis-server', 'postgres'],
  rounds: { short: 2, full: 20 },
  async run(rounds) {
    const redis = await startRedis();
    try {
      const outcomes = [
        await withServer({}, ({ server, owner }) =>
          runAll('one server', [{ server, token: owner.token }], rounds),
        ),
      ];
      // The form that shares both holds the other one as well; starting nodes is what takes long.
      for (const form of rounds < check.rounds.full ? [onBoth] : [onRedis, onBoth])
        outcomes.push(await form(redis.url, rounds));
      return {
        figure: `${requests} at once: ${outcomes.map(({ figure }) => figure).join(', ')}`,
        problems: outcomes.flatMap(({ problems }) => problems),
      };
    } finally {
      await redis.stop();
    }
  },
};

function onRedis(redis: string, rounds: number): Promise<Outcome> {
  return withNodes(nodeCount, redis, (nodes) => runNodes('over Redis', nodes, rounds));
}

function onBoth(redis: string, rounds: number): Promise<Outcome> {
  return withNodesOnPostgres(nodeCount, redis, (nodes) =>
    runNodes('over Redis and PostgreSQL', nodes, rounds),
  );
}

/** As {@link runAll}, and no node may have counted a request alone. */
async function runNodes(
  name: string,
  nodes: readonly SharingNode[],
  rounds: number,
): Promise<Outcome> {
  const { figure, problems } = await runAll(`${nodes.length} nodes ${name}`, nodes, rounds);
  const alone = await Promise.all(
    nodes.map((node) => metricOf(node, 'coffer_rate_limit_fallbacks_total')),
  );
  const isShared = alone.every((count) => count === 0);
  return {
    figure,
    problems: isShared ? problems : [...problems, `${name}: ${alone.join()} were counted alone`],
  };
}

async function runAll(
  name: string,
  nodes: readonly SharingNode[],
  rounds: number,
): Promise<Outcome> {
  const problems: string[] = [];
  let broken = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const from = newAddress();
    const asked = Array.from({ length: requests }, (_, n) => {
      const { server, token } = nodes[n % nodes.length]!;
      return ask(`${server.url}/v2/me`, { token, from });
    });
    const found = problemsOf(await Promise.all(asked));
    if (found.length > 0) broken += 1;
    problems.push(...found.map((problem) => `${name}, round ${round}: ${problem}`));
  }
  const figure = `${name} ${rounds - broken} of ${rounds} rounds with exactly ${limit} passed`;
  return { figure, problems };
}

function problemsOf(answers: readonly Answer[]): string[] {
  const passed = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  const all = (from: readonly Answer[], name: string): string[] => [
    ...new Set(from.map(({ headers }) => String(headers[name]))),
  ];
  const remaining = passed.map(({ headers }) => Number(headers['ratelimit-remaining']));
  const expected = Array.from({ length: limit }, (_, left) => left).join();
  const resets = all(answers, 'ratelimit-reset');
  const problems: string[] = [];
  if (passed.length !== limit) problems.push(`${passed.length} passed`);
  if (passed.length + refused.length !== requests) problems.push('some were answered otherwise');
  if (remaining.toSorted((a, b) => a - b).join() !== expected)
    problems.push(`Remaining was ${remaining.join()}`);
  if (resets.length !== 1) problems.push(`Reset was ${resets.join()}`);
  if (all(refused, 'ratelimit-remaining').join() !== '0')
    problems.push('a refusal had something remaining');
  return problems;
}
