import { setTimeout as wait } from 'node:timers/promises';
import { onFreePort, startTogether } from '../../packages/core/src/testing/starts.ts';
import { startRedis } from '../../packages/server/src/limiter/testing/redis-server.ts';
import { startPostgres } from '../../packages/server/src/db/testing/postgres-server.ts';
import { startServer, type ServerProcess } from '../service/server-process.ts';

export interface Shared {
  readonly database: string;
  readonly redis: string;
  stop(): Promise<void>;
}

export async function startShared(): Promise<Shared> {
  const [postgres, redis] = await startTogether(startPostgres(), startRedis());
  return {
    database: await postgres.newDatabase(),
    redis: redis.url,
    stop: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}

/** One of several servers on a database. It keeps its port when it is started again. */
export type Node = Awaited<ReturnType<typeof startNode>>;

interface NodeOptions {
  /** Flags of `coffer serve` in addition to those for database, Redis, port and proxies. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts two nodes on what they share. They trust proxies on this machine. */
export function startNodes(shared: Shared, options: NodeOptions = {}): Promise<Node[]> {
  const start = (): Promise<Node> => onFreePort((port) => startNode(port, shared, options));
  return startTogether<Node[]>(start(), start());
}

async function startNode(
  port: number,
  shared: Shared,
  { flags = [], environment = {} }: NodeOptions,
) {
  let running: ServerProcess | undefined;
  let isKilled = false;
  const own = ['--port', String(port), '--redis', shared.redis, '--trusted-proxies', '127.0.0.1'];
  const node = {
    port,
    url: `http://127.0.0.1:${port}`,
    log: () => running?.log() ?? '',
    /** Sends a signal and resolves to how the process ended. */
    end: async (signal: NodeJS.Signals) => (await running?.end(signal)) ?? 0,
    start: async () => {
      const { database } = shared;
      running = await startServer({ database, flags: [...own, ...flags], environment });
      if (isKilled) await running.end('SIGKILL');
    },
    /** Kills the process for good: a start that is under way, or that follows, leaves no process behind. */
    stop: async () => {
      isKilled = true;
      await running?.end('SIGKILL');
    },
  };
  await node.start();
  return node;
}

export async function killNodes(nodes: readonly Node[]): Promise<void> {
  await Promise.all(nodes.map((node) => node.stop()));
}

/** Resolves when `condition` holds; rejects when it does not within `timeoutMs`. `what` names it in the error. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 60_000,
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  while (!(await condition())) {
    if (signal.aborted) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await wait(20);
  }
}
