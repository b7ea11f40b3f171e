import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { limiterContract } from './limiter-contract.ts';
import type { SharedLimiter, SharingState } from './redis.ts';
import { isLong } from '../../../core/src/testing/length.ts';
import { newFolder } from '../db/testing/folder.ts';
import { makeCertificate, noOpenssl, tlsFlags } from './testing/certificates.ts';
import {
  noRedis,
  startRedis,
  type RedisServer,
  type RedisServerOptions,
} from './testing/redis-server.ts';
import {
  atOnce,
  contractLimiters,
  hitTimes,
  share,
  sharedAgain,
  untilTrue,
  watch,
} from './testing/sharing.ts';
import { onFreePort, startTogether } from '../../../core/src/testing/starts.ts';

/** Three servers, each with a third of the keys. */
interface RedisCluster {
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
async function startRedisCluster(options: RedisServerOptions = {}): Promise<RedisCluster> {
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

const patient = { timeoutMs: 5000 };

const user = 'coffer';
const password = 'hunter2';
/** The permissions that the documentation gives to the user of a cluster. */
const rights = '~coffer:* +eval +evalsha +get +set +time +cluster|slots +info'.split(' ');

describe('limiter shared over a cluster', { skip: noRedis || noOpenssl }, () => {
  const trusted = getCACertificates('default');
  let cluster: RedisCluster;
  /** Only the first URL has the password. */
  let url: string;
  before(async () => {
    const certificate = makeCertificate(newFolder(), 'DNS:localhost');
    setDefaultCACertificates([...trusted, certificate.authority]);
    const tls = ['--tls', '--cacert', certificate.authorityFile];
    // The certificate is for a name, so the servers announce names.
    const named = ['--cluster-announce-hostname', 'localhost'];
    const byName = [...named, '--cluster-preferred-endpoint-type', 'hostname'];
    const closed = ['--tls-cluster', 'yes', '--requirepass', password];
    cluster = await startRedisCluster({
      isTls: true,
      flags: [...tlsFlags(certificate), ...closed, ...byName],
      clientFlags: [...tls, '-a', password, '--no-auth-warning'],
    });
    for (const server of cluster.servers)
      await server.ask('ACL', 'SETUSER', user, 'on', `>${password}`, ...rights);
    url = cluster.url.replaceAll('127.0.0.1', 'localhost').replace('//', `//${user}:${password}@`);
  });
  after(async () => {
    await cluster.stop();
    setDefaultCACertificates(trusted);
  });

  // In a cluster, the same script counts.
  if (isLong) {
    const { make, close } = contractLimiters(() => url);
    after(close);
    limiterContract('the contract of every limiter', make, { countsByMonotonicClock: false });
  }

  it('is shared by nodes that connect to different servers first, and spreads the clients', async () => {
    const nodes: SharedLimiter[] = [];
    for (const { port } of cluster.servers) {
      const at = `rediss://${user}:${password}@localhost:${port}?cluster`;
      nodes.push((await share(at, patient)).limiter);
    }
    for (let round = 0; round < 5; round += 1) {
      const hits = await atOnce(400, (n) => nodes[n % 3]!.hit(`three ${round}`));
      assert.equal(hits.filter(({ allowed }) => allowed).length, 100);
      assert.equal(new Set(hits.map(({ resetsAtMs }) => resetsAtMs)).size, 1);
    }
    for (let n = 0; n < 60; n += 1) await nodes[0]!.hit(`client ${n}`);
    for (const server of cluster.servers)
      assert.ok(Number(await server.ask('DBSIZE')) > 0, server.url);
    for (const node of nodes) await node.close();
  });

  it('follows a slot that has moved to another server', async () => {
    const { limiter } = await share(url, patient);
    for (const server of cluster.servers) await server.ask('FLUSHALL');
    await limiter.hit('mover');
    const from = await moveOnlyKey(cluster);
    for (const left of [99, 98]) assert.equal((await limiter.hit('mover')).remaining, left);
    assert.equal(limiter.sharing().fallbacks, 0);
    assert.equal(await from.ask('DBSIZE'), '0');
    await limiter.close();
  });
});

describe('limiter shared over a cluster, when a server fails', { skip: noRedis }, () => {
  const shareFor = async (t: TestContext, flags: readonly string[] = []) => {
    const cluster = await startRedisCluster({ flags });
    t.after(() => cluster.stop());
    const watched = await share(cluster.url);
    t.after(() => watched.limiter.close());
    return { cluster, ...watched };
  };
  const sharedOf = (states: readonly SharingState[]) => states.map(({ isShared }) => isShared);

  for (const fault of isLong ? (['kill', 'freeze'] as const) : (['kill'] as const))
    it(`(${fault}) shares the clients of the other servers, and reports once that not all are shared`, async (t) => {
      // The other servers continue without it.
      const flags = ['--cluster-require-full-coverage', 'no'];
      const { cluster, limiter, states } = await shareFor(t, flags);
      const [lost] = cluster.servers;
      // A busy machine may respond too late at first.
      await untilTrue(
        async () => (await countedAlone(limiter)) === 0 && limiter.sharing().isShared,
        'clients are counted locally',
        clusterMs,
      );
      assert.equal(sharedOf(states).at(-1), true);
      const before = states.length;
      await lost![fault]();
      await untilTrue(async () => {
        const alone = await countedAlone(limiter);
        return alone > clients / 6 && alone < clients / 2;
      }, 'a third of the clients is not counted locally');
      assert.deepEqual(sharedOf(states.slice(before)), [false]);
      if (fault === 'freeze') lost!.thaw();
      else await lost!.restart();
      await sharedAgain(limiter, clusterMs);
    });

  if (isLong)
    it('for good, shares all clients again after a replica has replaced it', async (t) => {
      const { cluster, limiter, states } = await shareFor(t);
      await cluster.addReplica();
      await countedAlone(limiter);
      await cluster.servers[0]!.kill();
      const alone = () => countedAlone(limiter);
      await untilTrue(async () => (await alone()) > 0, 'no client is counted locally');
      const complaint = 'not all clients are shared again';
      await untilTrue(async () => (await alone()) === 0, complaint, clusterMs);
      assert.deepEqual(sharedOf(states), [true, false, true]);
    });

  it('and all others too, counts locally, also from the start, and shares again', async (t) => {
    const { cluster, limiter } = await shareFor(t);
    for (const server of cluster.servers) await server.kill();
    assert.equal((await hitTimes(limiter, 'one', 101)).allowed, false);
    const late = watch(cluster.url);
    t.after(() => late.limiter.close());
    await late.limiter.open();
    assert.match(late.states[0]!.reason, /ECONNREFUSED|closed/);
    for (const server of cluster.servers) await server.restart();
    await sharedAgain(limiter, clusterMs);
    await sharedAgain(late.limiter, clusterMs);
  });
});

const clients = 90;
/** How long a cluster may take to agree that a server failed or returned. */
const clusterMs = 20_000;

async function countedAlone(limiter: SharedLimiter): Promise<number> {
  const before = limiter.sharing().fallbacks;
  for (let n = 0; n < clients; n += 1) await limiter.hit(`client ${n}`);
  return limiter.sharing().fallbacks - before;
}

/** Moves the slot of the only key to another server, as an operator would, and drops the key. */
async function moveOnlyKey({ servers }: RedisCluster): Promise<RedisServer> {
  for (const [n, from] of servers.entries()) {
    const key = await from.ask('RANDOMKEY');
    if (key === '') continue;
    const to = servers[(n + 1) % servers.length]!;
    const slot = await from.ask('CLUSTER', 'KEYSLOT', key);
    const [fromId, toId] = [await from.ask('CLUSTER', 'MYID'), await to.ask('CLUSTER', 'MYID')];
    await to.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
    await from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    await from.ask('DEL', key);
    await to.ask('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    await from.ask('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    return from;
  }
  return assert.fail('No server has a key');
}
