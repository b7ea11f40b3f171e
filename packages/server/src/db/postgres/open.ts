import sql, { type Sql } from 'sql-template-tag';
import { row, run, type Engine, type Steps } from '../engine.ts';
import {
  drawIdentity,
  newestOf,
  refuseOthers,
  schemas,
  scriptsFrom,
} from '../tables/migrations.ts';
import type { PostgresConnection } from './connection.ts';
import { openPostgres, type PostgresOptions, type PostgresEngine } from './postgres.ts';

/**
 * Opens a PostgreSQL database, and brings its schema up to date.
 *
 * A database that was copied or restored gets a new id ({@link checkIdentity}). `onWarning` gets a sentence for each
 * server setting that can lose data. Rejects with a DatabaseError if the server cannot be reached, or with a
 * NewerDatabaseError or an UnfitServerError; then nothing is changed.
 */
export async function openPostgresDatabase(
  options: PostgresOptions,
  onWarning?: (sentence: string) => void,
): Promise<Engine> {
  const engine = openPostgres(options);
  try {
    await migratePostgres(engine);
    await checkIdentity(engine);
    if (onWarning !== undefined) (await serverWarnings(engine)).forEach(onWarning);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}

/** Identifies the place of a database. Parts that the user has no permission to read are omitted. */
type Fingerprint = Readonly<Record<string, string>>;

/**
 * Gives the database a new id if its place has changed since it was last opened.
 *
 * The place is the system identifier and the timeline of the server, and the object ids of the database and of its
 * table `books`. So these get a new id: a restored dump, a copy by CREATE DATABASE, and a server that was promoted or
 * recovered to an earlier time. A standby keeps its id. A copy of the server's files without a new timeline, such as a
 * disk snapshot, cannot be detected.
 */
async function checkIdentity(engine: PostgresEngine): Promise<void> {
  const found = await engine.read(readFingerprint);
  if (found === null) return;
  const stored = await engine.read(readStored);
  const merged = JSON.stringify({ ...stored.parts, ...found });
  if (merged !== stored.text) await engine.write(() => store(stored, found, merged));
}

/** Returns null on a standby, which accepts no writes. */
function* readFingerprint(): Steps<Fingerprint | null> {
  const place = yield* row<{
    standby: number;
    system: number;
    timeline: number;
    database: string;
    books: string;
  }>(sql`
    SELECT pg_is_in_recovery()::int AS standby, 'books'::regclass::oid::text AS books,
      (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database,
      ${mayCall('pg_control_system()')} AS system,
      ${mayCall('pg_current_wal_insert_lsn()')} * ${mayCall('pg_walfile_name(pg_lsn)')} AS timeline`);
  if (place === undefined || place.standby === 1) return null;
  const { database, books } = place;
  const system = sql`SELECT system_identifier::text AS part FROM pg_control_system()`;
  const timeline = sql`SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS part`;
  return {
    database,
    books,
    ...(place.system === 1 && { system: yield* readPart(system) }),
    ...(place.timeline === 1 && { timeline: yield* readPart(timeline) }),
  };
}

/** SQL: 1 if the function exists and the user may call it, otherwise 0. */
function mayCall(name: string): Sql {
  return sql`coalesce(has_function_privilege(to_regprocedure(${name}), 'EXECUTE'), false)::int`;
}

function* readPart(statement: Sql): Steps<string> {
  return (yield* row<{ part: string }>(statement))?.part ?? '';
}

interface StoredFingerprint {
  /** JSON. Empty until the database is opened for the first time. */
  readonly text: string;
  readonly parts: Fingerprint;
}

function* readStored(): Steps<StoredFingerprint> {
  const found = yield* row<{ value: string }>(
    sql`SELECT value FROM database_identity WHERE name = 'fingerprint'`,
  );
  const text = found?.value ?? '';
  return { text, parts: text === '' ? {} : (JSON.parse(text) as Fingerprint) };
}

/** Stores the fingerprint. If several nodes start together, only the first one stores it. */
function* store(stored: StoredFingerprint, found: Fingerprint, text: string): Steps<void> {
  const isFirst = yield* row(
    stored.text === ''
      ? sql`INSERT INTO database_identity (name, value) VALUES ('fingerprint', ${text})
          ON CONFLICT (name) DO NOTHING RETURNING name`
      : sql`UPDATE database_identity SET value = ${text} WHERE name = 'fingerprint' AND value = ${stored.text}
          RETURNING name`,
  );
  const hasMoved = Object.entries(stored.parts).some(
    ([part, value]) => found[part] !== undefined && found[part] !== value,
  );
  if (isFirst !== undefined && hasMoved) yield* run(drawIdentity());
}

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
