import { ask, newAddress, type Answer } from './ask.ts';
import type { Check, Outcome } from './check.ts';
import { withServer } from './with-server.ts';

const limit = 100;
const requests = 400;

/** The limit is exact when all ask at once, and every answer says the same end of the window. */
export const check: Check = {
  id: 'F5',
  promise:
    '400 requests at once from one address: exactly 100 pass, each with a Remaining of its own, under one Reset',
  rounds: { short: 3, full: 20 },
  run: (rounds) => withServer({}, ({ server, owner }) => runAll(rounds, server.url, owner.token)),
};

async function runAll(rounds: number, url: string, token: string): Promise<Outcome> {
  const problems: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const from = newAddress();
    const asked = Array.from({ length: requests }, () => ask(`${url}/v2/me`, { token, from }));
    const found = problemsOf(await Promise.all(asked));
    problems.push(...found.map((problem) => `round ${round}: ${problem}`));
  }
  const broken = new Set(problems.map((problem) => problem.split(':', 1)[0])).size;
  const figure = `${requests} at once, ${rounds - broken} of ${rounds} rounds with exactly ${limit} passed`;
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
