import { Refusal, sendTo, succeeding } from './client.ts';
import type { BookUser, FilledBooks } from './fill.ts';
import { percentile } from '../measure/processor-time.ts';
import { longest, type Probes } from './probes.ts';
import { requestsOf } from './requests.ts';

/** What happened in the mix. */
export interface Mix {
  readonly seconds: number;
  readonly requests: number;
  /** How many requests had each status of 300 or more, or each error. */
  readonly refused: Readonly<Record<string, number>>;
  readonly meP99Ms: number;
  readonly meLongestMs: number;
  readonly healthzLongestMs: number;
  readonly writeLongestMs: number;
  readonly writesRefused: number;
}

/** Ten users send the requests in an order of their own for some seconds, each the next when it has a response. */
export async function measureMix(
  port: number,
  { owner, others }: FilledBooks,
  probes: Probes,
  seconds: number,
): Promise<Mix> {
  const endMs = performance.now() + seconds * 1000;
  const counted = { requests: 0, refused: {} as Record<string, number> };
  await probes.take();
  await Promise.all(
    [owner, ...others].map((user, at) => sendUntil(endMs, port, user, at, counted)),
  );
  const { me, healthz, write } = await probes.take();
  return {
    seconds,
    ...counted,
    meP99Ms: percentile(me.ms, 0.99),
    meLongestMs: longest(me),
    healthzLongestMs: longest(healthz),
    writeLongestMs: longest(write),
    writesRefused: write.refused,
  };
}

async function sendUntil(
  endMs: number,
  port: number,
  user: BookUser,
  at: number,
  counted: { requests: number; refused: Record<string, number> },
): Promise<void> {
  const groups = requestsOf(user, succeeding(sendTo(port, user.token)));
  for (let next = at * 5; ; next += 7) {
    for (const send of Object.values(groups[next % groups.length]!)) {
      if (performance.now() > endMs) return;
      counted.requests += 1;
      const status = await statusOf(send);
      if (status === null) continue;
      counted.refused[status] = (counted.refused[status] ?? 0) + 1;
      // What follows in the group needs this one.
      break;
    }
  }
}

/** Returns null for a response below 300. */
async function statusOf(send: () => Promise<unknown>): Promise<string | null> {
  try {
    await send();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return String(error.status);
    return String(error).slice(0, 300);
  }
}
