import Database from 'better-sqlite3';
import sql from 'sql-template-tag';
import { lockDatabase } from './database-lock.ts';
import { row } from './engine.ts';
import type { Engine, Operation } from './engine.ts';
import { readContents, readHeader, UnsoundFileError } from './examine-file.ts';
import { isSameFile } from './files.ts';
import { examine, migratePostgres } from './migrate-postgres.ts';
import { ahead } from './move-ahead.ts';
import { MoveError } from './move-catalog.ts';
import type { Catalog, Table } from './move-catalog.ts';
import { sessionUrl } from './move-end.ts';
import type { MoveEnd } from './move-end.ts';
import { fromSource } from './move-faults.ts';
import { postgresCatalog } from './move-postgres-catalog.ts';
import { readAll } from './move-rows.ts';
import type { Piece } from './move-rows.ts';
import { sqliteCatalog } from './move-sqlite-catalog.ts';
import { openCurrent } from './open-store.ts';
import type { Migration } from './open-store.ts';
import { openPostgres } from './postgres.ts';

/** A database that is moved. Nobody else writes to it from the first piece that is read until it is closed. */
export interface MoveSource {
  readTables(): Promise<Table[]>;
  /** Reads those tables; to be called once. */
  read(tables: readonly Table[]): AsyncIterator<Piece, void, undefined>;
  close(): Promise<void>;
}

/** How long a read waits while another process has the file to itself, in milliseconds. */
const busyTimeoutMs = 30_000;

/**
 * Opens the database that is moved and brings its schema up to date, as every command does.
 *
 * Throws a {@link MoveError} for what is no database of Coffer or is in use, and as opening a store does.
 */
export async function openSource(
  from: MoveEnd,
  onMigration?: (migration: Migration) => void,
): Promise<MoveSource> {
  if (from.engine === 'postgres') return openServer(from.url);
  return openFile(from.path, onMigration);
}

/** Nobody else, reader or writer, has the file until it is closed. */
function openFile(path: string, onMigration?: (migration: Migration) => void): MoveSource {
  examined(() => readHeader(path));
  const lock = lockDatabase(path, 'restore', 0);
  try {
    examined(() => refuseForeign(path));
    const engine = openCurrent(path, { busyTimeoutMs, onMigration });
    return sourceOf(engine, sqliteCatalog, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** In a database that is none of ours, opening it as one would make tables. */
function refuseForeign(path: string): void {
  const database = new Database(path, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    readContents(database);
  } finally {
    database.close();
  }
}

function examined(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof UnsoundFileError ? new MoveError(`The source ${error.message}`) : error;
  }
}

async function openServer(url: string): Promise<MoveSource> {
  const engine = openPostgres({
    url: sessionUrl(url),
    poolSize: 1,
    maxWaiting: 10,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 0,
    lockTimeoutMs: 10_000,
  });
  try {
    if ((await engine.read(examine)) === 0)
      throw new MoveError('The source is no database of Coffer');
    await engine.read(refuseServers);
    await migratePostgres(engine);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return sourceOf(engine, postgresCatalog);
}

function sourceOf(engine: Engine, catalog: Catalog, release?: () => void): MoveSource {
  let pieces: AsyncGenerator<Piece, void, undefined> | null = null;
  return {
    readTables: () => engine.read(() => catalog.readTables()),
    read: (tables) => {
      const found = engine.stream(() => readAll(catalog, tables));
      // A file is read by this thread alone, and cannot be read ahead.
      const isServer = catalog === postgresCatalog;
      pieces = fromSource(isServer ? ahead(found, ({ step }) => step === 'end') : found);
      return pieces;
    },
    close: async () => {
      await pieces?.return();
      await engine.close();
      release?.();
    },
  };
}

/** Finds the sessions of servers and commands. One that is idle has none, and finds the tables locked. */
function* refuseServers(): Operation<void> {
  const found = yield* row<{ sessions: number }>(sql`
    SELECT count(*) AS sessions FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'coffer'`);
  if (found === undefined || found.sessions === 0) return;
  throw new MoveError(
    'The source is in use: stop its servers, let every other command end, and try again',
  );
}

/** Throws a {@link MoveError} when both are one database, as far as that can be seen without opening it. */
export function refuseSame(from: MoveEnd, to: MoveEnd): void {
  const isSame =
    from.engine === 'sqlite'
      ? to.engine === 'sqlite' && isSameFile(from.path, to.path)
      : to.engine === 'postgres' && from.url === to.url;
  if (isSame) throw new MoveError('The source and the target are the same database');
}
