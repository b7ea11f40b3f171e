import { Agent } from 'node:http';
import { ask } from './ask.ts';

const intervalMs = 10;

/** How long answers took, in milliseconds, and what went wrong. */
export interface ReadTimes {
  readonly timesMs: readonly number[];
  readonly failures: readonly string[];
}

/**
 * Reads `paths` in turn, a hundred a second, until `until` has resolved.
 *
 * A read is begun when its time has come, whether or not those before it were answered, so that a server that stands
 * still is seen by all who would have asked meanwhile.
 */
export async function readSteadily(
  url: string,
  token: string,
  paths: readonly string[],
  until: Promise<unknown>,
): Promise<ReadTimes> {
  const agent = new Agent({ keepAlive: true });
  const timesMs: number[] = [];
  const failures: string[] = [];
  const read = async (path: string): Promise<void> => {
    const startedAtMs = performance.now();
    try {
      const { status } = await ask(url + path, { token, agent });
      if (status !== 200) failures.push(`${status} to GET ${path}`);
    } catch (error) {
      failures.push(`GET ${path}: ${(error as Error).message}`);
    }
    timesMs.push(performance.now() - startedAtMs);
  };
  const reads: Promise<void>[] = [];
  const timer = setInterval(() => {
    reads.push(read(paths[reads.length % paths.length]!));
  }, intervalMs);
  try {
    await until;
  } finally {
    clearInterval(timer);
  }
  await Promise.all(reads);
  agent.destroy();
  return { timesMs, failures };
}

/** The time within which 99 of 100 were answered. */
export function p99Of(timesMs: readonly number[]): number {
  return timesMs.toSorted((a, b) => a - b)[Math.ceil(timesMs.length * 0.99) - 1] ?? NaN;
}
