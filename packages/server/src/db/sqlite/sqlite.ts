import { raw } from 'sql-template-tag';
import { sqliteDialect } from '../dialect.ts';
import { atMostOneStatement } from '../engine.ts';
import { DatabaseError } from '../errors.ts';
import type { Emit, Engine, Steps, Step, WriteOptions } from '../engine.ts';
import { LockQueue } from './lock-queue.ts';
import { SqliteConnection } from './connection.ts';
import { isFatal, isFull, withDatabaseErrors } from './faults.ts';
import { endStalled } from './stalled.ts';

export interface SqliteOptions {
  /** A path, or `:memory:`. The file is made when it is missing. */
  readonly path: string;
  /**
   * How long an operation waits for other processes, in milliseconds. Reads and writes wait without blocking; opening,
   * {@link SqliteEngine.execute} and streams block.
   */
  readonly busyTimeoutMs: number;
  /** Milliseconds since 1970; the machine's clock unless given. */
  readonly now?: () => number;
  /** Called when the engine has closed. */
  readonly whenClosed?: () => void;
}

/** Opens an SQLite database file as an engine. Throws when the file is no database or the library is too old. */
export function openSqlite(options: SqliteOptions): SqliteEngine {
  return new SqliteEngine(options);
}

/**
 * An SQLite file. Operations run synchronously: between two statements of one, nothing else of this process runs.
 *
 * A connection under which the disk failed is given up: the operation throws, and the next one runs on a new
 * connection, or throws too as long as none can be opened.
 */
export class SqliteEngine implements Engine {
  readonly dialect = sqliteDialect;
  readonly #options: SqliteOptions;
  readonly #readers = new LockQueue();
  readonly #writers = new LockQueue();
  #connection: SqliteConnection;
  #isGivenUp = false;
  #schema: string;
  #canWrite = true;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#connection = new SqliteConnection(options.path, {
      openTimeoutMs: options.busyTimeoutMs,
      now: options.now,
    });
    this.#schema = this.#connection.schema;
  }

  get canWrite(): boolean {
    return this.#canWrite;
  }

  read<T>(operation: () => Steps<T>): Promise<T> {
    return this.#readers.run(
      () => this.#guard((connection) => connection.transaction('BEGIN', operation, 'COMMIT')),
      this.#options.busyTimeoutMs,
    );
  }

  /** To begin and to end a transaction costs next to nothing here. */
  readStatement<T>(operation: () => Steps<T>): Promise<T> {
    return this.read(() => atMostOneStatement(operation()));
  }

  write<T>(
    operation: () => Steps<T>,
    { rollback = false, waitMs = this.#options.busyTimeoutMs }: WriteOptions = {},
  ): Promise<T> {
    return this.#writers.run(() => this.#write(operation, rollback), waitMs);
  }

  stream<T>(operation: () => Generator<Step | Emit<T>, void, unknown>): AsyncIterable<T> {
    const { path, busyTimeoutMs, now } = this.#options;
    // A database in memory belongs to its one connection, which must not be held while a reader takes its time.
    if (path === ':memory:') return inTurns([...this.#connection.stream(operation)]);
    const connection = new SqliteConnection(path, {
      openTimeoutMs: busyTimeoutMs,
      mustExist: true,
      now,
    });
    return inTurns(endStalled(closing(connection.stream(operation), connection), `${path}-wal`));
  }

  /** Runs a script of several statements: for migrations. */
  execute(script: string, busyTimeoutMs = this.#options.busyTimeoutMs): void {
    this.#connection.execute(script, busyTimeoutMs);
    this.#schema = this.#connection.schema;
  }

  /** The number that SQLite keeps in the file for its user: our schema's version. */
  get schemaVersion(): number {
    const { database } = this.#connection;
    return withDatabaseErrors(() => database.pragma('user_version', { simple: true })) as number;
  }

  close(): Promise<void> {
    return settle(() => {
      this.#readers.close();
      this.#writers.close();
      this.#connection.close();
      this.#options.whenClosed?.();
    });
  }

  #write<T>(operation: () => Steps<T>, rollback: boolean): T {
    try {
      const value = this.#guard((connection) => {
        const whole = this.#canWrite ? operation : marked(operation, this.schemaVersion);
        return connection.transaction('BEGIN IMMEDIATE', whole, rollback ? 'ROLLBACK' : 'COMMIT');
      });
      if (!this.#canWrite && !rollback) this.#noteRecovery();
      return value;
    } catch (error) {
      if (isFull(error)) this.#noteFull();
      else if (isFatal(error)) this.#overwriteRefused();
      throw error;
    }
  }

  /** Small transactions fill the log with many states of a few pages; folded in, they leave room for more. */
  #noteFull(): void {
    this.#canWrite = false;
    this.#foldLog();
  }

  /** While the disk was full the log could not be folded in, because the database had no room to grow. Now it has. */
  #noteRecovery(): void {
    this.#canWrite = true;
    this.#foldLog();
  }

  #foldLog(): void {
    attempt(() => this.#guard((connection) => connection.foldLog()));
  }

  /**
   * The pages of a commit whose sync failed lie in the log, whole and behind its end. A small commit overwrites them;
   * without it they would come back as committed if the process died before the next write.
   */
  #overwriteRefused(): void {
    this.#canWrite = false;
    attempt(() => {
      this.#guard((connection) => {
        const mark = marked(nothing, this.schemaVersion);
        connection.transaction('BEGIN IMMEDIATE', mark, 'COMMIT');
      });
      this.#canWrite = true;
    });
  }

  /** Runs `work` on a connection that can be trusted, and gives the connection up when the disk failed under it. */
  #guard<T>(work: (connection: SqliteConnection) => T): T {
    this.#reopenIfGivenUp();
    const connection = this.#connection;
    try {
      return work(connection);
    } catch (error) {
      // A database in memory is lost with its connection, and has no disk to fail.
      if (this.#options.path !== ':memory:')
        this.#isGivenUp = isFatal(error) || connection.inTransaction;
      throw error;
    }
  }

  #reopenIfGivenUp(): void {
    if (!this.#isGivenUp) return;
    const connection = reopen(this.#options, this.#schema);
    const old = this.#connection;
    this.#connection = connection;
    this.#isGivenUp = false;
    // Not before the new one is open: the last to close folds the log in, and its index, which knows where the log
    // ends, goes away.
    old.close();
  }
}

