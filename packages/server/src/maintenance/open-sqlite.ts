import { rmSync } from 'node:fs';
import type { Engine } from '../db/engine.ts';
import { withDatabaseErrors } from '../db/sqlite/connection.ts';
import { fileTime, freeName, realPath, lockDatabase, type Occupation } from '../db/sqlite/files.ts';
import { migrate, refuseOtherFile } from '../db/sqlite/migrate.ts';
import { copyLeftPending } from '../db/sqlite/pending.ts';
import { openSqlite, type SqliteEngine, type SqliteOptions } from '../db/sqlite/sqlite.ts';
import { newestOf, schemas } from '../db/tables/migrations.ts';
import { backUp } from './backup.ts';

/** A finished migration of a database. */
export interface Migration {
  readonly from: number;
  readonly to: number;
  /** The file with the database as it was before. */
  readonly backup: string;
}

/** A database was not migrated, because its backup failed. */
class NoBackupError extends Error {
  override name = 'NoBackupError';
}

/** Options of {@link openSqliteDatabase}. */
export interface OpenOptions {
  readonly occupation: Exclude<Occupation, 'restore'>;
  /** How long operations wait for other processes. */
  readonly busyTimeoutMs: number;
  /** How long opening waits for other processes, blocking. */
  readonly openTimeoutMs: number;
  /** Called after a migration. */
  readonly onMigration?: ((migration: Migration) => void) | undefined;
  /** See {@link SqliteOptions}. */
  readonly checkpoint?: SqliteOptions['checkpoint'];
  /** Milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  /** Default: those of this program. */
  readonly known?: typeof schemas;
}

/**
 * Opens a database and migrates its schema if necessary.
 *
 * Before it migrates an older database, it writes a backup next to it. Throws a {@link NoBackupError}, a
 * NewerDatabaseError, an OlderDatabaseError, or a DatabaseInUseError; then nothing is changed.
 */
export function openSqliteDatabase(path: string, options: OpenOptions): Engine {
  const lock = lockDatabase(path, options.occupation, options.openTimeoutMs);
  try {
    return openCurrent(path, { ...options, whenClosed: () => lock.release() });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Does the work of {@link openSqliteDatabase} for a caller that holds the lock. Calls `whenClosed` after closing. */
export function openCurrent(
  path: string,
  {
    occupation,
    busyTimeoutMs,
    onMigration,
    checkpoint,
    now,
    whenClosed,
    known = schemas,
  }: Pick<OpenOptions, 'busyTimeoutMs' | 'onMigration' | 'checkpoint' | 'now' | 'known'> & {
    occupation: Occupation;
    whenClosed?: () => void;
  },
): SqliteEngine {
  refuseOtherFile(path, busyTimeoutMs, known);
  withDatabaseErrors(() => copyLeftPending(path, occupation));
  const to = newestOf(known);
  const engine = openSqlite({
    path,
    busyTimeoutMs,
    checkpoint,
    ...(now && { now }),
    ...(whenClosed && { whenClosed }),
  });
  const done: Migration[] = [];
  try {
    migrate(
      engine,
      (from) => {
        done.push({ from, to, backup: backUpBefore(path, from, to) });
      },
      known,
    );
  } catch (error) {
    void engine.close();
    // Nothing was migrated. A server that restarts repeatedly must not fill the disk with backups.
    for (const { backup } of done) rmSync(backup, { force: true });
    throw error;
  }
  for (const migration of done) onMigration?.(migration);
  return engine;
}

/** Writes a backup next to the database and returns its name. Throws {@link NoBackupError}. */
function backUpBefore(path: string, from: number, to: number): string {
  const place = `${realPath(path)}.before-schema-${to}-${fileTime(new Date())}`;
  const file = freeName(place);
  try {
    backUp(path, file);
  } catch (error) {
    const effect = `it was not migrated from schema version ${from} to ${to}`;
    const reason = (error as Error).message;
    throw new NoBackupError(
      `The database could not be backed up to "${file}", so ${effect}: ${reason}`,
      { cause: error },
    );
  }
  return file;
}
