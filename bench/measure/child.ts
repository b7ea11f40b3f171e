import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** The resource usage of a server. */
export interface Usage {
  /** Processor time of the process so far, user and system. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

/** A server in its own process, so that its processor time can be measured. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/**
 * Starts a file of `bench/servers`.
 *
 * The process sends its port when it listens, and its usage on request.
 */
export async function startServer(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const path = new URL(`../servers/${file}`, import.meta.url);
  const child = fork(path, { env: { ...process.env, ...env }, execArgv: [] });
  const { port } = (await message(child)) as { port: number };
  return {
    pid: child.pid ?? 0,
    port,
    usage: () => {
      child.send('usage');
      return message(child) as Promise<Usage>;
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      child.kill();
      await ended;
    },
  };
}

function message(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', (value) => {
      child.removeAllListeners('exit');
      resolve(value);
    });
    child.once('exit', () => reject(new Error('The server ended before it responded')));
  });
}
