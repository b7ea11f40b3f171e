import { isDatabaseError } from '../../db/errors.ts';
import { asDatabaseError as asServerError, beginPostgres } from '../../db/postgres/connection.ts';
import {
  asDatabaseError as asFileError,
  SqliteConnection,
  withDatabaseErrors,
} from '../../db/sqlite/connection.ts';
import type { Table } from '../../db/table.ts';
import { existsSync, linkSync, rmSync } from 'node:fs';
import sql, { raw, join, type Sql } from 'sql-template-tag';
import {
  realPath,
  syncFile,
  syncFolderOf,
  temporaryName,
  lockDatabase,
} from '../../db/sqlite/files.ts';
import { migrate } from '../../db/sqlite/migrate.ts';
import { openSqlite } from '../../db/sqlite/sqlite.ts';
import {
  findLostReference,
  readContents,
  readHeader,
  UnsoundFileError,
  useFile,
} from '../examine-file.ts';
import { openCurrent, type Migration } from '../open-sqlite.ts';
import { storageKey, movedTables } from '../tables.ts';
import { row, rows, type Steps } from '../../db/engine.ts';
import type { PostgresConnection } from '../../db/postgres/connection.ts';
import { bringUpToDate, examine, migratePostgres } from '../../db/postgres/open.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';

/** The place of the source or the target of a move. */
export type MoveEnd =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** A value of a column, in the form of both engines. */
export type Value = string | number | Uint8Array | null;
/** A row: values by column name. */
export type Row = Readonly<Record<string, Value>>;

/** The parts of a move that differ between the engines. */
export interface MoveWords {
  readonly engine: MoveEnd['engine'];
  /** Selects the rows whose storage key has these values, in any order. */
  rowsWithKeys(table: Table, keys: readonly (readonly Value[])[]): Sql;
}

/** A database with an open transaction. */
export interface Session {
  readonly words: MoveWords;
  run<T>(steps: Steps<T>): Promise<T> | T;
  /** Rolls back what was not committed, and unlocks the database. */
  close(): Promise<void> | void;
}

/** A database that is being filled. Nothing is visible before the commit. */
export interface TargetSession extends Session {
  /** Adds what was omitted for speed, such as indexes. Throws if a row refers to a missing row. */
  complete(): Promise<void> | void;
  commit(): Promise<void> | void;
}

/** A database cannot be moved, or the move failed. The target is unchanged. */
export class MoveError extends Error {
  override name = 'MoveError';
}

/** Runs work on one side of a move, and names that side in database errors. */
export async function onSide<T>(side: 'source' | 'target', work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const found = asServerError(asFileError(error));
    if (!isDatabaseError(found)) throw found;
    const what = found.kind === 'refused' ? ' refused the data' : '';
    throw new MoveError(`The ${side}${what}: ${found.message}`, { cause: found });
  }
}

/** How long a read waits while another process has locked the file, in milliseconds. */
const busyTimeoutMs = 30_000;

const fileWords: MoveWords = {
  engine: 'sqlite',

  /** Uses CROSS JOIN, so that the engine loops over the keys and looks up each one. */
  rowsWithKeys(table, keys: readonly (readonly Value[])[]) {
    const isThat = storageKey(table, 'sqlite').map(
      (name, index) => `t.${name} = k.value ->> ${index}`,
    );
    return sql`SELECT t.* FROM json_each(${JSON.stringify(keys)}) k
      CROSS JOIN ${raw(table.name)} t ON ${raw(isThat.join(' AND '))}`;
  },
};

/** Opens the source of a move, migrates its schema, and locks out other processes until the session is closed. */
export async function openFileSource(
  path: string,
  onMigration?: (migration: Migration) => void,
): Promise<Session> {
  refuseUnsound(() => readHeader(path));
  const lock = lockDatabase(path, 'restore', 0);
  try {
    // Opening the database of another program with `openCurrent` would create tables in it.
    refuseUnsound(() => useFile(path, {}, readContents));
    await openCurrent(path, { occupation: 'restore', busyTimeoutMs, onMigration }).close();
    const connection = new SqliteConnection(path, {
      openTimeoutMs: busyTimeoutMs,
      mustExist: true,
    });
    connection.perform(raw('BEGIN'));
    const close = (): void => {
      connection.close();
      lock.release();
    };
    return { ...fileSession(connection), close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function refuseUnsound(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    throw error instanceof UnsoundFileError ? new MoveError(`The source ${error.message}`) : error;
  }
}

/**
 * Creates a new file as the target. It has a temporary name, no log and no syncs while it is filled, and gets its name
 * when it is complete and on the disk. A process that is killed leaves a temporary file whose name starts with a dot
 * and ends in `.tmp`. Throws a {@link MoveError} if the file exists.
 */
export async function openFileTarget(path: string): Promise<TargetSession> {
  const file = realPath(path);
  refuseExisting(file);
  const lock = lockDatabase(file, 'restore', 0);
  const temporary = temporaryName(file);
  let connection: SqliteConnection | null = null;
  const close = (): void => {
    connection?.close();
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(temporary + end, { force: true });
    lock.release();
  };
  try {
    const engine = openSqlite({ path: temporary, busyTimeoutMs: 0 });
    migrate(engine);
    await engine.close();
    connection = new SqliteConnection(temporary, { openTimeoutMs: 0, mustExist: true });
    connection.execute(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;
       PRAGMA cache_size = -65536; BEGIN`,
      0,
    );
    return { ...fileTarget(connection, temporary, file), close };
  } catch (error) {
    close();
    throw error;
  }
}

function fileTarget(
  connection: SqliteConnection,
  temporary: string,
  file: string,
): Omit<TargetSession, 'close'> {
  return {
    ...fileSession(connection),
    complete: () => {
      const lost = withDatabaseErrors(() => findLostReference(connection.database));
      if (lost !== undefined) throw new MoveError(`The source is damaged: ${lost}`);
    },
    commit: () => {
      connection.perform(raw('COMMIT'));
      connection.close();
      syncFile(temporary);
      putInPlace(temporary, file);
    },
  };
}

function fileSession(connection: SqliteConnection): Omit<Session, 'close'> {
  return { words: fileWords, run: (steps) => connection.run(steps) };
}

/** Uses a link, which fails if another process has created the file. A rename would replace it. */
function putInPlace(temporary: string, file: string): void {
  try {
    linkSync(temporary, file);
  } catch (error) {
    refuseExisting(file);
    throw error;
  }
  syncFolderOf(file);
}

function refuseExisting(file: string): void {
  if (existsSync(file))
    throw new MoveError(
      'The target already exists: a database is moved to a new file, so name another one with --to',
    );
}

const connectTimeoutMs = 10_000;
const lockTimeoutMs = 10_000;

const ownTables = ['database_identity', 'leases', 'schema_versions'];
const movedNames = movedTables.map(({ name }) => name).toSorted();

/** The current schema of a connection, which has all tables of this program. */
const ownSchema = raw('(SELECT oid FROM pg_namespace WHERE nspname = current_schema())');

const serverWords: MoveWords = {
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
    return serverSession(connection);
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
      ...serverSession(connection),
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

function serverSession(connection: PostgresConnection): Session {
  return {
    words: serverWords,
    run: (steps) => connection.run(steps),
    close: () => connection.cut(),
  };
}

async function closedUnless<T>(connection: PostgresConnection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    connection.cut();
    throw error;
  }
}
