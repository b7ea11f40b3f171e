import { join } from 'node:path';
import { Client } from 'pg';
import {
  postgresPrograms,
  startPostgres,
  type PostgresServer,
} from '../../packages/server/src/db/testing/postgres-server.ts';

/** Settings that the tests turn off for speed, with their defaults. */
export const durable = { fsync: 'on', full_page_writes: 'on' };

/** Runs `work` with a PostgreSQL server; returns null where PostgreSQL or the times of its processes are missing. */
export async function onPostgres<T>(
  work: (server: PostgresServer, pid: number) => Promise<T>,
): Promise<T | null> {
  if (postgresPrograms() === null || process.platform !== 'linux') return null;
  const server = await startPostgres(durable);
  try {
    return await work(server, server.process.pid!);
  } finally {
    await server.stop();
  }
}

/** Runs `work` on a new database of each engine, of PostgreSQL if it is there; joins the results. */
export async function onBothEngines<T>(
  folder: string,
  work: (
    url: string,
    name: 'SQLite' | 'PostgreSQL',
    serverPid: number | null,
    newUrl: () => Promise<string>,
  ) => Promise<T[]>,
): Promise<T[]> {
  let made = 0;
  const newFile = (): Promise<string> => {
    made += 1;
    return Promise.resolve(`sqlite:${join(folder, `engine-${made}.db`)}`);
  };
  const ofSqlite = await work(await newFile(), 'SQLite', null, newFile);
  const ofPostgres = await onPostgres(async (server, pid) => {
    const newUrl = (): Promise<string> => server.newDatabase();
    return work(await newUrl(), 'PostgreSQL', pid, newUrl);
  });
  return [...ofSqlite, ...(ofPostgres ?? [])];
}

/** Runs the maintenance of PostgreSQL that the server would otherwise do during the measurement. */
export async function settle(url: string): Promise<void> {
  if (!url.startsWith('postgres')) return;
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of ['VACUUM ANALYZE', 'CHECKPOINT']) await client.query(statement);
  await client.end();
}