/** Opens a database again. Throws {@link DatabaseError} when it is not the one that it was. */
function reopen({ path, now }: SqliteOptions, schema: string): SqliteConnection {
  const connection = new SqliteConnection(path, { openTimeoutMs: 0, mustExist: true, now });
  try {
    if (connection.schema === schema) return connection;
    throw new DatabaseError(
      'unavailable',
      'The database has another schema than when it was opened',
    );
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * The operation, and then a page that is really written: a statement that sets a value to what it is writes nothing,
 * but the version in the file's header is always written.
 */
function marked<T>(operation: () => Steps<T>, schemaVersion: number) {
  return function* (): Steps<T> {
    const value = yield* operation();
    yield raw(`PRAGMA user_version = ${schemaVersion}`);
    return value;
  };
}

function* nothing(): Steps<void> {
  return undefined;
}

/** Runs work that may fail because the disk fails, when the caller gets the first error anyway. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The next write finds out.
  }
}

/** Yields the values; closes the connection after the last one, or when the reader stops. */
function* closing<T>(
  values: Iterable<T>,
  connection: SqliteConnection,
): Generator<T, void, undefined> {
  try {
    yield* values;
  } finally {
    connection.close();
  }
}

/** The values for a reader who awaits each, as an engine behind a socket gives them. */
function inTurns<T>(values: Iterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = values[Symbol.iterator]();
      const ended = { done: true, value: undefined } as const;
      return {
        next: () => settle(() => iterator.next()),
        return: () => settle(() => iterator.return?.() ?? ended),
      };
    },
  };
}

/** Runs synchronous work and reports through a promise, its errors too. */
function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
