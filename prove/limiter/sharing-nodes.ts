import { join } from 'node:path';
import {
  startRedis,
  type RedisServer,
} from '../../packages/server/src/limiter/testing/redis-server.ts';
import { ask } from '../../test/service/ask.ts';
import { addOwner, inFolder, useStore } from '../../test/service/owners.ts';
import { useServers, type ServerProcess } from '../../test/service/server-process.ts';

export interface SharingNode {
  readonly server: ServerProcess;
  readonly token: string;
}

export async function withRedis<T>(work: (redis: RedisServer) => Promise<T>): Promise<T> {
  const redis = await startRedis();
  try {
    return await work(redis);
  } finally {
    await redis.stop();
  }
}

/** Starts nodes that share only Redis, each with its own database, and runs `work`. */
export function withNodes<T>(
  count: number,
  redis: string,
  work: (nodes: readonly SharingNode[]) => Promise<T>,
): Promise<T> {
  return inFolder((folder) => {
    const databases = Array.from({ length: count }, (_, n) => join(folder, `node-${n}.db`));
    return withNodesOn(databases, redis, work);
  });
}

/** Starts a node on each of these databases, of which several may be the same. */
export async function withNodesOn<T>(
  databases: readonly string[],
  redis: string,
  work: (nodes: readonly SharingNode[]) => Promise<T>,
): Promise<T> {
  const tokens = new Map<string, string>();
  for (const database of new Set(databases)) {
    const { token } = await useStore(database, (store) => addOwner(store, 'owner'));
    tokens.set(database, token);
  }
  const nodes = databases.map((database) => ({ database, flags: ['--redis', redis] }));
  return useServers(nodes, (servers) =>
    work(servers.map((server, n) => ({ server, token: tokens.get(databases[n]!)! }))),
  );
}

export async function metricOf({ server }: SharingNode, name: string): Promise<number> {
  const { text } = await ask(`${server.url}/metrics`);
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
}

/** Returns how many requests a node counted alone. */
export async function countAlone(nodes: readonly SharingNode[]): Promise<number> {
  const counts = nodes.map((node) => metricOf(node, 'coffer_rate_limit_fallbacks_total'));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
