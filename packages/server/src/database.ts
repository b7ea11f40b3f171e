import type { DatabaseConfig } from './config.ts';
import type { Engine } from './db/engine.ts';
import type { PostgresOptions } from './db/postgres/postgres.ts';
import { openSqliteDatabase, type Migration } from './maintenance/open-sqlite.ts';

/** How long a write on SQLite waits for others. A request then fails with 503 and Retry-After. */
export const busyTimeoutMs = 30_000;
/** How long a server waits for others before it starts, and for a locked row of PostgreSQL. */
const serverTimeoutMs = 2000;

/** A command has no time limit. A server refuses requests that it cannot serve soon. */
const commandPool = {
  poolSize: 2,
  maxWaiting: 100,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 0,
  lockTimeoutMs: busyTimeoutMs,
};
const serverPool = {
  poolSize: 10,
  maxWaiting: 200,
  connectTimeoutMs: 1500,
  statementTimeoutMs: 3000,
  lockTimeoutMs: serverTimeoutMs,
};

/** How a command opens a database. */
interface OpenOptions {
  readonly onMigration?: (migration: Migration) => void;
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number;
}

/**
 * Opens a database for a command and brings its schema up to date.
 *
 * Before it changes an older database, it writes a backup; then it calls `onMigration`. Throws for a database that is
 * newer, that is being restored, or that cannot be backed up.
 */
export async function openDatabase(
  database: DatabaseConfig,
  { onMigration, now }: OpenOptions = {},
): Promise<Engine> {
  if (database.engine === 'postgres')
    return openServed({ url: database.url, ...commandPool, ...(now && { now }) });
  return openSqliteDatabase(database.path, {
    occupation: 'command',
    busyTimeoutMs,
    openTimeoutMs: busyTimeoutMs,
    onMigration,
    ...(now && { now }),
  });
}

/** Called while a server opens its database, with what belongs in its log. */
interface StartListeners {
  readonly onMigration: (migration: Migration) => void;
  readonly onWarning: (sentence: string) => void;
  /** Runs a long checkpoint of an SQLite database in another thread. */
  readonly checkpoint?: () => Promise<void>;
}

/** Opens a database for a server and brings its schema up to date, with a backup of an older SQLite database first. */
export async function openServerDatabase(
  database: DatabaseConfig,
  { onMigration, onWarning, checkpoint }: StartListeners,
): Promise<Engine> {
  if (database.engine === 'postgres')
    return openServed({ url: database.url, ...serverPool }, onWarning);
  return openSqliteDatabase(database.path, {
    occupation: 'server',
    busyTimeoutMs,
    openTimeoutMs: serverTimeoutMs,
    onMigration,
    checkpoint,
  });
}

/** Waits for others are longer than in the process's own thread, where they would keep more requests waiting. */
const threadBusyTimeoutMs = 60_000;
/** A thread has one transaction at a time, and nothing else of the server waits for its statements. */
const threadPool = {
  poolSize: 1,
  maxWaiting: 10,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 0,
  lockTimeoutMs: threadBusyTimeoutMs,
};

/** Opens a database, which the server has brought up to date, for a thread of the server. */
export async function openForThread(database: DatabaseConfig): Promise<Engine> {
  if (database.engine === 'postgres') {
    const { openPostgres } = await import('./db/postgres/postgres.ts');
    return openPostgres({ url: database.url, ...threadPool });
  }
  const { openSqlite } = await import('./db/sqlite/sqlite.ts');
  return openSqlite({ path: database.path, busyTimeoutMs: threadBusyTimeoutMs });
}

/** Loads the code for PostgreSQL only when it is needed. */
async function openServed(
  options: PostgresOptions,
  onWarning?: (sentence: string) => void,
): Promise<Engine> {
  const { openPostgresDatabase } = await import('./db/postgres/open.ts');
  return openPostgresDatabase(options, onWarning);
}
