import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { isBusy, withDatabaseErrors } from '../db/sqlite/connection.ts';
import {
  fileTime,
  freeName,
  isSameFile,
  realPath,
  removeTemporary,
  DatabaseInUseError,
  lockDatabase,
  syncFile,
  syncFolderOf,
  temporaryName,
} from '../db/sqlite/files.ts';
import { copyLeftPending, setPendingAside } from '../db/sqlite/pending.ts';
import { drawIdentity } from '../db/tables/migrations.ts';
import { checkSeal, copySnapshot, type BackupSummary, type Unnamed } from './backup.ts';
import { examineFile, readHeader, UnsoundFileError, useFile } from './examine-file.ts';

/** A finished restore. */
export interface RestoreSummary extends BackupSummary {
  /** Whether the file had a checksum, like every backup, so that any change to it would have been detected. */
  readonly hasChecksum: boolean;
  /** The new name of the database that was replaced; null if there was none. */
  readonly setAside: string | null;
}

/** A database with that name already exists. */
class DatabaseExistsError extends Error {
  override name = 'DatabaseExistsError';
}

/** Options of {@link restore}. */
export interface RestoreOptions {
  /** Whether to set aside an existing database. Otherwise it is an error. */
  readonly replace: boolean;
  readonly now: Date;
}

/** Restores a backup at once: {@link startRestore}, and then its name. */
export function restore(file: string, database: string, options: RestoreOptions): RestoreSummary {
  const started = startRestore(file, database, options);
  try {
    return started.finish();
  } finally {
    started.discard();
  }
}

/**
 * Prepares to replace `database` with the database of a backup, completely or not at all, and synced to the disk.
 *
 * It copies the file, gives the copy a new id, and checks it. `finish` puts it in place. An existing database is kept
 * next to it under a name with the time. `discard` must be called in the end; until then no process can use the
 * database. Throws {@link UnsoundFileError} if the file is not an intact Coffer database, a NewerDatabaseError, an
 * OlderDatabaseError, {@link DatabaseExistsError}, {@link DatabaseInUseError}, a DatabaseError, or a system error; then
 * nothing is changed.
 */
export function startRestore(
  file: string,
  database: string,
  options: RestoreOptions,
): Unnamed<RestoreSummary> {
  const target = realPath(database);
  if (isSameFile(file, target)) throw new UnsoundFileError('is that database itself');
  const { usesLog } = readHeader(file);
  // A backup that was opened as a database has changed legitimately, so its checksum is no longer valid.
  const seal = usesLog ? 'unsealed' : checkSeal(file);
  if (seal === 'changed') throw new UnsoundFileError('is damaged: its checksum does not match');
  const lock = lockDatabase(target, 'restore', 0);
  const temporary = temporaryName(target);
  const discard = (): void => {
    removeTemporary(temporary);
    lock.release();
  };
  try {
    if (existsSync(target) && !options.replace) throw new DatabaseExistsError();
    copySnapshot(file, temporary, { readonly: !usesLog });
    drawNewIdentity(temporary);
    const contents = examineFile(temporary);
    const bytes = syncFile(temporary);
    const finish = (): RestoreSummary => {
      keepPending(target);
      const setAside = putInPlace(temporary, target, options.now);
      return { ...contents, bytes, hasChecksum: seal === 'intact', setAside };
    };
    return { path: temporary, finish, discard };
  } catch (error) {
    discard();
    throw error;
  }
}

/** What a killed server has left belongs to the old database; if that is damaged, or gone, it is of no use. */
function keepPending(target: string): void {
  try {
    copyLeftPending(target, 'restore');
  } catch {
    setPendingAside(target);
  }
}

/** Gives the database a new id. */
function drawNewIdentity(path: string): void {
  useFile(path, {}, (database) => {
    const { sql, values } = drawIdentity();
    database.prepare(sql).run(...values);
  });
}

/** Puts the new database in place. At every moment the name belongs to the old or the new one. */
function putInPlace(temporary: string, target: string, now: Date): string | null {
  const old = existsSync(target) ? closeOff(target) : null;
  try {
    const aside = setAside(target, now);
    renameSync(temporary, target);
    syncFolderOf(target);
    return aside;
  } catch (error) {
    dropOtherNames(target);
    throw error;
  } finally {
    old?.close();
  }
}

/**
 * Runs a checkpoint and locks out all other processes, including programs that do not use Coffer's lock file.
 *
 * A damaged database is not changed. Throws {@link DatabaseInUseError}.
 */
function closeOff(path: string): Database.Database {
  const database = withDatabaseErrors(() => new Database(path, { timeout: 0 }));
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE; COMMIT');
    database.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (!isBusy(error)) return database;
    database.close();
    throw new DatabaseInUseError('Another program has the database open: close it and try again');
  }
  return database;
}

/**
 * Gives the existing database a second name, and renames its log to match.
 *
 * SQLite would apply a log that stays to the new database. The log has content only if the database is damaged or
 * missing. Returns the second name, or null if there is nothing to keep.
 */
function setAside(target: string, now: Date): string | null {
  dropOtherNames(target);
  const aside = freeName(`${target}.replaced-${fileTime(now)}`);
  const logs = ['-wal', '-journal'].filter((end) => dropEmpty(target + end));
  if (existsSync(target)) linkSync(target, aside);
  for (const end of logs) renameSync(target + end, aside + end);
  rmSync(`${target}-shm`, { force: true });
  syncFolderOf(target);
  return existsSync(aside) || logs.length > 0 ? aside : null;
}

/** Whether the file exists and has content; removes an empty one. */
function dropEmpty(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.size === 0) rmSync(file);
  return stats !== undefined && stats.size > 0;
}

/** Removes second names of a database that were left by a failed or killed restore. */
function dropOtherNames(target: string): void {
  const folder = dirname(target);
  const others = readdirSync(folder).filter((name) =>
    name.startsWith(`${basename(target)}.replaced-`),
  );
  for (const name of others) {
    if (isSameFile(join(folder, name), target)) rmSync(join(folder, name));
  }
}
