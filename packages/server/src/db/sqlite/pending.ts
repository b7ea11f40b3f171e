import { existsSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { DatabaseError } from '../errors.ts';
import type { Column, Table } from '../table.ts';
import { passkeyChallenges, passkeys, sessions, signInFailures } from '../tables/tables.ts';
import { signInLinks } from '../tables/tables.ts';
import { accessTokens } from '../tables/tables.ts';
import { isFatal, isUnsound, makePrivate, SqliteConnection } from './connection.ts';
import { fileTime, freeName, lockDatabase, realPath } from './files.ts';

/*
 * What signing in writes while others hold the lock of a database: rows in a small file next to it, `NAME-pending`.
 * They are copied into the database as soon as its lock is free. See docs/decisions/086-sign-in-does-not-wait.md.
 */

/** The tables whose rows can be pending. All have an `id`. */
const tables: readonly Table<'server'>[] = [
  accessTokens,
  sessions,
  signInLinks,
  passkeys,
  passkeyChallenges,
  signInFailures,
];

/** Ids that other processes may assign meanwhile: pending rows get later ones. */
const idsOfOthers = 1000;

/** Removes a row, changes one, or inserts one: in this order, as a new row may have the secret of a removed one. */
const states = ['gone', 'changed', 'made'] as const;

/** A pending row: what happens to it, and its columns. */
type PendingRow = Readonly<Record<string, unknown>> & {
  readonly state: (typeof states)[number];
  readonly id: number;
};

/** What is pending for a database. */
export interface PendingRows {
  /** The `id` in `database_identity`: rows of another database are not copied. */
  readonly databaseId: string;
  readonly tables: readonly { readonly name: string; readonly rows: readonly PendingRow[] }[];
}

function pendingPath(path: string): string {
  return `${realPath(path)}-pending`;
}

/**
 * A connection to a database on which the tables of signing in are views: their rows, as the pending file has changed
 * them. Steps that write only these tables write to the file, durably, and need no lock of the database.
 *
 * The file exists from the first such write until {@link Pending.remove}.
 */
export class Pending {
  readonly #path: string;
  readonly #open: () => SqliteConnection;
  #connection: SqliteConnection | null;

  constructor(path: string, openTimeoutMs: number, now?: () => number) {
    this.#path = path;
    this.#open = () => openPending(path, openTimeoutMs, now);
    this.#connection = this.#open();
  }

  /** Runs work on the connection. After a failure of the disk the next work opens another one. */
  run<T>(work: (connection: SqliteConnection) => T): T {
    this.#connection ??= this.#open();
    try {
      return work(this.#connection);
    } catch (error) {
      if (isFatal(error) || this.#connection.inTransaction) this.close();
      throw error;
    }
  }

  rows(): PendingRows {
    return this.run(({ database }) => rowsOf(database));
  }

  /** Removes the file, after its rows were copied. */
  remove(): void {
    this.#connection?.database.pragma('pending.synchronous = OFF');
    this.close();
    removeFile(pendingPath(this.#path));
  }

  /** Leaves the file for the next start. */
  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}

function openPending(path: string, openTimeoutMs: number, now?: () => number): SqliteConnection {
  const file = pendingPath(path);
  makePrivate(file);
  const connection = new SqliteConnection(path, {
    openTimeoutMs,
    mustExist: true,
    now,
    // A view has no unique index: its trigger looks for the values.
    adapt: (text) => text.replace('ON CONFLICT DO NOTHING', ''),
  });
  try {
    const { database } = connection;
    database.prepare('ATTACH ? AS pending').run(file);
    // A commit takes one sync. Without rows the file need not be on the disk.
    database.pragma('pending.journal_mode = WAL');
    database.pragma('pending.synchronous = OFF');
    connection.execute(['BEGIN', ...tables.flatMap(layerSql), about, 'COMMIT'].join(';\n'), 0);
    database.pragma('pending.synchronous = FULL');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

const about = `CREATE TABLE IF NOT EXISTS pending.about (database_id TEXT NOT NULL) STRICT;
  INSERT INTO pending.about SELECT value FROM database_identity
    WHERE name = 'id' AND NOT EXISTS (SELECT 1 FROM pending.about)`;

const types = { integer: 'INTEGER', text: 'TEXT', flag: 'INTEGER', bytes: 'BLOB' } as const;

/** A table of the pending file, and the view with its triggers that takes the place of the table of the database. */
function layerSql({ name, columns }: Table): string[] {
  const names = Object.keys(columns);
  const list = names.join(', ');
  const own = names.filter((each) => each !== 'id');
  const store = (state: string, row: 'NEW' | 'OLD'): string =>
    `INSERT OR REPLACE INTO pending_${name} (state, ${list})
      VALUES (${state}, OLD.id, ${own.map((each) => `${row}.${each}`).join(', ')})`;
  const known = `coalesce((SELECT state FROM pending_${name} WHERE id = OLD.id), 'changed')`;
  const given = own.map((each) => valueSql(each, columns[each]!));
  const unique = own.filter((each) => columns[each]!.stored?.isUnique);
  const isTaken = unique.map((each) => `${each} = NEW.${each}`).join(' OR ');
  return [
    `CREATE TABLE IF NOT EXISTS pending.pending_${name} (state TEXT NOT NULL, id INTEGER PRIMARY KEY,
      ${own.map((each) => `${each} ${types[columns[each]!.type]}`).join(', ')}) STRICT`,
    `CREATE TEMP VIEW ${name} AS SELECT ${list} FROM main.${name}
        WHERE id NOT IN (SELECT id FROM pending.pending_${name})
      UNION ALL SELECT ${list} FROM pending.pending_${name} WHERE state <> 'gone'`,
    `CREATE TEMP TRIGGER insert_${name} INSTEAD OF INSERT ON ${name} BEGIN
      INSERT INTO pending_${name} (state, ${list})
      SELECT 'made', coalesce(NEW.id, ${nextIdSql(name)}), ${given.join(', ')}
      WHERE NOT EXISTS (SELECT 1 FROM ${name} WHERE ${isTaken}); END`,
    `CREATE TEMP TRIGGER update_${name} INSTEAD OF UPDATE ON ${name} BEGIN ${store(known, 'NEW')}; END`,
    `CREATE TEMP TRIGGER delete_${name} INSTEAD OF DELETE ON ${name} BEGIN ${store(`'gone'`, 'OLD')}; END`,
  ];
}

/** A view does not know the defaults of columns. */
function valueSql(name: string, { stored }: Column): string {
  const value = stored?.default;
  return value === undefined ? `NEW.${name}` : `coalesce(NEW.${name}, ${value})`;
}

function nextIdSql(name: string): string {
  return `max(
    coalesce((SELECT seq FROM main.sqlite_sequence WHERE name = '${name}'), 0) + ${idsOfOthers},
    coalesce((SELECT max(id) FROM pending.pending_${name}), 0) + 1)`;
}

/** Reads what is pending, in the order in which it is copied. `database` has the file attached as `pending`. */
function rowsOf(database: Database.Database): PendingRows {
  const databaseId = database.prepare<[], string>('SELECT database_id FROM pending.about').pluck();
  const found = database
    .prepare<[], string>(
      `SELECT name FROM pending.sqlite_schema WHERE name LIKE 'pending\\_%' ESCAPE '\\'`,
    )
    .pluck()
    .all();
  return {
    databaseId: databaseId.get() ?? '',
    tables: found.map((name) => ({
      name: name.slice('pending_'.length),
      rows: database
        .prepare<[], PendingRow>(`SELECT * FROM pending.${name} ORDER BY id`)
        .all()
        .toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state)),
    })),
  };
}

/** Returns what is pending for a database; null if nothing is. Throws a DatabaseError if its file is damaged. */
export function pendingRowsOf(path: string): PendingRows | null {
  const file = pendingPath(path);
  if (path === ':memory:' || !existsSync(file)) return null;
  const database = new Database(':memory:');
  try {
    database.prepare('ATTACH ? AS pending').run(file);
    // A process that was killed while it created the file has left it empty.
    const isEmpty = database.prepare(`SELECT 1 FROM pending.sqlite_schema`).get() === undefined;
    return isEmpty ? null : database.transaction(() => rowsOf(database))();
  } catch (error) {
    if (!isUnsound(error)) throw error;
    const message = `"${file}" is damaged: without it, the last sign-ins and tokens are lost. Move it away to go on`;
    throw new DatabaseError('damaged', message, { cause: error });
  } finally {
    database.close();
  }
}

/**
 * Copies pending rows into the tables of a database, in its open transaction. Returns false for those of another one.
 *
 * It can be repeated. A row whose user or book is gone is left out, as is a change of a row that is gone.
 */
export function copyPending(database: Database.Database, pending: PendingRows): boolean {
  const id = database
    .prepare<[], string>(`SELECT value FROM database_identity WHERE name = 'id'`)
    .pluck()
    .get();
  if (id !== pending.databaseId) return false;
  for (const { name, rows } of pending.tables) for (const row of rows) copyRow(database, name, row);
  return true;
}

function copyRow(database: Database.Database, name: string, { state, ...row }: PendingRow): void {
  const names = Object.keys(row);
  if (state === 'gone') database.prepare(`DELETE FROM ${name} WHERE id = ?`).run(row.id);
  else if (state === 'changed') {
    const set = names.map((each) => `${each} = @${each}`).join(', ');
    unlessRefused(() => database.prepare(`UPDATE ${name} SET ${set} WHERE id = @id`).run(row));
  } else {
    const insert = (given: readonly string[]): boolean =>
      unlessRefused(() =>
        database
          .prepare(
            `INSERT INTO ${name} (${given.join(', ')}) VALUES (${given.map((each) => `@${each}`).join(', ')})`,
          )
          .run(row),
      );
    // The id can have been assigned by another process, and a row that was copied before is refused both times.
    if (!insert(names)) insert(names.filter((each) => each !== 'id'));
  }
}

function unlessRefused(statement: () => unknown): boolean {
  try {
    statement();
    return true;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT'))
      return false;
    throw error;
  }
}

/**
 * Copies what a server that was killed has left, before the database is used. Does nothing while a server runs: the
 * file is its own. Rows of another database are set aside.
 */
export function copyLeftPending(path: string, occupation: 'command' | 'server' | 'restore'): void {
  if (!existsSync(pendingPath(path))) return;
  const lock = occupation === 'command' ? lockOfServer(path) : { release: () => undefined };
  if (lock === null) return;
  try {
    const pending = pendingRowsOf(path);
    if (pending !== null && !copyInto(path, pending)) setPendingAside(path);
    else removeFile(pendingPath(path));
  } finally {
    lock.release();
  }
}

/** Copies rows in a transaction of its own. Returns false for those of another database. */
export function copyInto(path: string, pending: PendingRows): boolean {
  if (!existsSync(path)) return false;
  const database = new Database(path, { fileMustExist: true, timeout: mostCopyWaitMs });
  try {
    database.pragma('synchronous = FULL');
    database.pragma('secure_delete = ON');
    const isNew = database.pragma('user_version', { simple: true }) === 0;
    return !isNew && database.transaction(() => copyPending(database, pending)).immediate();
  } finally {
    database.close();
  }
}

const mostCopyWaitMs = 30_000;

/** Renames the file with rows that no database can use. */
export function setPendingAside(path: string): void {
  const file = pendingPath(path);
  const aside = freeName(`${file}.unused-${fileTime(new Date())}`);
  for (const end of ['', '-wal']) if (existsSync(file + end)) renameSync(file + end, aside + end);
}

function lockOfServer(path: string): { release(): void } | null {
  try {
    return lockDatabase(path, 'server', 0);
  } catch {
    return null;
  }
}

function removeFile(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
}
