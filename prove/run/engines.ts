import { join } from 'node:path';
import {
  startPostgres,
  type PostgresServer,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import { inFolder } from '../../test/service/owners.ts';
import { isInOneProcess } from '../../test/service/server-process.ts';

export type EngineName = 'SQLite' | 'PostgreSQL';

const usual = {
  fsync: 'on',
  full_page_writes: 'on',
  // The default syncs every file one by one after a crash, which takes longer than the recovery.
  ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
};

/** Starts a PostgreSQL server and runs `work` on a new database. */
export async function withPostgres<T>(
  work: (url: string, server: PostgresServer) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const server = await startPostgres({ ...usual, ...settings });
  try {
    return await work(await server.newDatabase(), server);
  } finally {
    await server.stop();
  }
}

/**
 * Runs `work` on a new database of each engine, one after the other; a database is a path or a URL. Where servers are
 * part of this process, it runs on SQLite only.
 */
export async function onEachEngine<T>(
  work: (engine: EngineName, database: string) => Promise<T>,
): Promise<T[]> {
  const sqlite = await inFolder((folder) => work('SQLite', join(folder, 'coffer.db')));
  if (isInOneProcess()) return [sqlite];
  return [sqlite, await withPostgres((url) => work('PostgreSQL', url))];
}
