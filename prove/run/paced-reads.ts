import { Agent } from 'node:http';
import { ask } from './ask.ts';

const intervalMs = 10;

/** How long reads took, in milliseconds, and what went wrong. */
export interface ReadTimes {
  readonly count: number;
  /** The time within which 99 of 100 were answered. */
  readonly p99Ms: number;
  readonly failures: readonly string[];
}

/**
 * Reads `paths` in turn, a hundred a second, until `until` has settled.
 *
 * A read begins when its time has come, whether or not those before it were answered, so that a server that stands
 * still is seen by everybody who would have sent a request meanwhile. At most `mostAtOnce` are under way.
 */
export async function readSteadily(
  url: string,
  token: string,
  paths: readonly string[],
  until: Promise<unknown>,
  mostAtOnce = Infinity,
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
    if (reads.length - timesMs.length < mostAtOnce)
      reads.push(read(paths[reads.length % paths.length]!));
  }, intervalMs);
  await until.finally(() => clearInterval(timer)).catch(() => undefined);
  await Promise.all(reads);
  agent.destroy();
  const sorted = timesMs.toSorted((a, b) => a - b);
  const p99Ms = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN;
  return { count: sorted.length, p99Ms, failures };
}
