import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Answer } from '../../test/service/ask.ts';
import type { Check, Outcome } from '../run/check.ts';
import { withServer } from '../../test/service/server-process.ts';
import { newAddress } from '../../test/service/http-exchange.ts';

interface Form {
  readonly limit: number;
  readonly window: string;
  readonly beginWithinMs: number;
}

/** The window is not a whole number of seconds, so that rounding down is detected. */
const shortForm: Form = { limit: 5, window: '1500ms', beginWithinMs: 1_500 };
const specified: Form = { limit: 100, window: '60s', beginWithinMs: 6_000 };

/** Clients that wait before they retry: half of them for Retry-After, half for Reset. */
export const check: Check = {
  id: 'F6',
  rounds: { short: 120, full: 500 },
  run: (clients) => runClients(clients, clients < 500 ? shortForm : specified),
};

function runClients(clients: number, form: Form): Promise<Outcome> {
  const flags = ['--rate-limit', `${form.limit}/${form.window}`];
  return withServer({ flags }, async ({ server, owner }) => {
    const outcomes = await Promise.all(
      Array.from({ length: clients }, async (_, n) => {
        // Steps of the golden ratio spread the starts over all phases of a second.
        await sleep(((n * 0.618_034) % 1) * form.beginWithinMs);
        return runClient(server.url, owner.token, form, n % 2 === 0 ? retryAfter : reset);
      }),
    );
    const problems = outcomes.filter((problem) => problem !== undefined);
    const figure = `${clients} clients under ${form.limit}/${form.window}, ${problems.length} refused again`;
    return { figure, problems };
  });
}

type Wait = (refused: Answer) => Promise<void>;

const retryAfter: Wait = async ({ headers }) => {
  const untilMs = performance.now() + Number(headers['retry-after']) * 1000;
  await reach(untilMs, () => performance.now());
};

const reset: Wait = async ({ headers }) => {
  await reach(Number(headers['ratelimit-reset']) * 1000, Date.now);
};

/** Waits for a clock, because a timer may end a millisecond early. */
async function reach(untilMs: number, nowMs: () => number): Promise<void> {
  for (let leftMs = untilMs - nowMs(); leftMs > 0; leftMs = untilMs - nowMs()) await sleep(leftMs);
}

async function runClient(url: string, token: string, { limit }: Form, wait: Wait) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const from = newAddress();
  const once = (): Promise<Answer> => ask(`${url}/v2/me`, { token, from, agent });
  try {
    let refused = await once();
    // On a slow machine a window may end before its quota is used up.
    for (let n = 0; refused.status === 200 && n < limit * 20; n += 1) refused = await once();
    if (refused.status !== 429) return `${from}: ${refused.status} after the quota was used up`;
    await wait(refused);
    const { status, headers } = await once();
    if (status === 200 && headers['ratelimit-remaining'] === String(limit - 1)) return undefined;
    return `${from}: ${status} after waiting for ${wait === reset ? 'Reset' : 'Retry-After'}`;
  } finally {
    agent.destroy();
  }
}
