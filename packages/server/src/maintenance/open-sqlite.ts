import { rmSync } from 'node:fs';
import type { Engine } from '../db/engine.ts';
import { schemaVersion } from '../db/migrations/index.ts';
import { lockDatabase } from '../db/sqlite/database-lock.ts';
import type { Occupation } from '../db/sqlite/database-lock.ts';
import { fileTime, freeName, realPath } from '../db/sqlite/files.ts';
import { migrate, refuseNewerFile } from '../db/sqlite/migrate.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import type { SqliteEngine } from '../db/sqlite/sqlite.ts';
import { backUp } from './backup.ts';

/** A database was brought from one schema version to another. */
export interface Migration {
  readonly from: number;
  readonly to: number;
  /** The file in which the database is as it was before. */
  readonly backup: string;
}

/** A database was not brought to this program's schema, because it could not be backed up before. */
class NoBackupError extends Error {
  override name = 'NoBackupError';
}

/** How a database is opened. */
export interface OpenOptions {
  readonly occupation: Exclude<Occupation, 'restore'>;
  /** How long operations wait for other processes. */
  readonly busyTimeoutMs: number;
  /** How long opening waits for other processes, blocking. */
  readonly openTimeoutMs: number;
  /** Told of a migration when it is done. */
  readonly onMigration?: ((migration: Migration) => void) | undefined;
  /** Milliseconds since 1970; the machine's clock unless given. */
  readonly now?: () => number;
}

/**
 * Opens a database, and brings its schema up to date.
 *
 * An older database is backed up beside itself first. Throws a {@link NoBackupError}, a NewerDatabaseError, or a
 * DatabaseInUseError; then nothing is changed.
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

/** As {@link openSqliteDatabase}, for whoever has the lock; `whenClosed` is called when the engine has closed. */
export function openCurrent(
  path: string,
  {
    busyTimeoutMs,
    onMigration,
    now,
    whenClosed,
  }: Pick<OpenOptions, 'busyTimeoutMs' | 'onMigration' | 'now'> & { whenClosed?: () => void },
): SqliteEngine {
  refuseNewerFile(path, busyTimeoutMs);
  const engine = openSqlite({
    path,
    busyTimeoutMs,
    ...(now && { now }),
    ...(whenClosed && { whenClosed }),
  });
  const done: Migration[] = [];
  try {
    migrate(engine, (from) => {
      done.push({ from, to: schemaVersion, backup: backUpBefore(path, from) });
    });
  } catch (error) {
    void engine.close();
    // Nothing was migrated, and a server that is started again and again must not fill the disk.
    for (const { backup } of done) rmSync(backup, { force: true });
    throw error;
  }
  for (const migration of done) onMigration?.(migration);
  return engine;
}

/** Writes a backup beside the database and returns its name. Throws {@link NoBackupError}. */
function backUpBefore(path: string, from: number): string {
  const place = `${realPath(path)}.before-schema-${schemaVersion}-${fileTime(new Date())}`;
  const file = freeName(place);
  try {
    backUp(path, file);
  } catch (error) {
    const stays = `it stays at schema version ${from} instead of ${schemaVersion}`;
    const reason = (error as Error).message;
    throw new NoBackupError(
      `The database could not be backed up to "${file}", so ${stays}: ${reason}`,
      { cause: error },
    );
  }
  return file;
}
