import { freePort, startRedis } from './redis-server.ts';
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
const joinTimeoutMs = 10_000;

/** Starts a cluster of three servers and resolves when each reports it as complete. */
export async function startRedisCluster(options: RedisServerOptions = {}): Promise<RedisCluster> {
  const members = await Promise.all(Array.from({ length: size }, () => startMember(options)));
  const servers = members.map(({ server }) => server);
  let replica: RedisServer | undefined;
  try {
    for (const [n, { server, busPort }] of members.entries()) {
      const [first, end] = [Math.ceil((slots * n) / size), Math.ceil((slots * (n + 1)) / size)];
      await server.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(n + 1));
      await server.ask('CLUSTER', 'ADDSLOTSRANGE', String(first), String(end - 1));
      const port = String(server.port);
      if (n > 0) await servers[0]!.ask('CLUSTER', 'MEET', '127.0.0.1', port, String(busPort));
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

async function startMember(options: RedisServerOptions) {
  const busPort = await freePort();
  const soon = ['--cluster-node-timeout', '1000', '--repl-diskless-sync-delay', '0'];
  const flags = [
    '--cluster-enabled',
    'yes',
    ...soon,
    '--cluster-port',
    String(busPort),
    ...(options.flags ?? []),
  ];
  return { server: await startRedis({ ...options, flags }), busPort };
}

async function startReplica(first: RedisServer, options: RedisServerOptions): Promise<RedisServer> {
  const { server, busPort } = await startMember(options);
  await first.ask('CLUSTER', 'MEET', '127.0.0.1', String(server.port), String(busPort));
  await untilComplete(server, size + 1);
  await server.ask('CLUSTER', 'REPLICATE', await first.ask('CLUSTER', 'MYID'));
  await untilReports(server, ['INFO', 'REPLICATION'], ['master_link_status:up']);
  return server;
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
