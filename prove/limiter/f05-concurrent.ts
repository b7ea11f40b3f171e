import { ask, type Answer } from '../../test/service/ask.ts';
import { withServer } from '../../test/service/server-process.ts';
import { joined, named, type Check, type Outcome } from '../run/check.ts';
import { withPostgres } from '../run/engines.ts';
import {
  countAlone,
  withNodes,
  withNodesOn,
  withRedis,
  type SharingNode,
} from './sharing-nodes.ts';
import { newAddress } from '../../test/service/http-exchange.ts';

const limit = 100;
const requests = 400;
const nodeCount = 4;
const mostRepetitions = 20;

export const check: Check = {
  id: 'F5',
  needs: ['redis-server', 'postgres'],
  rounds: { short: 2, full: 20 },
  run: (rounds) =>
    withRedis(async ({ url: redis }) => {
      const alone = await withServer({}, ({ server, owner }) =>
        runAll('one server', [{ server, token: owner.token }], rounds),
      );
      const both = await withPostgres((url) =>
        withNodesOn(Array<string>(nodeCount).fill(url), redis, (nodes) =>
          runAll(`${nodeCount} nodes over Redis and PostgreSQL`, nodes, rounds),
        ),
      );
      const outcomes = [alone, both];
      // The form that shares both covers the other one, and starting nodes takes long.
      if (rounds >= check.rounds.full)
        outcomes.push(
          await withNodes(nodeCount, redis, (nodes) =>
            runAll(`${nodeCount} nodes over Redis`, nodes, rounds),
          ),
        );
      const { figure, problems } = joined(outcomes);
      return { figure: `exactly ${limit} of ${requests} passed: ${figure}`, problems };
    }),
};

/**
 * No node may count a request alone. In the short form, a round in which a busy machine kept a node waiting for Redis
 * or for a connection to the database (503) is repeated.
 */
async function runAll(
  name: string,
  nodes: readonly SharingNode[],
  rounds: number,
): Promise<Outcome> {
  const isFull = rounds >= check.rounds.full;
  const problems: string[] = [];
  let [broken, repetitions] = [0, 0];
  for (let round = 1; round <= rounds; round += 1) {
    const from = newAddress();
    const before = await countAlone(nodes);
    const asked = Array.from({ length: requests }, (_, n) => {
      const { server, token } = nodes[n % nodes.length]!;
      return ask(`${server.url}/v2/me`, { token, from });
    });
    const answers = await Promise.all(asked);
    const found = problemsOf(answers);
    const alone = (await countAlone(nodes)) - before;
    const isBusy = alone > 0 || answers.some(({ status }) => status === 503);
    if (isBusy && !isFull && repetitions < mostRepetitions) {
      repetitions += 1;
      round -= 1;
      continue;
    }
    if (alone > 0 && isFull) found.push(`${alone} requests were counted by a node alone`);
    if (found.length > 0) broken += 1;
    problems.push(...named(`${name}, round ${round}`, found));
  }
  return { figure: `${name} in ${rounds - broken} of ${rounds} rounds`, problems };
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
  const others = answers.filter(({ status }) => status !== 200 && status !== 429);
  for (const { status, text } of others.slice(0, 3)) problems.push(`one got ${status}: ${text}`);
  if (remaining.toSorted((a, b) => a - b).join() !== expected)
    problems.push(`Remaining was ${remaining.join()}`);
  if (resets.length !== 1) problems.push(`Reset was ${resets.join()}`);
  if (all(refused, 'ratelimit-remaining').join() !== '0')
    problems.push('a refusal had a Remaining above 0');
  return problems;
}
