import { type Engine, row, run, type Steps } from '../engine.ts';
import { migratePostgres, serverWarnings } from './migrate.ts';
import { openPostgres, type PostgresOptions, type PostgresEngine } from './postgres.ts';
import sql, { type Sql } from 'sql-template-tag';
import { drawIdentity } from '../tables/identity.ts';

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
