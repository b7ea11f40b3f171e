import { closeSync, existsSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import sql, { raw, type Sql } from 'sql-template-tag';
import { sqliteDialect } from '../dialect.ts';
import { Emit } from '../engine.ts';
import type { BulkInsert, JoinedRows, RunContext, Step, Steps } from '../engine.ts';
import { DatabaseError, isDatabaseError, type DatabaseErrorKind } from '../errors.ts';

/**
 * The kind of error and the message for each primary result code of SQLite. Null: use SQLite's own message.
 * Source: https://sqlite.org/rescode.html.
 */
const kinds: Readonly<Record<string, readonly [kind: DatabaseErrorKind, sentence: string | null]>> =
  {
    BUSY: ['busy', 'Another process is writing to the database: try again when it has finished'],
    LOCKED: ['busy', 'Another process is writing to the database: try again when it has finished'],
    CANTOPEN: ['unavailable', 'Cannot open the database: its folder is missing or not writable'],
    FULL: ['full', 'The disk is full: nothing was written'],
    READONLY: ['readOnly', 'The database is not writable'],
    IOERR: ['failing', 'The database file cannot be read or written'],
    PROTOCOL: ['failing', 'The database file cannot be read or written'],
    CORRUPT: ['damaged', 'The database file is damaged: restore a backup'],
    NOTADB: ['damaged', 'Cannot open the database: the file is not an SQLite database'],
    CONSTRAINT: ['refused', null],
  };

const fatalKinds: readonly (DatabaseErrorKind | undefined)[] = [
  'unavailable',
  'readOnly',
  'failing',
  'damaged',
];

/** True if another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === 'busy';
}

/** True if the disk is full. The connection can still be used. */
export function isFull(error: unknown): boolean {
  return kindOf(error) === 'full';
}

/**
 * True if the disk or the file failed, so that the connection must not be used again. SQLite also reports a page that
 * the disk cannot read as damage.
 *
 * After a failed sync it is unknown which pages reached the disk, and the next sync may succeed without them
 * (https://wiki.postgresql.org/wiki/Fsync_Errors). After other errors, the connection's cache of the file may be wrong.
 */
export function isFatal(error: unknown): boolean {
  return fatalKinds.includes(kindOf(error));
}

/** Errors that the system or another process causes, while the file may be intact. */
const surroundings = /^(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|PERM)$/;

/** True if the file itself is damaged or invalid. False for errors of the disk, another process or the memory. */
export function isUnsound(error: unknown): error is Error {
  const code = codeOf(error);
  return code !== null && !surroundings.test(code);
}

/** Returns the {@link DatabaseError} for an error of SQLite. Returns a programming error unchanged. */
export function asDatabaseError(error: unknown): unknown {
  // better-sqlite3 checks the folder itself and throws an error without a code.
  if (error instanceof TypeError && error.message.startsWith('Cannot open database because'))
    return new DatabaseError('unavailable', error.message, { cause: error });
  const found = kinds[codeOf(error) ?? ''];
  if (found === undefined) return error;
  const [kind, sentence] = found;
  return new DatabaseError(kind, sentence ?? (error as Error).message, { cause: error });
}

/** Runs synchronous work of SQLite and converts its errors with {@link asDatabaseError}. */
export function withDatabaseErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asDatabaseError(error);
  }
}

function kindOf(error: unknown): DatabaseErrorKind | undefined {
  return isDatabaseError(error) ? error.kind : kinds[codeOf(error) ?? '']?.[0];
}

/** The primary result code, such as IOERR for `SQLITE_IOERR_FSYNC`; null for an error that is not SQLite's. */
function codeOf(error: unknown): string | null {
  return error instanceof Database.SqliteError ? (error.code.split('_')[1] ?? '') : null;
}

/** In older versions two connections can corrupt a WAL file; see https://sqlite.org/wal.html#walresetbug */
const oldestSafeVersion = [3, 51, 3] as const;

/** Filters need a few hundred statements at most. The limit is for statements that contain a value by mistake. */
const mostStatements = 1000;
/** Short rows that one statement inserts: with a statement for each, they take twice as long. */
const insertedAtOnce = 25;
/** Longer rows go one by one: a statement that can fail halfway first copies each page that it changes into a file. */
const mostShortColumns = 12;
/** From so many long rows on, a statement with the values that they share is worth its preparation. */
const fewestShared = 100;

/** Memory for pages, also in a transaction that writes many of them. */
const usualCacheKiB = 16_384;
const largeCacheKiB = 131_072;

