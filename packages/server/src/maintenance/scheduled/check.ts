import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import sql from 'sql-template-tag';
import { row } from '../../db/engine.ts';
import type { Engine } from '../../db/engine.ts';
import type { FilesLocation } from '../../files/store.ts';
import { versionOf } from './dump.ts';
import type { BackupSource } from './place.ts';

/** Creates the folder of backups if it is missing. Returns why backups cannot be made, or null. */
export async function backupProblem(
  { database }: BackupSource,
  to: FilesLocation,
): Promise<string | null> {
  if (database.engine === 'sqlite' && database.path === ':memory:')
    return 'A database in memory has no backups: name a file with --database';
  if (database.engine === 'postgres')
    for (const program of ['pg_dump', 'pg_restore'] as const)
      if ((await versionOf(program)) === null)
        return `Backups of PostgreSQL need ${program}, which is not on the PATH of the server: install the client programs`;
  if (to.kind === 's3') return null;
  try {
    await mkdir(to.path, { recursive: true, mode: 0o700 });
    await access(to.path, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `The server cannot write to "${to.path}": ${(error as Error).message}`;
  }
}

/** Returns why the programs here cannot dump a PostgreSQL server, or null: they must not be older than it. */
export async function versionProblem(engine: Engine): Promise<string | null> {
  const found = await engine.read(() =>
    row<{ version: number }>(
      sql`SELECT CAST(current_setting('server_version_num') AS int) / 10000 AS version`,
    ),
  );
  const [server, own] = [found?.version ?? 0, (await versionOf('pg_dump')) ?? 0];
  if (own >= server) return null;
  return `pg_dump ${own} cannot dump the server, which is PostgreSQL ${server}: install pg_dump ${server} or newer`;
}
