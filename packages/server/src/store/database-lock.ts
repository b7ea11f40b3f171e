import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { realPath } from './files.ts';
import { makePrivate } from './sqlite-connection.ts';
import { isBusy } from './sqlite-faults.ts';

/**
 * What a process does with a database: run one command on it, serve it, or put another file in its place.
 *
 * Any number of commands go together with one server. Nothing goes together with a restore, which a move counts as.
 */
export type Occupation = 'command' | 'server' | 'restore';

/** Somebody else has the database open, so that it cannot be used as was wanted. */
export class DatabaseInUseError extends Error {
  override name = 'DatabaseInUseError';
}

/** Holds a database until it is released or the process ends, in whatever way. */
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

const nothingHeld: DatabaseLock = { release: () => undefined };

/**
 * Says to other processes that the database is in use, before it is opened.
 *
 * The lock is SQLite's own on an empty file beside the database, `NAME-lock`, which stays there: the system gives it
 * up when a process dies, however that was. Waits at most `waitMs`, blocking. Throws
 * {@link DatabaseInUseError}. A database in memory needs no lock, and what is no database gets none.
 */
export function lockDatabase(path: string, occupation: Occupation, waitMs: number): DatabaseLock {
  const file = `${realPath(path)}-lock`;
  if (path === ':memory:' || (!existsSync(file) && !mayBeDatabase(path))) return nothingHeld;
  makePrivate(file);
  const connection = new Database(file, { timeout: waitMs });
  try {
    // Without this a journal would lie beside the empty file for as long as the lock is held.
    connection.pragma('journal_mode = MEMORY');
    connection.exec(statements[occupation]);
  } catch (error) {
    connection.close();
    throw isBusy(error) ? new DatabaseInUseError(refusals[occupation]) : error;
  }
  return { release: () => connection.close() };
}

/** False for what the engine will refuse, so that nothing is left beside a file that is none of ours. */
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