/** A log is cut to this size when it begins again. */
export const longLogBytes = 64 * 2 ** 20;

const nothing = Buffer.alloc(0);
const unchanged = (text: string): string => text;

/** How a connection is opened. */
export interface ConnectionOptions {
  /** How long opening may block this process while another one has locked the file, in milliseconds. */
  readonly openTimeoutMs: number;
  /** Throws if the file does not exist, instead of creating it. */
  readonly mustExist?: boolean;
  /** Milliseconds since 1970. Default: the system clock. */
  readonly now?: (() => number) | undefined;
  /** Changes the text of each statement. Default: none. */
  readonly adapt?: (text: string) => string;
}

/** The frames of the write-ahead log, and how many of them are in the file. */
export interface CheckpointResult {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * One connection to an SQLite database: runs steps and caches prepared statements.
 *
 * Once open, it never waits for another process: a statement that needs a lock held elsewhere throws at once. Errors of
 * SQLite become a {@link DatabaseError}; any other error is a programming error.
 */
export class SqliteConnection {
  readonly database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  #last: { readonly text: string; readonly statement: Database.Statement } | null = null;
  readonly #now: () => number;
  readonly #adapt: (text: string) => string;
  #schema: string;
  /** Belongs to the running steps. */
  #memory = new Map<unknown, unknown>();

  /** Opens the file, creates it if necessary, and sets the pragmas for durability and speed. Throws if that fails. */
  constructor(
    path: string,
    { openTimeoutMs, mustExist = false, now = Date.now, adapt = unchanged }: ConnectionOptions,
  ) {
    this.#now = now;
    this.#adapt = adapt;
    if (path !== ':memory:' && !mustExist) makePrivate(path);
    const options = { timeout: openTimeoutMs, fileMustExist: mustExist };
    this.database = withDatabaseErrors(() => new Database(path, options));
    try {
      withDatabaseErrors(() => prepareDatabase(this.database, openTimeoutMs));
      this.#schema = readSchema(this.database);
      setBusyTimeout(this.database, 0);
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  /** The schema at the time when the connection was opened or last ran a script: see {@link readSchema}. */
  get schema(): string {
    return this.#schema;
  }

  /** True while a transaction is open; after {@link transaction}, only if the rollback failed. */
  get inTransaction(): boolean {
    return this.database.inTransaction;
  }

  /** Runs a script of several statements. Blocks up to `busyTimeoutMs` for another process. */
  execute(script: string, busyTimeoutMs: number): void {
    setBusyTimeout(this.database, busyTimeoutMs);
    try {
      withDatabaseErrors(() => this.database.exec(script));
      this.#schema = readSchema(this.database);
    } finally {
      setBusyTimeout(this.database, 0);
    }
  }

  /** Runs an operation between the statements `begin` and `end`; rolls back when it throws. */
  transaction<T>(begin: string, operation: () => Steps<T>, end: string): T {
    return withDatabaseErrors(() => {
      this.#prepare(begin).run();
      try {
        const value = this.#run(operation());
        this.#prepare(end).run();
        return value;
      } catch (error) {
        this.#rollBack();
        throw error;
      }
    });
  }

  /** As {@link transaction}, with memory for the pages of many rows. */
  largeTransaction<T>(begin: string, operation: () => Steps<T>, end: string): T {
    this.database.pragma(`cache_size = -${largeCacheKiB}`);
    try {
      return this.transaction(begin, operation, end);
    } finally {
      this.database.pragma(`cache_size = -${usualCacheKiB}`);
    }
  }

  /** Runs an operation in one read transaction and yields what it emits. */
  *stream<T>(
    operation: () => Generator<Step | Emit<T>, void, unknown>,
  ): Generator<T, void, undefined> {
    withDatabaseErrors(() => this.database.exec('BEGIN'));
    this.#memory = new Map();
    try {
      const steps = operation();
      let next = steps.next();
      while (next.done !== true) {
        if (next.value instanceof Emit) {
          yield next.value.value;
          next = steps.next();
        } else {
          next = steps.next(this.perform(next.value));
        }
      }
    } finally {
      this.#rollBack();
    }
  }

  /** Ends the open transaction, if any. Ignores errors, because an earlier error says more. */
  #rollBack(): void {
    try {
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
    } catch {
      // `inTransaction` remains true.
    }
  }

  /**
   * Runs a checkpoint and truncates the log, which frees its disk space. Throws if the disk fails; the log and its
   * transactions are then unchanged. While another connection reads an older state, the checkpoint is partial.
   */
  foldLog(): void {
    withDatabaseErrors(() => this.database.pragma('wal_checkpoint(TRUNCATE)'));
  }

  /** As {@link foldLog}. Throws a DatabaseError of the kind `busy` while the log cannot be emptied. */
  truncateLog(): void {
    this.#checkpoint('TRUNCATE');
  }

  /** A number that changes when another connection has committed. Source: SQLite, "PRAGMA data_version". */
  get dataVersion(): number {
    return withDatabaseErrors(
      () => this.database.pragma('data_version', { simple: true }) as number,
    );
  }

  /**
   * Writes the log to the file, as far as nobody reads an older state. Nobody waits for it. Returns the frames of the
   * log and how many of them are in the file. Throws a DatabaseError of the kind `busy` during another checkpoint.
   */
  checkpoint(): CheckpointResult {
    return this.#checkpoint('PASSIVE');
  }

  /** The pages in the log that are not in the file. */
  get pagesInLog(): number {
    const { log, checkpointed } = this.#checkpoint('NOOP');
    return log - checkpointed;
  }

  #checkpoint(mode: 'PASSIVE' | 'TRUNCATE' | 'NOOP'): CheckpointResult {
    const [found] = withDatabaseErrors(() => this.database.pragma(`wal_checkpoint(${mode})`)) as [
      CheckpointResult & { readonly busy: number },
    ];
    if (found.busy === 1) throw new DatabaseError('busy', 'The write-ahead log is being read');
    return found;
  }

