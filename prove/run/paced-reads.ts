import { once } from 'node:events';
import { Agent } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ask } from '../../test/service/ask.ts';
import { quantile } from './check.ts';

const intervalMs = 10;

export interface ReadTimes {
  readonly count: number;
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
  const [p99Ms, worstMs] = [quantile(timesMs, 0.99), quantile(timesMs, 1)];
  return { count: timesMs.length, p99Ms, worstMs, failures };
}

interface Target {
  readonly url: string;
  readonly token: string;
  readonly paths: readonly string[];
}

/** Reads steadily during `work` in a thread of its own, so that work in this thread does not delay the reads. */
export async function readBeside<T>(
  target: Target,
  work: () => Promise<T>,
): Promise<{ result: T; times: ReadTimes }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { pacedReads: target } });
  const read = once(worker, 'message') as Promise<[ReadTimes]>;
  read.catch(() => undefined);
  try {
    const result = await work();
    worker.postMessage('stop');
    const [times] = await read;
    return { result, times };
  } finally {
    await worker.terminate();
  }
}

const data = workerData as { readonly pacedReads?: Target } | null;
if (!isMainThread && data?.pacedReads !== undefined) {
  const { url, token, paths } = data.pacedReads;
  parentPort!.postMessage(await readSteadily(url, token, paths, once(parentPort!, 'message')));
}
