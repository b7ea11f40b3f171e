import { Agent } from 'node:http';
import { ask } from './ask.ts';

const intervalMs = 10;

/** The times of reads, in milliseconds, and the failed reads. */
export interface ReadTimes {
  readonly count: number;
  /** The 99th percentile. */
  readonly p99Ms: number;
  readonly worstMs: number;
  readonly failures: readonly string[];
}

/**
 * Reads `paths` in turn, 100 a second, until `until` has settled.
 *
 * Each read starts on time, even when earlier reads have no response yet. A server that blocks therefore delays every
 * read that falls due meanwhile. At most `mostAtOnce` reads are open at once.
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
  return { count: sorted.length, p99Ms, worstMs: sorted.at(-1) ?? NaN, failures };
}
