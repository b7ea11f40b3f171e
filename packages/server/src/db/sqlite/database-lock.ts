import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { realPath } from './files.ts';
import { makePrivate } from './connection.ts';
import { asDatabaseError, isBusy, withDatabaseErrors } from './faults.ts';

/**
 * What a process does with a database: run a command, serve it, or replace its file, as a restore or a move does.
 *
 * One server and any number of commands can run together. A restore runs alone.
 */
export type Occupation = 'command' | 'server' | 'restore';

/** Another process uses the database in a way that excludes this one. */
export class DatabaseInUseError extends Error {
  override name = 'DatabaseInUseError';
}

/** Holds a database until it is released or the process ends. */
export interface DatabaseLock {
  release(): void;
}

/** The three locks of an SQLite file that is not in WAL mode: SHARED, RESERVED, EXCLUSIVE. */
const statements: Readonly<Record<Occupation, string>> = {
  command: 'BEGIN; SELECT count(*) FROM sqlite_schema',
  server: 'BEGIN IMMEDIATE',
  restore: 'BEGIN EXCLUSIVE',
};

const refusals: Readonly<Record<Occupation, string>> = {
  command: 'The database is being restored or moved: try again when that is done',
  server:
    'The database has a server already, or is being restored or moved. A file has one server at a time: stop the other one, ' +
    'or keep the records in PostgreSQL, which several servers can share',
  restore: 'The database is in use: stop its server, let every other command end, and try again',
};

/** The library closes a connection that nothing refers to, and a closed one holds no lock. */
const held = new Set<Database.Database>();

const nothingHeld: DatabaseLock = { release: () => undefined };

/**
 * Locks a database against other processes, before it is opened.
 *
 * The lock is that of SQLite on an empty file beside the database, `NAME-lock`, which stays there. The system releases
 * it when the process ends. Waits at most `waitMs`, blocking. Throws {@link DatabaseInUseError}. A database in memory
 * needs no lock, and a file that is no database gets none. Throws a DatabaseError for what the file system does.
 */
export function lockDatabase(path: string, occupation: Occupation, waitMs: number): DatabaseLock {
  const file = `${realPath(path)}-lock`;
  if (path === ':memory:' || (!existsSync(file) && !mayBeDatabase(path))) return nothingHeld;
  makePrivate(file);
  const connection = withDatabaseErrors(() => new Database(file, { timeout: waitMs }));
  try {
    // Otherwise a journal would lie beside the file for as long as the lock is held.
    connection.pragma('journal_mode = MEMORY');
    connection.exec(statements[occupation]);
  } catch (error) {
    connection.close();
    throw isBusy(error) ? new DatabaseInUseError(refusals[occupation]) : asDatabaseError(error);
  }
  held.add(connection);
  return {
    release: () => {
      held.delete(connection);
      connection.close();
    },
  };
}

/** False for a file that the engine will refuse, so that no lock file is left beside it. */
function mayBeDatabase(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  return stats.isFile() && (stats.size === 0 || beginsLikeDatabase(path));
}

function beginsLikeDatabase(path: string): boolean {
  const start = Buffer.alloc(16);
  const file = openSync(path, 'r');
  try {
    return readSync(file, start) === 16 && start.toString('latin1') === 'SQLite format 3\0';
  } finally {
    closeSync(file);
  }
}
