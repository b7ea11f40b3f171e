import { setTimeout as wait } from 'node:timers/promises';
import { raw } from 'sql-template-tag';
import { sqliteDialect } from '../dialect.ts';
import { atMostOneStatement } from '../engine.ts';
import type { Emit, Engine, Steps, Step, WriteOptions } from '../engine.ts';
import { DatabaseError } from '../errors.ts';
import {
  SqliteConnection,
  isBusy,
  isFatal,
  isFull,
  withDatabaseErrors,
  longLogBytes,
} from './connection.ts';
import { LockQueue, turnsOf } from './lock-queue.ts';
import { copyPending, Pending } from './pending.ts';
import { Sweep, LayoutError } from './sweep.ts';
import { statSync } from 'node:fs';
import { realPath } from './files.ts';

/** Pages in the log after which it is written to the file: 16 MB, as SQLite does by default. */
const checkpointPages = 1000;
/** More pages take long, and are written elsewhere. */
const mostPagesHere = 2000;
/** Writes between two looks at the log. */
const writesBetween = 16;

/** What signing in writes waits for this time; then it is pending next to the database. */
const urgentWaitMs = 50;
const copyAgainMs = 1000;
const retryMs = 25;
/** How long a log that is too long waits for readers of older states. A later checkpoint tries again. */
const emptyWaitMs = 1000;

export interface SqliteOptions {
  /** A path, or `:memory:`. The file is created if it is missing. */
  readonly path: string;
  /**
   * How long an operation waits for other processes, in milliseconds. Reads and writes wait without blocking. Opening,
   * {@link SqliteEngine.execute} and streams block.
   */
  readonly busyTimeoutMs: number;
  /** Milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  /**
   * Runs {@link checkpointFile} in another thread. Without it each checkpoint is run by the write that makes the log
   * long, whatever is in it.
   */
  readonly checkpoint?: (() => Promise<void>) | undefined;
  /** Called when the engine has closed. */
  readonly whenClosed?: () => void;
}

/**
 * Writes the log of an SQLite database to its file, as far as nobody reads an older state. Nobody waits for it. A log
 * of more than 64 MB is emptied, in a turn of the writers: the system frees its blocks meanwhile, which takes the
 * longer the more there are.
 */
export async function checkpointFile(path: string): Promise<void> {
  const connection = new SqliteConnection(path, { openTimeoutMs: emptyWaitMs, mustExist: true });
  try {
    connection.checkpoint();
    const writers = new LockQueue(turnsOf(path));
    const untilMs = performance.now() + emptyWaitMs;
    if (hasLongLog(path)) await inTurn(writers, () => connection.truncateLog(), untilMs);
  } catch (error) {
    if (!isBusy(error)) throw error;
  } finally {
    connection.close();
  }
}

function hasLongLog(path: string): boolean {
  const log = statSync(`${realPath(path)}-wal`, { throwIfNoEntry: false });
  return log !== undefined && log.size > longLogBytes;
}

/**
 * Runs work of a writer that fails while somebody reads an older state, again and again until a time. It waits outside
 * of the queue, so that a reader keeps no writes waiting.
 */
async function inTurn<T>(
  writers: LockQueue,
  work: () => T,
  untilMs: number,
  signal?: AbortSignal,
): Promise<T> {
  for (;;)
    try {
      return await writers.run(work, 0);
    } catch (error) {
      if (!isBusy(error) || performance.now() > untilMs || signal?.aborted === true) throw error;
      await wait(retryMs);
    }
}

/** Opens an SQLite file as an engine. Throws if the file is not a database or SQLite is too old. */
export function openSqlite(options: SqliteOptions): SqliteEngine {
  return new SqliteEngine(options);
}

/**
 * An SQLite file. Operations run synchronously: nothing else in this process runs between two statements of one.
 *
 * After a disk failure the operation throws, and the connection is not used again. The next operation opens a new one,
 * or throws if that fails.
 */
