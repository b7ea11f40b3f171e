import { onFreePort, startTogether } from '../../../../core/src/testing/starts.ts';
import { startRedis } from './redis-server.ts';
import type { RedisServer, RedisServerOptions } from './redis-server.ts';

/** Three servers, each with a third of the keys. */
export interface RedisCluster {
  readonly servers: readonly RedisServer[];
  /** The URLs of all servers, separated by commas. */
  readonly url: string;
  /** Starts a replica of the first server, which replaces it when it fails. */
  addReplica(): Promise<void>;
  stop(): Promise<void>;
}

const slots = 16_384;
const size = 3;
const joinTimeoutMs = 60_000;

/** Starts a cluster of three servers and resolves when each reports it as complete. */
export async function startRedisCluster(options: RedisServerOptions = {}): Promise<RedisCluster> {
  const servers = await startTogether(...Array.from({ length: size }, () => startMember(options)));
  let replica: RedisServer | undefined;
  try {
    for (const [n, server] of servers.entries()) {
      const [first, end] = [Math.ceil((slots * n) / size), Math.ceil((slots * (n + 1)) / size)];
      await server.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(n + 1));
      await server.ask('CLUSTER', 'ADDSLOTSRANGE', String(first), String(end - 1));
      if (n > 0) await meet(servers[0]!, server);
    }
    await Promise.all(servers.map((server) => untilComplete(server, size)));
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop()));
    throw error;
  }
  return {
    servers,
    url: servers.map(({ url }) => url).join(),
    addReplica: async () => {
      replica = await startReplica(servers[0]!, options);
    },
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await replica?.stop();
    },
  };
}

/** A server that listens on two ports. */
interface Member extends RedisServer {
  readonly busPort: number;
}

function startMember(options: RedisServerOptions): Promise<Member> {
  const own = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000'];
  const soon = ['--repl-diskless-sync-delay', '0', ...(options.flags ?? [])];
  return onFreePort(async (busPort) => {
    const flags = [...own, ...soon, '--cluster-port', String(busPort)];
    return { ...(await startRedis({ ...options, flags })), busPort };
  });
}

/** Introduces a server to another one, which then knows all that it knows. */
function meet(first: RedisServer, { port, busPort }: Member): Promise<string> {
  return first.ask('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort));
}

async function startReplica(first: RedisServer, options: RedisServerOptions): Promise<RedisServer> {
  const server = await startMember(options);
  try {
    await meet(first, server);
    await untilComplete(server, size + 1);
    await server.ask('CLUSTER', 'REPLICATE', await first.ask('CLUSTER', 'MYID'));
    await untilReports(server, ['INFO', 'REPLICATION'], ['master_link_status:up']);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Resolves when a server reports a complete cluster with this number of members. */
function untilComplete(server: RedisServer, members: number): Promise<void> {
  const said = ['cluster_state:ok', `cluster_known_nodes:${members}`];
  return untilReports(server, ['CLUSTER', 'INFO'], said);
}

async function untilReports(
  server: RedisServer,
  command: readonly string[],
  expected: readonly string[],
): Promise<void> {
  const deadlineMs = performance.now() + joinTimeoutMs;
  for (;;) {
    const said = await server.ask(...command);
    if (expected.every((text) => said.includes(text))) return;
    if (performance.now() > deadlineMs) throw new Error(`The cluster is not complete:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
