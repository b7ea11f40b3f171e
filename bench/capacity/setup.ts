import { importEntries } from '../../packages/server/src/main.ts';
import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Postgres from 'pg';
import { createRedisLimiter } from '../../packages/server/src/limiter/redis/redis-limiter.ts';
import { parseRedisUrl } from '../../packages/server/src/limiter/redis/redis-url.ts';
import { startRedis } from '../../packages/server/src/limiter/testing/redis-server.ts';
import type { RedisServer } from '../../packages/server/src/limiter/testing/redis-server.ts';
import { openDatabase, parseDatabase } from '../../packages/server/src/main.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { startPostgres } from '../../packages/server/src/db/testing/postgres-server.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';
import { benchEntries } from '../measure/book.ts';
import type { StorageCosts } from './costs.ts';
import { durable, makeToken } from '../postgres/postgres.ts';
import { processorTimeMs } from '../measure/processor-time.ts';
import { onlyBook } from '../measure/walks.ts';

const require = createRequire(new URL('../../packages/server/src/main.ts', import.meta.url));
const { Client } = require('pg') as typeof Postgres;

const clients = 20_000;

/** A PostgreSQL server with the benchmark's book, a Redis server, and a folder for sockets. */
export interface Setup {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly url: string;
  readonly token: string;
  readonly folder: string;
  readonly storage: StorageCosts;
  stop(): Promise<void>;
}

/** Starts both servers, fills the database, and measures that. */
export async function startSetup(rows: number): Promise<Setup> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-capacity-'));
  const [postgres, redis] = await Promise.all([startPostgres(durable), startRedis()]);
  const url = await postgres.newDatabase();
  const engine = await openDatabase(parseDatabase(url));
  try {
    const token = await makeToken(engine);
    const written = await measureRows({ engine, postgres, url, rows });
    const storage = { ...written, sourceBytes: await measureClients(redis) };
    const stop = async (): Promise<void> => {
      await Promise.all([postgres.stop(), redis.stop()]);
      await rm(folder, { recursive: true, force: true });
    };
    return { postgres, redis, url, token, folder, storage, stop };
  } finally {
    await engine.close();
  }
}

interface Filling {
  readonly engine: Engine;
  readonly postgres: PostgresServer;
  readonly url: string;
  readonly rows: number;
}

async function measureRows(filling: Filling): Promise<Omit<StorageCosts, 'sourceBytes'>> {
  const { engine, postgres, url, rows } = filling;
  const { id } = await onlyBook(engine);
  const serverPid = postgres.process.pid ?? 0;
  const client = new Client({ connectionString: url });
  await client.connect();
  const logEnd = async (): Promise<number> =>
    numberOf(await client.query(`SELECT pg_current_wal_insert_lsn() - '0/0' AS value`));
  // After a checkpoint the log holds each page completely only once, as on a busy server.
  await client.query('CHECKPOINT');
  const before = {
    log: await logEnd(),
    server: processorTimeMs(serverPid),
    node: process.cpuUsage(),
  };
  const entries = () => benchEntries(rows);
  await importEntries(engine, id, { entries, defaultAccount: null, dryRun: false });
  const { user, system } = process.cpuUsage(before.node);
  const importPostgresUs = ((processorTimeMs(serverPid) - before.server) * 1000) / rows;
  const logBytes = ((await logEnd()) - before.log) / rows;
  await client.query('VACUUM ANALYZE');
  const size = await client.query(`SELECT pg_total_relation_size('transactions') AS value`);
  await client.query('CHECKPOINT');
  await client.end();
  return {
    importNodeUs: (user + system) / rows,
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
  const shared = Promise.withResolvers<undefined>();
  const onStateChange = ({ isShared }: { isShared: boolean }): void => {
    if (isShared) shared.resolve(undefined);
  };
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

/** Returns a number from the INFO command of Redis. */
export async function redisFigure(
  redis: RedisServer,
  section: string,
  name: string,
): Promise<number> {
  const text = await redis.ask('INFO', section);
  return Number(new RegExp(`${name}[:=](?:calls=)?([0-9.]+)`).exec(text)?.[1] ?? 0);
}