export class SqliteEngine implements Engine {
  readonly dialect = sqliteDialect;
  readonly #options: SqliteOptions;
  readonly #readers = new LockQueue();
  readonly #writers: LockQueue;
  #connection: SqliteConnection;
  /** Null while nothing is pending. */
  #pending: Pending | null = null;
  #isClosed = false;
  #writes = 0;
  #isCheckpointing = false;
  #isGivenUp = false;
  #schema: string;
  #canWrite = true;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#writers = new LockQueue(turnsOf(options.path));
    this.#connection = new SqliteConnection(options.path, {
      openTimeoutMs: options.busyTimeoutMs,
      now: options.now,
    });
    this.#schema = this.#connection.schema;
    this.#ownCheckpoints();
  }

  get canWrite(): boolean {
    return this.#canWrite;
  }

  read<T>(operation: () => Steps<T>, { onSnapshot = true } = {}): Promise<T> {
    const read = (connection: SqliteConnection): T =>
      onSnapshot
        ? connection.transaction('BEGIN', operation, 'COMMIT')
        : connection.run(operation());
    const work = (): T => (this.#pending === null ? this.#guard(read) : this.#pending.run(read));
    return this.#readers.run(work, this.#options.busyTimeoutMs);
  }

  readStatement<T>(operation: () => Steps<T>): Promise<T> {
    return this.read(() => atMostOneStatement(operation()), { onSnapshot: false });
  }

  write<T>(
    operation: () => Steps<T>,
    {
      rollback = false,
      isUrgent = false,
      isLarge = false,
      waitMs = this.#options.busyTimeoutMs,
      signal,
    }: WriteOptions = {},
  ): Promise<T> {
    if (isUrgent && this.#options.path !== ':memory:') return this.#writeUrgent(operation);
    return this.#writers.run(() => this.#write(operation, rollback, isLarge), waitMs, signal);
  }

  /** While something is pending, what follows is too, so that it keeps its order. */
  async #writeUrgent<T>(operation: () => Steps<T>): Promise<T> {
    const inTurn = (waitMs: number): Promise<T> =>
      this.#writers.run(() => this.#write(operation, false), waitMs);
    try {
      if (this.#pending === null) return await inTurn(urgentWaitMs);
    } catch (error) {
      if (!isBusy(error) || this.#isClosed) throw error;
    }
    try {
      return this.#writePending(operation);
    } catch (error) {
      // It also writes other tables.
      if (!isBusy(error)) throw error;
      return inTurn(this.#options.busyTimeoutMs);
    }
  }

  #writePending<T>(operation: () => Steps<T>): T {
    const { path, busyTimeoutMs, now } = this.#options;
    if (this.#pending === null) {
      this.#pending = new Pending(path, busyTimeoutMs, now);
      this.#copySoon();
    }
    return this.#pending.run((connection) => connection.transaction('BEGIN', operation, 'COMMIT'));
  }

  /** Copies what is pending as soon as the lock is free. A write that is earlier in the queue does it too. */
  #copySoon(): void {
    this.#writers
      .run(() => this.#copyPending(), Infinity)
      .catch(() => {
        if (!this.#isClosed) setTimeout(() => this.#copySoon(), copyAgainMs).unref();
      });
  }

  #copyPending(): void {
    const pending = this.#pending;
    if (pending === null) return;
    const rows = pending.rows();
    const copy = function* (connection: SqliteConnection): Steps<void> {
      copyPending(connection.database, rows);
    };
    this.#guard((connection) =>
      connection.transaction('BEGIN IMMEDIATE', () => copy(connection), 'COMMIT'),
    );
    this.#pending = null;
    pending.remove();
  }

  #another(): SqliteConnection {
    const { path, busyTimeoutMs: openTimeoutMs, now } = this.#options;
    return new SqliteConnection(path, { openTimeoutMs, mustExist: true, now });
  }

  stream<T>(operation: () => Generator<Step | Emit<T>, void, unknown>): AsyncIterable<T> {
    // A database in memory has one connection, which a slow reader must not hold.
    if (this.#options.path === ':memory:') return inTurns([...this.#connection.stream(operation)]);
    const connection = this.#another();
    return inTurns(closing(connection.stream(operation), connection));
  }

  async eraseDeleted({ signal }: { readonly signal?: AbortSignal } = {}): Promise<boolean> {
    // A database in memory has no file.
    if (this.#options.path === ':memory:') return true;
    const connection = this.#another();
    try {
      return await this.#sweep(connection, signal);
    } catch (error) {
      if (isBusy(error) || isFull(error) || error instanceof LayoutError) return false;
      throw error;
    } finally {
      connection.close();
    }
  }

  async #sweep(connection: SqliteConnection, signal?: AbortSignal): Promise<boolean> {
    const step = <T>(work: () => T): Promise<T> =>
      inTurn(this.#writers, work, performance.now() + this.#options.busyTimeoutMs, signal);
    const sweep = new Sweep(connection, this.#options.path);
    for (let isDone = false; !isDone;) {
      if (signal?.aborted === true) return false;
      const startedMs = performance.now();
      isDone = await step(() => sweep.step());
      // Other work gets at least as much time.
      await wait(performance.now() - startedMs, undefined, { signal }).catch(() => undefined);
    }
    await sweep.sync();
    await step(() => connection.truncateLog());
    return true;
  }

  /** Runs a script of several statements. For migrations. */
  execute(script: string, busyTimeoutMs = this.#options.busyTimeoutMs): void {
    this.#connection.execute(script, busyTimeoutMs);
    this.#schema = this.#connection.schema;
  }

  /** The schema version, which the file keeps as `user_version`. */
  get schemaVersion(): number {
    const { database } = this.#connection;
    return withDatabaseErrors(() => database.pragma('user_version', { simple: true })) as number;
  }

  close(): Promise<void> {
    return asPromise(() => {
      this.#isClosed = true;
      this.#readers.close();
      this.#writers.close();
      attempt(() => this.#copyPending());
      this.#pending?.close();
      this.#connection.close();
      this.#options.whenClosed?.();
    });
  }

  #write<T>(operation: () => Steps<T>, rollback: boolean, isLarge = false): T {
    try {
      this.#copyPending();
      const value = this.#guard((connection) => {
        const whole = this.#canWrite ? operation : marked(operation, this.schemaVersion);
        const end = rollback ? 'ROLLBACK' : 'COMMIT';
        return isLarge
          ? connection.largeTransaction('BEGIN IMMEDIATE', whole, end)
          : connection.transaction('BEGIN IMMEDIATE', whole, end);
      });
      if (!this.#canWrite && !rollback) this.#noteRecovery();
      this.#writes += 1;
      if (this.#options.checkpoint !== undefined && this.#writes % writesBetween === 0)
        attempt(() => this.#checkpointIfDue());
      return value;
    } catch (error) {
      if (isFull(error)) this.#noteFull();
      else if (isFatal(error)) this.#overwriteRefused();
      throw error;
    }
  }

  #ownCheckpoints(): void {
    if (this.#options.checkpoint === undefined) return;
    this.#connection.database.pragma('wal_autocheckpoint = 0');
    // Otherwise the first commit after a large one cuts the log: 1 GB takes most of a second.
    this.#connection.database.pragma('journal_size_limit = -1');
  }

  #checkpointIfDue(): void {
    const pages = this.#connection.pagesInLog;
    if (pages < checkpointPages || this.#isCheckpointing) return;
    if (pages <= mostPagesHere && !hasLongLog(this.#options.path)) {
      this.#guard((connection) => connection.checkpoint());
      return;
    }
    this.#isCheckpointing = true;
    void this.#options
      .checkpoint?.()
      // A later one follows.
      .catch(() => undefined)
      .finally(() => (this.#isCheckpointing = false));
  }

  /** Frees space: many small transactions fill the log with copies of the same pages. */
  #noteFull(): void {
    this.#canWrite = false;
    this.#foldLog();
  }

  /** Runs the checkpoint that failed while the disk was full and the database could not grow. */
  #noteRecovery(): void {
    this.#canWrite = true;
    this.#foldLog();
  }

  #foldLog(): void {
    attempt(() => this.#guard((connection) => connection.foldLog()));
  }

  /**
   * The pages of a commit whose sync failed are in the log, complete, after its end. A small commit overwrites them.
   * Otherwise they would count as committed if the process died before the next write.
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

  /** Runs `work` on a working connection. Marks the connection as unusable if the disk failed. */
  #guard<T>(work: (connection: SqliteConnection) => T): T {
    this.#reopenIfGivenUp();
    const connection = this.#connection;
    try {
      return work(connection);
    } catch (error) {
      // A database in memory has no disk, and would be lost with its connection.
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
    this.#ownCheckpoints();
    this.#isGivenUp = false;
    // Not before the new one is open: closing the last connection runs a checkpoint and removes the index of the log,
    // which knows where the log ends.
    old.close();
  }
}

/** Opens a database again. Throws {@link DatabaseError} if its schema has changed. */
function reopen({ path, now }: SqliteOptions, schema: string): SqliteConnection {
  const connection = new SqliteConnection(path, { openTimeoutMs: 0, mustExist: true, now });
  try {
    if (connection.schema === schema) return connection;
    throw new DatabaseError(
      'unavailable',
      'The schema of the database has changed since it was opened',
    );
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Runs the operation and then writes a page. A statement that sets a value to itself would write nothing, but the
 * version in the file's header is always written.
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

/** Runs work and ignores its errors, because the caller gets the first error anyway. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The next write fails too.
  }
}

/** Yields the values. Closes the connection after the last one, or when the reader stops. */
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

/** Converts values to an async iterable, as PostgreSQL returns them. */
function inTurns<T>(values: Iterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = values[Symbol.iterator]();
      const ended = { done: true, value: undefined } as const;
      return {
        next: () => asPromise(() => iterator.next()),
        return: () => asPromise(() => iterator.return?.() ?? ended),
      };
    },
  };
}

/** Runs synchronous work and returns its result or error as a promise. */
function asPromise<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
