import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  readSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { makePrivate, asDatabaseError, isBusy, withDatabaseErrors } from './connection.ts';

/** Resolves links in a path, even if the file does not exist, so that all names of a file share one lock. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
  }
}

/** Whether both names refer to the same file. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (first === undefined || second === undefined) return false;
  return first.ino === second.ino && first.dev === second.dev;
}

/** Returns a unique name in the folder of `file`, so that a rename stays within one file system. */
export function temporaryName(file: string): string {
  return join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`);
}

/** Removes a temporary file and its journal. */
export function removeTemporary(temporary: string): void {
  for (const end of ['', '-journal']) rmSync(temporary + end, { force: true });
}

/** Returns the name, or if it is taken the first free name of `name-2`, `name-3` and so on. */
export function freeName(name: string): string {
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : `${name}-${n}`;
    if (!existsSync(free)) return free;
  }
}

/** Returns a time in UTC for a file name, such as `20261120T120000Z`. */
export function fileTime(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Syncs a file to the disk and returns its size in bytes. */
export function syncFile(path: string): number {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** Syncs the folder of a file to the disk, because fsync of the file does not sync its name. */
export function syncFolderOf(file: string): void {
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * What a process does with a database: run a command, serve it, or replace its file in a restore or a move.
 *
 * One server and any number of commands can run at the same time. A restore runs alone.
 */
export type Occupation = 'command' | 'server' | 'restore';

/** Another process uses the database, and this one cannot use it at the same time. */
export class DatabaseInUseError extends Error {
  override name = 'DatabaseInUseError';
}

/** A lock on a database, held until it is released or the process ends. */
interface DatabaseLock {
  release(): void;
}

/** Statements that take the three locks of an SQLite file outside WAL mode: SHARED, RESERVED, EXCLUSIVE. */
const statements: Readonly<Record<Occupation, string>> = {
  command: 'BEGIN; SELECT count(*) FROM sqlite_schema',
  server: 'BEGIN IMMEDIATE',
  restore: 'BEGIN EXCLUSIVE',
};

const refusals: Readonly<Record<Occupation, string>> = {
  command: 'The database is being restored or moved: try again when that has finished',
  server:
    'The database already has a server, or is being restored or moved. A file can have one server at a time: ' +
    'stop the other one, or use PostgreSQL, which several servers can share',
  restore: 'The database is in use: stop its server, wait for other commands to end, and try again',
};

/** Keeps a reference to each connection: better-sqlite3 closes an unreferenced connection, which releases its lock. */
const openLocks = new Set<Database.Database>();

const noLock: DatabaseLock = { release: () => undefined };

/**
 * Locks a database against other processes, before it is opened.
 *
 * The lock is an SQLite lock on an empty file next to the database, `NAME-lock`, which is never removed. The system
 * releases the lock when the process ends. Blocks for at most `waitMs`, then throws {@link DatabaseInUseError}. A
 * database in memory and a file that is not a database are not locked. Throws a DatabaseError for file system errors.
 */
export function lockDatabase(path: string, occupation: Occupation, waitMs: number): DatabaseLock {
  const file = `${realPath(path)}-lock`;
  if (path === ':memory:' || (!existsSync(file) && !mayBeDatabase(path))) return noLock;
  makePrivate(file);
  const connection = withDatabaseErrors(() => new Database(file, { timeout: waitMs }));
  try {
    // Otherwise there would be a journal file next to it while the lock is held.
    connection.pragma('journal_mode = MEMORY');
    connection.exec(statements[occupation]);
  } catch (error) {
    connection.close();
    throw isBusy(error) ? new DatabaseInUseError(refusals[occupation]) : asDatabaseError(error);
  }
  openLocks.add(connection);
  return {
    release: () => {
      openLocks.delete(connection);
      connection.close();
    },
  };
}

/** False for a file that is not a database, so that no lock file is left next to it. */
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
