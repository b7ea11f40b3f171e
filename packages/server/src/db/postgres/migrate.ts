import sql from 'sql-template-tag';
import { row } from '../engine.ts';
import type { Steps } from '../engine.ts';
import { newestOf, refuseOthers, schemas, scriptsFrom } from '../tables/migrations.ts';
import type { PostgresEngine } from './postgres.ts';
import type { PostgresConnection } from './connection.ts';

/** An arbitrary number that no other program should use in the same database. */
const lockKey = 1_131_374_195;
const oldestServer = 15;
/** How long other nodes wait for a migration. Longer than a migration of millions of rows takes. */
const migrationTimeoutMs = 120_000;

/** The server or the database does not meet the requirements of this program. */
class UnfitServerError extends Error {
  override name = 'UnfitServerError';
}

/**
 * Brings a PostgreSQL database to the current schema, all or nothing.
 *
 * Nodes that start together take turns under a lock, and the first does the work. A current database is only read.
 * Throws a NewerDatabaseError or an OlderDatabaseError if this program cannot open the schema. Throws an
 * {@link UnfitServerError} if the server is older than 15, the encoding is not UTF-8, the user may not create tables,
 * or other tables have their names. After an error nothing is changed.
 */
export async function migratePostgres(engine: PostgresEngine, known = schemas): Promise<void> {
  const found = await engine.read(() => examine(known));
  if (found === newestOf(known)) return;
  await engine.migrate(migrationTimeoutMs, (connection) => bringUpToDate(connection, known));
}

/** Returns a sentence for each server setting that can lose data or prevents writes. */
export async function serverWarnings(engine: PostgresEngine): Promise<string[]> {
  const server = await engine.read(() =>
    row<Record<'fsync' | 'pages' | 'recovery', string | null>>(sql`
      SELECT current_setting('fsync', true) AS fsync, current_setting('full_page_writes', true) AS pages,
        pg_is_in_recovery()::text AS recovery`),
  );
  const crash = 'a crash of its machine can damage the records';
  const warnings: string[] = [];
  if (server?.fsync === 'off') warnings.push(`PostgreSQL runs with fsync = off: ${crash}`);
  if (server?.pages === 'off')
    warnings.push(`PostgreSQL runs with full_page_writes = off: ${crash}`);
  if (server?.recovery === 'true')
    warnings.push('PostgreSQL is a standby: nothing can be written until it is promoted');
  return warnings;
}

/** Returns the schema version of the database, 0 for a new one. Throws the errors of {@link migratePostgres}. */
export function* examine(known = schemas): Steps<number> {
  const server = yield* row<{ version: number; encoding: string; table: string | null }>(sql`
    SELECT current_setting('server_version_num')::bigint AS version,
      current_setting('server_encoding') AS encoding, to_regclass('schema_versions')::text AS table`);
  if (server !== undefined) refuseUnfit(server);
  if ((server?.table ?? null) === null) return 0;
  const found = yield* row<{ version: number }>(
    sql`SELECT coalesce(max(version), 0) AS version FROM schema_versions`,
  );
  refuseOthers(found?.version ?? 0, known);
  return found?.version ?? 0;
}

function refuseUnfit({ version, encoding }: { version: number; encoding: string }): void {
  const major = Math.floor(version / 10_000);
  if (major < oldestServer)
    throw new UnfitServerError(
      `PostgreSQL ${major} is too old: use version ${oldestServer} or newer`,
    );
  if (encoding === 'UTF8') return;
  throw new UnfitServerError(
    `The database has the encoding ${encoding}: use a database that was created with ENCODING 'UTF8'`,
  );
}

/** Does the work of {@link migratePostgres} in the open transaction of a connection. */
export async function bringUpToDate(
  connection: PostgresConnection,
  known = schemas,
): Promise<void> {
  try {
    await runScripts(connection, known);
  } catch (error) {
    throw asUnfit(error);
  }
}

async function runScripts(connection: PostgresConnection, known: typeof schemas): Promise<void> {
  await connection.command(`SELECT pg_advisory_xact_lock(${lockKey})`);
  // Read again under the lock: another node may have migrated in between.
  const found = await connection.run(examine(known));
  if (found === 0) {
    await connection.command(
      'CREATE TABLE schema_versions (version BIGINT PRIMARY KEY, migrated_at TIMESTAMPTZ NOT NULL)',
    );
  }
  for (const { version, script } of scriptsFrom(found, 'postgres', known)) {
    await connection.command(script);
    await connection.command(`INSERT INTO schema_versions VALUES (${version}, now())`);
  }
}

/** Converts the server's errors when the user may not create tables (42501), or other tables have their names. */
function asUnfit(error: unknown): unknown {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  if (!/^(42501|42P0[67]|42710|42723)$/.test(String(code))) return error;
  return new UnfitServerError(
    `Cannot create the tables: ${String(message)}. Coffer needs its own database, and a user that owns it`,
    { cause: error },
  );
}
