import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { checkSeal, copySnapshot } from './backup.ts';
import type { BackupSummary } from './backup.ts';
import { drawIdentity } from '../db/identity.ts';
import { DatabaseInUseError, lockDatabase } from '../db/sqlite/database-lock.ts';
import {
  examineFile,
  readContents,
  readHeader,
  UnsoundFileError,
  useFile,
} from './examine-file.ts';
import { fileTime, freeName, isSameFile, realPath, removeTemporary } from '../db/sqlite/files.ts';
import { syncFile, syncFolderOf, temporaryName } from '../db/sqlite/files.ts';
import { isBusy, withDatabaseErrors } from '../db/sqlite/faults.ts';

/** The first schema in which a database has an id. */
const firstWithIdentity = 3;

/** A database that was restored. */
export interface RestoreSummary extends BackupSummary {
  /** Whether the file had a checksum, as every backup has, so that any change to it would have been found. */
  readonly hasChecksum: boolean;
  /** Where the database is that was there before; null if there was none. */
  readonly setAside: string | null;
}

/** There is a database where another one was to be put. */
class DatabaseExistsError extends Error {
  override name = 'DatabaseExistsError';
}

/** How a database is restored. */
export interface RestoreOptions {
  /** Whether an existing database is set aside; otherwise it is an error. */
  readonly replace: boolean;
  readonly now: Date;
}

/**
 * Replaces `database` by the database of a backup, complete and on the disk, or not at all.
 *
 * The file is copied and the copy is checked, so that exactly what was checked is put in place. It gets a new id. An
 * existing database is kept beside it under a name with the time. Throws {@link UnsoundFileError} for a file that is no
 * sound database of Coffer, a NewerDatabaseError for one of a newer program, {@link DatabaseExistsError},
 * {@link DatabaseInUseError}, a DatabaseError, and system errors; then everything is as it was.
 */
export function restore(file: string, database: string, options: RestoreOptions): RestoreSummary {
  const target = realPath(database);
  if (isSameFile(file, target)) throw new UnsoundFileError('is that database itself');
  const { usesLog } = readHeader(file);
  // A file that was opened as a database since then has changed legitimately, and its checksum means nothing.
  const seal = usesLog ? 'unsealed' : checkSeal(file);
  if (seal === 'changed') throw new UnsoundFileError('is damaged: its checksum does not fit');
  const lock = lockDatabase(target, 'restore', 0);
  const temporary = temporaryName(target);
  try {
    if (existsSync(target) && !options.replace) throw new DatabaseExistsError();
    copySnapshot(file, temporary, { readonly: !usesLog });
    drawNewIdentity(temporary);
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

/** A schema without an identity gets one by its migration. */
function drawNewIdentity(path: string): void {
  useFile(path, {}, (database) => {
    if (readContents(database).schemaVersion < firstWithIdentity) return;
    const { sql, values } = drawIdentity();
    database.prepare(sql).run(...values);
  });
}

/** At every instant the name belongs to the old database or to the new one. */
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
 * Runs a checkpoint and keeps every other process out, including programs that do not know our lock.
 *
 * A damaged database is left alone. Throws {@link DatabaseInUseError}.
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
 * SQLite would apply a log that stayed to the new database. The log has content only when the database is damaged or
 * missing. Returns the second name, or null when there is nothing to keep.
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

/** Removes second names of a database that a failed or killed restore has left. */
function dropOtherNames(target: string): void {
  const folder = dirname(target);
  const others = readdirSync(folder).filter((name) =>
    name.startsWith(`${basename(target)}.replaced-`),
  );
  for (const name of others) {
    if (isSameFile(join(folder, name), target)) rmSync(join(folder, name));
  }
}
