import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTogether } from '../../packages/core/src/testing/starts.ts';
import { noRedis, startRedis } from '../../packages/server/src/limiter/testing/redis-server.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import type { SpecDatabase, SpecEngine } from './engine.ts';

export interface PostgresEngine extends SpecEngine {
  databases(): number;
  stop(): Promise<void>;
}

export const missing = postgresPrograms() === null ? 'missing: postgres' : noRedis;

/** Settings of an operator that must not change any response. */
const oddSettings = {
  timezone: 'Pacific/Kiritimati',
  datestyle: 'German, DMY',
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
};

/** Each service counts in its own Redis database. */
const mostServices = 1_000;

export async function startPostgresEngine(): Promise<PostgresEngine> {
  const [postgres, redis] = await startTogether(
    startPostgres(oddSettings),
    startRedis({ flags: ['--databases', String(mostServices)] }),
  );
  let databases = 0;
  let counts = 0;
  const create = async (making: Promise<string>): Promise<SpecDatabase> => {
    databases += 1;
    const url = await making;
    const folder = await mkdtemp(join(tmpdir(), 'coffer-spec-'));
    // The database is removed with its server.
    return { url, folder, remove: () => rmSync(folder, { recursive: true }) };
  };
  return {
    newDatabase: () => create(postgres.newDatabase()),
    copyDatabase: (from) => create(postgres.copyDatabase(from.url)),
    newRedisUrl: () => `${redis.url}/${(counts += 1)}`,
    databases: () => databases,
    stop: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}
