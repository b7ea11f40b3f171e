import { join } from 'node:path';
import { ask } from '../run/ask.ts';
import { addOwner, inFolder, useStore } from '../run/book.ts';
import { withPostgres } from '../run/engines.ts';
import { startServer, type ServerProcess } from '../run/server-process.ts';

/** A server that shares its limit over Redis, and a valid token. */
export interface SharingNode {
  readonly server: ServerProcess;
  readonly token: string;
}

/** Starts nodes that share only Redis, each with its own database, and runs `work`. */
export function withNodes<T>(
  count: number,
  redis: string,
  work: (nodes: readonly SharingNode[]) => Promise<T>,
): Promise<T> {
  return inFolder((folder) => {
    const databases = Array.from({ length: count }, (_, n) => join(folder, `node-${n}.db`));
    return withServers(databases, redis, work);
  });
}

/** Starts nodes that share Redis and a PostgreSQL database, and runs `work`. */
export function withNodesOnPostgres<T>(
  count: number,
  redis: string,
  work: (nodes: readonly SharingNode[]) => Promise<T>,
): Promise<T> {
  return withPostgres((url) => withServers(Array<string>(count).fill(url), redis, work));
}

async function withServers<T>(
  databases: readonly string[],
  redis: string,
  work: (nodes: readonly SharingNode[]) => Promise<T>,
): Promise<T> {
  const tokens = new Map<string, string>();
  for (const database of new Set(databases)) {
    const { token } = await useStore(database, (store) => addOwner(store, 'owner'));
    tokens.set(database, token);
  }
  const started = await Promise.allSettled(
    databases.map((database) => startServer({ database, flags: ['--redis', redis] })),
  );
  const servers = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  try {
    for (const each of started) if (each.status === 'rejected') throw each.reason as Error;
    return await work(servers.map((server, n) => ({ server, token: tokens.get(databases[n]!)! })));
  } finally {
    await Promise.all(servers.map((server) => server.end('SIGKILL')));
  }
}

/** Returns a metric without labels from a node's /metrics; NaN when it is missing. */
export async function metricOf({ server }: SharingNode, name: string): Promise<number> {
  const { text } = await ask(`${server.url}/metrics`);
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
}
