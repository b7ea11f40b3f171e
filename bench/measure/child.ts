import { fork } from 'node:child_process';
import { once } from 'node:events';
import { endProgram } from '../../packages/core/src/testing/starts.ts';

export const usualCacheMB = 32;
const startTimeoutMs = 120_000;

export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
}

export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Starts a file of `bench/servers`. */
export async function startServer(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const path = new URL(`../servers/${file}`, import.meta.url);
  const child = fork(path, { env: { ...process.env, ...env }, execArgv: [] });
  const message = async (): Promise<unknown> => {
    const ending = new AbortController();
    const { signal } = ending;
    const end = once(child, 'exit', { signal }).then(() => {
      throw new Error('The server ended before it responded');
    });
    end.catch(() => undefined);
    try {
      const [value] = (await Promise.race([once(child, 'message', { signal }), end])) as [unknown];
      return value;
    } finally {
      ending.abort();
    }
  };
  const deadline = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
  const { port } = (await message().finally(() => clearTimeout(deadline))) as { port: number };
  return {
    pid: child.pid ?? 0,
    port,
    usage: () => {
      child.send('usage');
      return message() as Promise<Usage>;
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

export async function cpuOf(server: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  const before = await server.usage();
  await work();
  return (await server.usage()).cpuMs - before.cpuMs;
}
