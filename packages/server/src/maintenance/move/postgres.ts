import sql, { join, raw } from 'sql-template-tag';
import { row, rows } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { beginPostgres } from '../../db/postgres/connection.ts';
import type { PostgresConnection } from '../../db/postgres/connection.ts';
import { bringUpToDate, examine, migratePostgres } from '../../db/postgres/open.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';
import { movedTables, storageKey } from '../tables.ts';
import { MoveError } from './session.ts';
import type { MoveWords, Session, TargetSession, Value } from './session.ts';

const connectTimeoutMs = 10_000;
const lockTimeoutMs = 10_000;

const ownTables = ['database_identity', 'leases', 'schema_versions'];
const movedNames = movedTables.map(({ name }) => name).toSorted();

/** The current schema of a connection, which has all tables of this program. */
const ownSchema = raw('(SELECT oid FROM pg_namespace WHERE nspname = current_schema())');

const words: MoveWords = {
  engine: 'postgres',

  /** Passes the keys as one JSON text, because the server knows the types of the columns. */
  rowsWithKeys(table, keys: readonly (readonly Value[])[]) {
    const key = storageKey(table, 'postgres');
    const named = keys.map((values) =>
      Object.fromEntries(key.map((column, index) => [column, values[index]])),
    );
    const isThat = key.map((column) => `t.${column} = k.${column}`).join(' AND ');
    return sql`SELECT t.* FROM json_populate_recordset(NULL::${raw(table.name)}, ${JSON.stringify(named)}) k
      JOIN ${raw(table.name)} t ON ${raw(isThat)}`;
  },
};

/** Opens the source of a move, migrates its schema, and locks it against writes until the session is closed. */
export async function openServerSource(url: string): Promise<Session> {
  const own = sessionUrl(url);
  const wait = { connectTimeoutMs, lockTimeoutMs, statementTimeoutMs: 0 };
  const engine = openPostgres({ url: own, poolSize: 1, maxWaiting: 10, ...wait });
  try {
    if ((await engine.read(examine)) === 0)
      throw new MoveError('The source is not a Coffer database');
    await engine.read(refuseServers);
    await migratePostgres(engine);
  } finally {
    await engine.close();
  }
  const connection = await beginPostgres({ url: own, connectTimeoutMs }, lockTimeoutMs);
  return closedUnless(connection, async () => {
    await connection.command(`LOCK TABLE ${movedNames.join(', ')} IN SHARE MODE`);
    return sessionOf(connection);
  });
}

/** Returns the URL for a session of a move, whose application name differs from that of servers and commands. */
function sessionUrl(url: string): string {
  const named = new URL(url);
  named.searchParams.set('application_name', 'coffer move');
  return named.href;
}

/** Throws if servers or commands have sessions. An idle one has none, but will find the tables locked. */
function* refuseServers(): Steps<void> {
  const found = yield* row(sql`
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'coffer' LIMIT 1`);
  if (found === undefined) return;
  throw new MoveError(
    'The source is in use: stop its servers, wait for other commands to end, and try again',
  );
}

/**
 * Opens an empty database as the target, in one transaction. If the process or the server dies, the server rolls back
 * everything, including the tables. Throws a {@link MoveError} if the database has rows or other tables.
 */
export async function openServerTarget(url: string): Promise<TargetSession> {
  const connection = await beginPostgres({ url: sessionUrl(url), connectTimeoutMs }, lockTimeoutMs);
  return closedUnless(connection, async () => {
    await bringUpToDate(connection);
    await connection.run(refuseForeignTables());
    await connection.command(`LOCK TABLE ${movedNames.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    await connection.run(refuseRows());
    const suspended = await connection.run(findSuspended());
    for (const { drop } of suspended) await connection.command(drop);
    return {
      ...sessionOf(connection),
      complete: async () => {
        for (const { make } of suspended.toReversed()) await connection.command(make);
        await connection.command(`ANALYZE ${movedNames.join(', ')}`);
      },
      commit: () => commit(connection),
    };
  });
}

function* refuseForeignTables(): Steps<void> {
  const found = yield* row<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class WHERE relnamespace = ${ownSchema} AND relkind IN ('r', 'p')
      AND relname NOT IN (${join([...movedNames, ...ownTables])})`);
  if (found === undefined) return;
  throw new MoveError(
    `The target has the table ${found.name} of another program: name an empty database with --to`,
  );
}

function* refuseRows(): Steps<void> {
  const full: string[] = [];
  for (const name of movedNames)
    if ((yield* row(sql`SELECT 1 AS one FROM ${raw(name)} LIMIT 1`)) !== undefined) full.push(name);
  if (full.length === 0) return;
  throw new MoveError(
    `The target already has rows in ${full.join(', ')}: create an empty database with CREATE DATABASE, ` +
      'and name it with --to',
  );
}

/** Something that is dropped while rows are written, with the statement that creates it again. */
interface Suspended {
  readonly drop: string;
  readonly make: string;
}

/**
 * Finds foreign keys and indexes. Creating them at the end costs less, and allows a row before one that it refers to.
 * Foreign keys are dropped first, because they need the indexes of the tables that they refer to.
 */
function* findSuspended(): Steps<Suspended[]> {
  const keys = yield* rows<Suspended>(sql`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS make
    FROM pg_constraint WHERE contype = 'f' AND connamespace = ${ownSchema} ORDER BY oid`);
  const indexes = yield* rows<Suspended>(sql`
    SELECT 'DROP INDEX ' || c.oid::regclass AS drop, pg_get_indexdef(c.oid) AS make FROM pg_class c
    WHERE c.relnamespace = ${ownSchema} AND c.relkind = 'i'
      AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype <> 'f')
    ORDER BY c.oid`);
  return [...keys, ...indexes];
}

async function commit(connection: PostgresConnection): Promise<void> {
  try {
    await connection.command('COMMIT');
  } catch (cause) {
    throw new MoveError('The target failed during the commit: check whether it has the tables', {
      cause,
    });
  }
}

function sessionOf(connection: PostgresConnection): Session {
  return { words, run: (steps) => connection.run(steps), close: () => connection.cut() };
}

async function closedUnless<T>(connection: PostgresConnection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    connection.cut();
    throw error;
  }
}
