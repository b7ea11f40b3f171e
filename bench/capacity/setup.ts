import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startTogether } from '../../packages/core/src/testing/starts.ts';
import { startPostgres } from '../../packages/server/src/db/testing/postgres-server.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';
import { createRedisLimiter } from '../../packages/server/src/limiter/redis.ts';
import { parseRedisUrl } from '../../packages/server/src/limiter/redis-url.ts';
import { startRedis } from '../../packages/server/src/limiter/testing/redis-server.ts';
import type { RedisServer } from '../../packages/server/src/limiter/testing/redis-server.ts';
import type { Book } from '../../packages/server/src/operations/caller.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { durable } from '../measure/engines.ts';
import { cpuMs, processorTimeMs } from '../measure/processor-time.ts';
import { importRows, openBook } from '../measure/workspace.ts';
import type { StorageCosts } from './costs.ts';

const clients = 20_000;

export interface Setup {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly url: string;
  readonly token: string;
  readonly folder: string;
  readonly storage: StorageCosts;
}

export async function withSetup<T>(rows: number, work: (setup: Setup) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-capacity-'));
  const [postgres, redis] = await startTogether(startPostgres(durable), startRedis());
  try {
    const url = await postgres.newDatabase();
    const opened = await openBook(url);
    const { engine, token } = opened;
    const written = await measureRows(opened, postgres, url, rows);
    await engine.close();
    const storage = { ...written, sourceBytes: await measureClients(redis) };
    return await work({ postgres, redis, url, token, folder, storage });
  } finally {
    await Promise.all([postgres.stop(), redis.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureRows(
  { engine, book }: { readonly engine: Engine; readonly book: Book },
  postgres: PostgresServer,
  url: string,
  rows: number,
): Promise<Omit<StorageCosts, 'sourceBytes'>> {
  const serverPid = postgres.process.pid ?? 0;
  const client = new Client({ connectionString: url });
  await client.connect();
  const logEnd = async (): Promise<number> =>
    numberOf(await client.query(`SELECT pg_current_wal_insert_lsn() - '0/0' AS value`));
  // After a checkpoint the log holds each page completely only once, as on a busy server.
  await client.query('CHECKPOINT');
  const before = { log: await logEnd(), server: processorTimeMs(serverPid) };
  const ownMs = await cpuMs(() => importRows(engine, book, rows));
  const importPostgresUs = ((processorTimeMs(serverPid) - before.server) * 1000) / rows;
  const logBytes = ((await logEnd()) - before.log) / rows;
  await client.query('VACUUM ANALYZE');
  const size = await client.query(`SELECT pg_total_relation_size('transactions') AS value`);
  await client.query('CHECKPOINT');
  await client.end();
  return {
    importNodeUs: (ownMs * 1000) / rows,
    importPostgresUs,
    rowBytes: numberOf(size) / rows,
    logBytes,
  };
}

function numberOf({ rows }: { rows: unknown[] }): number {
  return Number((rows[0] as { value: string }).value);
}

async function measureClients(redis: RedisServer): Promise<number> {
  const memory = async (): Promise<number> => redisFigure(redis, 'memory', 'used_memory');
  const rateLimit = { limit: 100, windowMs: 60_000 };
  const shared = Promise.withResolvers<null>();
  const onStateChange = (state: { isShared: boolean }) => state.isShared && shared.resolve(null);
  const address = parseRedisUrl(redis.url)!;
  const limiter = createRedisLimiter({ rateLimit, address, onStateChange });
  await limiter.hit('192.0.2.1');
  await shared.promise;
  const before = await memory();
  for (let client = 0; client < clients; client += 1)
    await limiter.hit(`10.0.${client >> 8}.${client & 255}`);
  const used = (await memory()) - before;
  await limiter.close();
  return used / clients;
}

export async function redisFigure(
  redis: RedisServer,
  section: string,
  name: string,
): Promise<number> {
  const text = await redis.ask('INFO', section);
  return Number(new RegExp(`${name}[:=](?:calls=)?([0-9.]+)`).exec(text)?.[1] ?? 0);
}

/** A relay between Coffer and a PostgreSQL server that counts messages and bytes. */
interface Relay {
  readonly url: string;
  /** How often the server was ready for the next statement, and how many bytes it sent. */
  readonly counted: { trips: number; bytes: number };
  close(): Promise<void>;
}

const socketName = '.s.PGSQL.5432';
const headLength = 5;
const readyForQuery = 0x5a;

/** Listens in `folder` for clients of the database at `url`, a URL with a socket folder as `host`. */
export async function startRelay(url: string, folder: string): Promise<Relay> {
  const target = new URL(url);
  const upstreamPath = join(target.searchParams.get('host') ?? '', socketName);
  const counted = { trips: 0, bytes: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(upstreamPath);
    const count = readyCounter(() => (counted.trips += 1));
    upstream.on('data', (bytes) => {
      counted.bytes += bytes.length;
      count(bytes);
    });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(join(folder, socketName), resolve));
  target.searchParams.set('host', folder);
  return {
    url: target.href,
    counted,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Splits a stream into messages by their lengths. Source: PostgreSQL manual, 55.7. */
function readyCounter(onReady: () => void): (bytes: Buffer) => void {
  let held = Buffer.alloc(0);
  let left = 0;
  return (bytes) => {
    let rest = Buffer.concat([held, bytes]);
    for (;;) {
      const passed = Math.min(left, rest.length);
      left -= passed;
      rest = rest.subarray(passed);
      if (left > 0 || rest.length < headLength) break;
      if (rest[0] === readyForQuery) onReady();
      left = 1 + rest.readUInt32BE(1);
    }
    held = rest;
  };
}
