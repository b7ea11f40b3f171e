import { existsSync, linkSync, rmSync } from 'node:fs';
import { lockDatabase } from './database-lock.ts';
import { insertMany } from './engine.ts';
import type { Operation } from './engine.ts';
import { realPath, syncFile, syncFolderOf, temporaryName } from './files.ts';
import { migrate } from './migrate.ts';
import { MoveError } from './move-catalog.ts';
import type { Row, Table } from './move-catalog.ts';
import { sqliteCatalog } from './move-sqlite-catalog.ts';
import type { MoveTarget } from './move-target.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { openSqlite } from './sqlite.ts';

/**
 * Makes a database file by `work`: when that is done it is there, whole and on the disk; when it throws, not at all.
 *
 * It is filled under another name, so no log is kept and nothing synced before the end. A process that is killed
 * leaves a temporary file whose name begins with a dot and ends in `.tmp`. Throws a {@link MoveError} when there is a
 * file already.
 */
export async function moveToFile<T>(
  path: string,
  work: (target: MoveTarget) => Promise<T>,
): Promise<T> {
  const file = realPath(path);
  refuseExisting(file);
  const lock = lockDatabase(file, 'restore', 0);
  const temporary = temporaryName(file);
  try {
    const result = await fill(temporary, work);
    syncFile(temporary);
    putInPlace(temporary, file);
    return result;
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(temporary + end, { force: true });
    lock.release();
  }
}

function refuseExisting(file: string): void {
  if (existsSync(file))
    throw new MoveError(
      'The target is there already: a database is moved to a new file, so name another one by --to',
    );
}

async function fill<T>(temporary: string, work: (target: MoveTarget) => Promise<T>): Promise<T> {
  const engine = openSqlite({ path: temporary, busyTimeoutMs: 0 });
  try {
    migrate(engine);
  } finally {
    await engine.close();
  }
  const connection = new SqliteConnection(temporary, { openTimeoutMs: 0, mustExist: true });
  try {
    const { database } = connection;
    for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'foreign_keys = OFF'])
      database.pragma(pragma);
    database.pragma('cache_size = -65536');
    database.exec('BEGIN');
    const result = await work(targetOf(connection));
    database.exec('COMMIT');
    return result;
  } finally {
    connection.close();
  }
}

function targetOf(connection: SqliteConnection): MoveTarget {
  const runNow = <T>(operation: Operation<T>): T => {
    let next = operation.next();
    while (next.done !== true) next = operation.next(connection.perform(next.value));
    return next.value;
  };
  return {
    catalog: sqliteCatalog,
    run: (operation) => settled(() => runNow(operation)),
    insert: ({ name, stored }: Table, rows: readonly Row[]) => {
      const values = rows.map((each) => stored.map((column) => each[column]));
      return settled(() => runNow(insertMany(name, stored, values)));
    },
    complete: () => settled(() => refuseLost(connection)),
  };
}

/** What synchronous work gives or throws, as a promise. */
function settled<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

function refuseLost({ database }: SqliteConnection): void {
  const [lost] = database.pragma('foreign_key_check') as { table: string; parent: string }[];
  if (lost !== undefined)
    throw new MoveError(
      `The source is damaged: a row of ${lost.table} points to a row of ${lost.parent} that is not there`,
    );
}

/** A link fails where a rename would replace what somebody has put there meanwhile. */
function putInPlace(temporary: string, file: string): void {
  try {
    linkSync(temporary, file);
  } catch (error) {
    refuseExisting(file);
    throw error;
  }
  syncFolderOf(file);
}
