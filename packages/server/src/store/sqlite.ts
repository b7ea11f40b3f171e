import Database from 'better-sqlite3';
import { Emit, StoreBusyError } from './engine.ts';
import type { Engine, Operation, Step } from './engine.ts';
import { SqliteConnection } from './sqlite-connection.ts';

export interface SqliteOptions {
  /** A path, or `:memory:`. The file is made when it is missing. */
  readonly path: string;
  /**
   * How long a writer waits for another process, in milliseconds. The wait blocks the whole process, so a server
   * keeps it short and tries again without blocking; a command can afford to wait.
   */
  readonly busyTimeoutMs: number;
}

const writeAttempts = 20;
const writeRetryDelayMs = 25;

/** Opens an SQLite database file as an engine. Throws when the file is no database or the library is too old. */
export function openSqlite(options: SqliteOptions): SqliteEngine {
  return new SqliteEngine(options);
}

/** An SQLite file. Operations run synchronously: between two statements of one, nothing else of this process runs. */
export class SqliteEngine implements Engine {
  readonly #options: SqliteOptions;
  readonly #connection: SqliteConnection;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#connection = new SqliteConnection(options.path, options.busyTimeoutMs);
  }

  read<T>(operation: () => Operation<T>): Promise<T> {
    return settle(() => this.#connection.transaction('BEGIN', operation, 'COMMIT'));
  }

  async write<T>(
    operation: () => Operation<T>,
    options: { rollback?: boolean; attempts?: number } = {},
  ): Promise<T> {
    const end = options.rollback === true ? 'ROLLBACK' : 'COMMIT';
    for (let attempt = 1; ; attempt += 1) {
      try {
        return this.#connection.transaction('BEGIN IMMEDIATE', operation, end);
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (attempt === (options.attempts ?? writeAttempts))
          throw new StoreBusyError('Another process is writing');
      }
      await new Promise((resolve) => setTimeout(resolve, writeRetryDelayMs));
    }
  }

  stream<T>(operation: () => Generator<Step | Emit<T>, void, unknown>): Iterable<T> {
    const { path, busyTimeoutMs } = this.#options;
    // A database in memory belongs to its one connection, which must not be held while a reader takes its time.
    if (path === ':memory:') return [...emitted(this.#connection, operation)];
    const connection = new SqliteConnection(path, busyTimeoutMs);
    const values = emitted(connection, operation);
    return closing(values, connection);
  }

  /** Runs a script of several statements: for migrations. */
  execute(script: string): void {
    this.#connection.database.exec(script);
  }

  /** The number that SQLite keeps in the file for its user: our schema's version. */
  get schemaVersion(): number {
    return this.#connection.database.pragma('user_version', { simple: true }) as number;
  }

  close(): Promise<void> {
    return settle(() => this.#connection.close());
  }
}

/** Runs an operation in one read transaction and hands out what it emits. */
function* emitted<T>(
  connection: SqliteConnection,
  operation: () => Generator<Step | Emit<T>, void, unknown>,
): Generator<T, void, undefined> {
  connection.database.exec('BEGIN');
  try {
    const steps = operation();
    let next = steps.next();
    while (next.done !== true) {
      if (next.value instanceof Emit) {
        yield next.value.value;
        next = steps.next();
      } else {
        next = steps.next(connection.perform(next.value));
      }
    }
  } finally {
    connection.database.exec('COMMIT');
  }
}

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

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Runs synchronous work and reports through a promise, its errors too. */
function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
