import { readFileSync } from 'node:fs';
import { startServer, type ServerOptions, type ServerProcess } from './server-process.ts';

/**
 * Starts a server that strace runs. A signal goes to the server itself, as it would without strace, which ends with it
 * and hands on how it ended.
 */
export async function startTracedServer(
  options: ServerOptions & { readonly runner: readonly string[] },
): Promise<ServerProcess> {
  const runner = await startServer(options);
  const children = readFileSync(`/proc/${runner.pid}/task/${runner.pid}/children`, 'utf8');
  const pid = Number(children.trim());
  let hasEnded = false;
  void runner.ended.then(() => (hasEnded = true));
  return {
    ...runner,
    pid,
    end: (signal) => {
      if (!hasEnded) process.kill(pid, signal);
      return runner.ended;
    },
  };
}