  /** Runs one step, in the open transaction if there is one. */
  perform(step: Step): unknown {
    return withDatabaseErrors(() => this.#perform(step));
  }

  /** Runs steps, in the open transaction if there is one. */
  run<T>(steps: Steps<T>): T {
    return withDatabaseErrors(() => this.#run(steps));
  }

  close(): void {
    this.#statements.clear();
    this.#last = null;
    this.database.close();
  }

  #run<T>(steps: Steps<T>): T {
    this.#memory = new Map();
    let next = steps.next();
    while (next.done !== true) next = steps.next(this.#perform(next.value));
    return next.value;
  }

  #perform(step: Step): unknown {
    if ('get' in step) {
      const nowMs = this.#now();
      return { dialect: sqliteDialect, nowMs, memory: this.#memory } satisfies RunContext;
    }
    if ('joinRows' in step) return this.#joinRows(step);
    if ('bytesOf' in step) return this.#bytesOf(step.bytesOf);
    if (!('insertInto' in step)) return this.#query(step);
    this.#insertMany(step);
    return [];
  }

  #query(query: Sql): unknown {
    const statement = this.#prepare(statementText(query));
    if (statement.reader) return statement.all(...query.values);
    statement.run(...query.values);
    return [];
  }

  /** Joins the rows within the engine, in the order of the subquery, so that a page is one value. */
  #joinRows({ joinRows: rows, separator }: JoinedRows): Buffer {
    const [page] = this.#query(sql`
      SELECT CAST(string_agg(json, ${raw(`'${separator}'`)}) AS BLOB) AS json FROM (${rows}) page`) as [
      { json: Buffer | null },
    ];
    return page.json ?? nothing;
  }

  #bytesOf(statement: Sql): Buffer[] {
    const rows = this.#query(statement) as Readonly<Record<string, Buffer>>[];
    return rows.map((row) => Object.values(row)[0]!);
  }

  #insertMany({ insertInto, columns, rows }: BulkInsert): void {
    const start = `INSERT INTO ${insertInto} (${columns.join(', ')}) VALUES`;
    if (columns.length > mostShortColumns) {
      this.#insertLong(start, rows);
      return;
    }
    const row = `(${columns.map(() => '?').join(', ')})`;
    const insertOf = (count: number): Database.Statement =>
      this.#prepare(`${start} ${Array(count).fill(row).join(', ')}`);
    const whole = rows.length - (rows.length % insertedAtOnce);
    const block = whole > 0 ? insertOf(insertedAtOnce) : null;
    for (let at = 0; at < whole; at += insertedAtOnce) {
      const values: unknown[] = [];
      // Not flat(), which is several times slower.
      for (let next = at; next < at + insertedAtOnce; next += 1)
        for (const value of rows[next]!) values.push(value);
      block?.run(values);
    }
    const single = whole < rows.length ? insertOf(1) : null;
    for (const values of rows.slice(whole)) single?.run(values);
  }

  /** Inserts long rows one by one. If they are many, the statement has the values that are the same in all of them. */
  #insertLong(start: string, rows: BulkInsert['rows']): void {
    const [first = []] = rows;
    const isMany = rows.length >= fewestShared;
    const literals = first.map((value, at) =>
      isMany && rows.every((row) => row[at] === value) ? literalOf(value) : null,
    );
    const text = `${start} (${literals.map((literal) => literal ?? '?').join(', ')})`;
    const statement = isMany ? this.#prepareOnce(text) : this.#prepare(text);
    const open = literals.flatMap((literal, at) => (literal === null ? [at] : []));
    for (const row of rows) statement.run(open.map((at) => row[at]));
  }

  /** As {@link #prepare}, for a statement that no later transaction has: only the last one is kept. */
  #prepareOnce(text: string): Database.Statement {
    if (this.#last?.text !== text)
      this.#last = { text, statement: this.database.prepare(this.#adapt(text)) };
    return this.#last.statement;
  }

  #prepare(text: string): Database.Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    if (this.#statements.size >= mostStatements) this.#statements.clear();
    const statement = this.database.prepare(this.#adapt(text));
    this.#statements.set(text, statement);
    return statement;
  }
}

/**
 * Returns the text of a statement with `+?` for each value. The plus changes no value. With `?` alone, the planner of
 * SQLite may compare two values to find that two terms are equal, as in ORDER BY, and then it prepares the statement
 * again whenever other values are bound, which takes several times as long as running it.
 *
 * Source: sqlite3_reprepare and exprCompareVariable in the source code of SQLite.
 */
function statementText({ strings }: Sql): string {
  return strings.join('+?');
}

/** Returns a value as part of a statement: null, an integer, or a short text of plain characters. Null for others. */
function literalOf(value: unknown): string | null {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === 'string' && /^[\w:.[\] -]{0,40}$/.test(value) ? `'${value}'` : null;
}

/** Creates the file if it is missing, readable by its owner only. SQLite gives its log files the same permissions. */
export function makePrivate(path: string): void {
  // Do not open an existing file: closing it would release the locks that this process holds on it.
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // The engine reports why it cannot open the file.
  }
}

function setBusyTimeout(database: Database.Database, timeoutMs: number): void {
  database.pragma(`busy_timeout = ${timeoutMs}`);
}

function prepareDatabase(database: Database.Database, timeoutMs: number): void {
  assertVersion(database.prepare('SELECT sqlite_version()').pluck().get() as string);
  // 16 kB pages: a stored row with its JSON is near 1 kB, and 4 kB pages cost a fifth more on import.
  database.pragma('page_size = 16384');
  switchToWal(database, timeoutMs);
  // The default of better-sqlite3 in WAL mode is NORMAL, which loses acknowledged commits in a power failure.
  database.pragma('synchronous = FULL');
  if (database.pragma('synchronous', { simple: true }) !== 2) {
    throw new Error('SQLite did not accept synchronous = FULL, so a power failure could lose data');
  }
  database.pragma('foreign_keys = ON');
  database.pragma('trusted_schema = OFF');
  // Deleted rows and freed pages are overwritten with zeros.
  database.pragma('secure_delete = ON');
  database.pragma(`cache_size = -${usualCacheKiB}`);
  database.pragma(`journal_size_limit = ${longLogBytes}`);
}

/**
 * Switches to WAL mode. While another connection does the same, SQLite fails at once to avoid a deadlock, without
 * waiting for the busy timeout; so this function retries.
 */
function switchToWal(database: Database.Database, timeoutMs: number): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const end = performance.now() + timeoutMs; ; Atomics.wait(pause, 0, 0, 5)) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
    }
  }
}

/** The schema version and the schema as text. Equal for all connections to the same database. */
function readSchema(database: Database.Database): string {
  const parts = withDatabaseErrors(() =>
    database
      .prepare(
        'SELECT user_version FROM pragma_user_version UNION ALL SELECT sql FROM sqlite_schema',
      )
      .pluck()
      .all(),
  );
  return JSON.stringify(parts);
}

/** Throws if the version of SQLite is too old to be safe. */
export function assertVersion(version: string): void {
  const parts = version.split('.').map(Number);
  for (const [index, least] of oldestSafeVersion.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part < least) {
      throw new Error(`SQLite ${version} is too old: use ${oldestSafeVersion.join('.')} or newer`);
    }
  }
}
