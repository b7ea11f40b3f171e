import { rmSync } from 'node:fs';
import type { Store } from '../records/store.ts';
import { backUp } from './backup.ts';
import { lockDatabase, type Occupation } from './database-lock.ts';
import { fileTime, freeName, realPath } from './files.ts';
import { migrate, refuseNewerFile, schemaVersion } from './migrate.ts';
import { openSqlite, type SqliteEngine } from './sqlite.ts';
import { createStore } from './store.ts';

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

/** How a store is opened. */
export interface StoreOptions {
  readonly occupation: Exclude<Occupation, 'restore'>;
  /** How long operations wait for other processes. */
  readonly busyTimeoutMs: number;
  /** How long opening waits for other processes, blocking. */
  readonly openTimeoutMs: number;
  /** Told of a migration when it is done. */
  readonly onMigration?: ((migration: Migration) => void) | undefined;
}

/**
 * Opens a database, brings its schema up to date and returns its store.
 *
 * An older database is backed up beside itself first. Throws a {@link NoBackupError}, a NewerDatabaseError, or a
 * DatabaseInUseError; then nothing is changed.
 */
export function openStoreOf(path: string, options: StoreOptions): Store {
  const lock = lockDatabase(path, options.occupation, options.openTimeoutMs);
  try {
    const store = createStore(openCurrent(path, options));
    const close = async (): Promise<void> => {
      await store.close();
      lock.release();
    };
    return { ...store, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** As {@link openStoreOf}, for whoever has the lock; gives the engine. */
export function openCurrent(
  path: string,
  { busyTimeoutMs, onMigration }: Pick<StoreOptions, 'busyTimeoutMs' | 'onMigration'>,
): SqliteEngine {
  refuseNewerFile(path, busyTimeoutMs);
  const engine = openSqlite({ path, busyTimeoutMs });
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
