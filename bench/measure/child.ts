import { fork } from 'node:child_process';
import { once } from 'node:events';
import { endProgram } from '../../packages/core/src/testing/starts.ts';
import { processorTimeMs } from './processor-time.ts';

export const usualCacheMB = 32;
const startTimeoutMs = 120_000;

export interface Peer {
  readonly pid: number;
  readonly port: number;
  usage(): Promise<{ readonly cpuMs: number }>;
  stop(): Promise<void>;
}

export interface ServerProcess extends Peer {
  /** `heldMs`: the longest processor time for which Coffer, with `BENCH_HELD`, could not begin other work. */
  usage(): Promise<{ readonly cpuMs: number; readonly rssBytes: number; readonly heldMs?: number }>;
}

/** Starts a file of `bench/servers`. */
export async function startServer(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const path = new URL(`../servers/${file}`, import.meta.url);
  const child = fork(path, { env: { ...process.env, ...env }, execArgv: [] });
  const message = async <T>(): Promise<T> => {
    const ending = new AbortController();
    const { signal } = ending;
    const end = once(child, 'exit', { signal }).then(() => {
      throw new Error('The server ended before it responded');
    });
    end.catch(() => undefined);
    try {
      return (await Promise.race([once(child, 'message', { signal }), end]))[0] as T;
    } finally {
      ending.abort();
    }
  };
  const deadline = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
  const { port } = await message<{ port: number }>().finally(() => clearTimeout(deadline));
  return {
    pid: child.pid ?? 0,
    port,
    usage: () => {
      child.send('usage');
      return message();
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await endProgram(child, 'SIGTERM');
    },
  };
}

export function startCoffer(url: string, cacheMB = 0, more = {}): Promise<ServerProcess> {
  const env = { BENCH_DATABASE: url, BENCH_PAGE_CACHE: String(cacheMB) };
  return startServer('coffer.cjs', { ...env, ...more });
}

/** With the time of a database server and its children. */
export async function cpuOf(
  server: Peer,
  work: () => Promise<unknown>,
  databasePid: number | null = null,
): Promise<number> {
  const usedMs = async (): Promise<number> =>
    (await server.usage()).cpuMs + (databasePid === null ? 0 : processorTimeMs(databasePid));
  const beforeMs = await usedMs();
  await work();
  return (await usedMs()) - beforeMs;
}
