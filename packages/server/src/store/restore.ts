import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { checkSeal } from './backup-checksum.ts';
import { copySnapshot } from './backup.ts';
import type { BackupSummary } from './backup.ts';
import { DatabaseInUseError, lockDatabase } from './database-lock.ts';
import { examineFile, readHeader, UnsoundFileError } from './examine-file.ts';
import { fileTime, freeName, isSameFile, realPath, removeTemporary } from './files.ts';
import { syncFile, syncFolderOf, temporaryName } from './files.ts';
import { isBusy } from './sqlite-faults.ts';

/** A database that was put in its place. */
export interface RestoreSummary extends BackupSummary {
  /** Whether the file had a checksum, as a backup has, and so is known to be as it was written. */
  readonly hasChecksum: boolean;
  /** Where the database is that was there before; null when there was none. */
  readonly setAside: string | null;
}

/** There is a database where another one was to be put. */
export class DatabaseExistsError extends Error {
  override name = 'DatabaseExistsError';
}

/** How a database is restored. */
export interface RestoreOptions {
  /** Whether a database that is there is set aside. */
  readonly replace: boolean;
  readonly now: Date;
}

/**
 * Puts the database of a backup in the place of `database`, whole and on the disk, or not at all.
 *
 * The file is copied and the copy examined, so that what is put in place is what was found sound. A database that is
 * there is kept beside it under a name with the time. Throws {@link UnsoundFileError} for what is no sound database
 * of Coffer, a NewerDatabaseError for one of a newer program, {@link DatabaseExistsError},
 * {@link DatabaseInUseError}, and errors of the system; then everything is as it was.
 */
export function restore(file: string, database: string, options: RestoreOptions): RestoreSummary {
  const target = realPath(database);
  if (isSameFile(file, target)) throw new UnsoundFileError('is that database itself');
  const { usesLog } = readHeader(file);
  // A database that was in use since has been changed by right, wherever it came from.
  const seal = usesLog ? 'unsealed' : checkSeal(file);
  if (seal === 'changed') throw new UnsoundFileError('is damaged: its checksum does not fit');
  const lock = lockDatabase(target, 'restore', 0);
  const temporary = temporaryName(target);
  try {
    if (existsSync(target) && !options.replace) throw new DatabaseExistsError();
    copySnapshot(file, temporary, { readonly: !usesLog });
    const contents = examineFile(temporary);
    const bytes = syncFile(temporary);
    const setAside = putInPlace(temporary, target, options.now);
    return { ...contents, bytes, hasChecksum: seal === 'intact', setAside };
  } catch (error) {
    removeTemporary(temporary);
    throw error;
  } finally {
    lock.release();
  }
}

/** At every instant there is the old database under that name, or the new one. */
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
 * Folds the log of a database in and keeps everybody else out of it, also those who know nothing of our lock.
 *
 * A damaged database is let be. Throws {@link DatabaseInUseError}.
 */
function closeOff(path: string): Database.Database {
  const database = new Database(path, { timeout: 0 });
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
 * Gives the database that is there another name besides, and moves what there is of a log along with it.
 *
 * A log that stayed would be taken for that of the new database. There is something in it only when the database is
 * damaged or gone. Returns the other name, or null when there is nothing to keep.
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

/** Whether there is a file with something in it; removes an empty one. */
function dropEmpty(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.size === 0) rmSync(file);
  return stats !== undefined && stats.size > 0;
}

/** Of a database that a restore was about to set aside when it failed or was killed, only the one name stays. */
function dropOtherNames(target: string): void {
  const folder = dirname(target);
  const others = readdirSync(folder).filter((name) =>
    name.startsWith(`${basename(target)}.replaced-`),
  );
  for (const name of others) {
    if (isSameFile(join(folder, name), target)) rmSync(join(folder, name));
  }
}
