import { noRedis, startRedis } from '../../packages/server/src/limiter/testing/redis-server.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import type { SpecEngine } from './engine.ts';

/** PostgreSQL, and Redis for the counts, of one process. */
export interface PostgresEngine extends SpecEngine {
  /** How many databases were made. */
  databases(): number;
  stop(): Promise<void>;
}

/** What this machine lacks of the two, as the reason of a skip; false when it has both. */
export const missing = postgresPrograms() === null ? 'missing: postgres' : noRedis;

/** What an operator may have set on a server, and no answer may depend on. */
const oddSettings = {
  timezone: 'Pacific/Kiritimati',
  datestyle: 'German, DMY',
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
};

/** Each service counts in a database of its own. */
const mostServices = 1_000;

/** Starts a PostgreSQL server and a Redis server. */
export async function startPostgresEngine(): Promise<PostgresEngine> {
  const postgres = await startPostgres(oddSettings);
  const redis = await startRedis({ flags: ['--databases', String(mostServices)] });
  let databases = 0;
  let counts = 0;
  return {
    newDatabase: async () => {
      databases += 1;
      // It goes with its server.
      return { url: await postgres.newDatabase(), remove: () => Promise.resolve() };
    },
    newRedisUrl: () => `${redis.url}/${(counts += 1)}`,
    databases: () => databases,
    stop: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}
