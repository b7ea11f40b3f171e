import { existsSync, linkSync, rmSync } from 'node:fs';
import sql, { raw } from 'sql-template-tag';
import { SqliteConnection, withDatabaseErrors } from '../../db/sqlite/connection.ts';
import {
  realPath,
  syncFile,
  syncFolderOf,
  temporaryName,
  lockDatabase,
} from '../../db/sqlite/files.ts';
import { migrate } from '../../db/sqlite/migrate.ts';
import { openSqlite } from '../../db/sqlite/sqlite.ts';
import {
  findLostReference,
  readContents,
  readHeader,
  UnsoundFileError,
  useFile,
} from '../examine-file.ts';
import { openCurrent } from '../open-sqlite.ts';
import type { Migration } from '../open-sqlite.ts';
import { storageKey } from '../tables.ts';
import { MoveError } from './session.ts';
import type { MoveWords, Session, TargetSession, Value } from './session.ts';

/** How long a read waits while another process has locked the file, in milliseconds. */
const busyTimeoutMs = 30_000;

const words: MoveWords = {
  engine: 'sqlite',

  /** Uses CROSS JOIN, so that the engine loops over the keys and looks up each one. */
  rowsWithKeys(table, keys: readonly (readonly Value[])[]) {
    const isThat = storageKey(table, 'sqlite').map(
      (name, index) => `t.${name} = k.value ->> ${index}`,
    );
    return sql`SELECT t.* FROM json_each(${JSON.stringify(keys)}) k
      CROSS JOIN ${raw(table.name)} t ON ${raw(isThat.join(' AND '))}`;
  },
};

/** Opens the source of a move, migrates its schema, and locks out other processes until the session is closed. */
export async function openFileSource(
  path: string,
  onMigration?: (migration: Migration) => void,
): Promise<Session> {
  refuseUnsound(() => readHeader(path));
  const lock = lockDatabase(path, 'restore', 0);
  try {
    // Opening the database of another program with `openCurrent` would create tables in it.
    refuseUnsound(() => useFile(path, {}, readContents));
    await openCurrent(path, { occupation: 'restore', busyTimeoutMs, onMigration }).close();
    const connection = new SqliteConnection(path, {
      openTimeoutMs: busyTimeoutMs,
      mustExist: true,
    });
    connection.perform(raw('BEGIN'));
    const close = (): void => {
      connection.close();
      lock.release();
    };
    return { ...sessionOf(connection), close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function refuseUnsound(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    throw error instanceof UnsoundFileError ? new MoveError(`The source ${error.message}`) : error;
  }
}

/**
 * Creates a new file as the target. It has a temporary name, no log and no syncs while it is filled, and gets its name
 * when it is complete and on the disk. A process that is killed leaves a temporary file whose name starts with a dot
 * and ends in `.tmp`. Throws a {@link MoveError} if the file exists.
 */
export async function openFileTarget(path: string): Promise<TargetSession> {
  const file = realPath(path);
  refuseExisting(file);
  const lock = lockDatabase(file, 'restore', 0);
  const temporary = temporaryName(file);
  let connection: SqliteConnection | null = null;
  const close = (): void => {
    connection?.close();
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(temporary + end, { force: true });
    lock.release();
  };
  try {
    const engine = openSqlite({ path: temporary, busyTimeoutMs: 0 });
    migrate(engine);
    await engine.close();
    connection = new SqliteConnection(temporary, { openTimeoutMs: 0, mustExist: true });
    connection.execute(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;
       PRAGMA cache_size = -65536; BEGIN`,
      0,
    );
    return { ...fileTarget(connection, temporary, file), close };
  } catch (error) {
    close();
    throw error;
  }
}

function fileTarget(
  connection: SqliteConnection,
  temporary: string,
  file: string,
): Omit<TargetSession, 'close'> {
  return {
    ...sessionOf(connection),
    complete: () => {
      const lost = withDatabaseErrors(() => findLostReference(connection.database));
      if (lost !== undefined) throw new MoveError(`The source is damaged: ${lost}`);
    },
    commit: () => {
      connection.perform(raw('COMMIT'));
      connection.close();
      syncFile(temporary);
      putInPlace(temporary, file);
    },
  };
}

function sessionOf(connection: SqliteConnection): Omit<Session, 'close'> {
  return { words, run: (steps) => connection.run(steps) };
}

/** Uses a link, which fails if another process has created the file. A rename would replace it. */
function putInPlace(temporary: string, file: string): void {
  try {
    linkSync(temporary, file);
  } catch (error) {
    refuseExisting(file);
    throw error;
  }
  syncFolderOf(file);
}

function refuseExisting(file: string): void {
  if (existsSync(file))
    throw new MoveError(
      'The target already exists: a database is moved to a new file, so name another one with --to',
    );
}
