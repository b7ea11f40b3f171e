import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { ask } from './ask.ts';

const paths = ['/v2/me', '/v2/transactions?limit=20', '/v2/categories', '/v2/transactions/1'];
const lanes = 4;
const pauseMs = 20;

/** How long answers took, and what went wrong. */
export interface HonestTimes {
  readonly count: number;
  readonly p99Ms: number;
  readonly failures: readonly string[];
}

/** Clients on kept connections that ask one thing after the other, for as long as `until` has not resolved. */
export async function askHonestly(
  url: string,
  token: string,
  until: Promise<unknown>,
): Promise<HonestTimes> {
  let isOver = false;
  void until.finally(() => (isOver = true)).catch(() => undefined);
  const times: number[] = [];
  const failures: string[] = [];
  const lane = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = 0; !isOver; n += 1) {
      const startedMs = performance.now();
      try {
        const { status } = await ask(url + paths[n % paths.length]!, { token, agent });
        if (status !== 200) failures.push(`${status} to ${paths[n % paths.length]}`);
      } catch (error) {
        failures.push(`${paths[n % paths.length]}: ${(error as Error).message}`);
      }
      times.push(performance.now() - startedMs);
      await wait(pauseMs);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { count: times.length, p99Ms: p99Of(times), failures };
}

function p99Of(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? NaN;
}
