import { once } from 'node:events';
import { Pool, type PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { postgresDialect } from '../dialect.ts';
import { atMostOneStatement, Emit, run } from '../engine.ts';
import type { Engine, Steps, Step, WriteOptions } from '../engine.ts';
import { DatabaseError } from '../errors.ts';
import {
  beginPostgres,
  connectionConfig,
  durably,
  asDatabaseError,
  isGone,
  isReadOnly,
  isUnwritable,
  isWorthRepeating,
  PostgresConnection,
  connectOrFail,
} from './connection.ts';
import type { ConnectionOptions } from './connection.ts';
import { RowClient } from './row-bytes.ts';

/** How to use a PostgreSQL database. */
export interface PostgresOptions extends ConnectionOptions {
  /** Maximum number of connections, 1 or more. */
  readonly poolSize: number;
  /** How many operations may wait for a connection. Any more are refused at once. */
  readonly maxWaiting: number;
  /**
   * Time limit for one statement, and for all statements of one read together, in milliseconds. 0 for no limit.
   */
  readonly statementTimeoutMs: number;
  /** How long a statement waits for other writers, in milliseconds. Default: its own time limit, as for 0. */
  readonly lockTimeoutMs?: number;
  /** Milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
}

/** How often a transaction is tried if it conflicts with another one. */
const writeAttempts = 5;
/** How long after the time limit the client closes the connection if the server does not respond. */
const silenceMs = 500;
/** The maximum age of a connection, because after a failover it may still lead to the old server. */
const connectionLifeSeconds = 600;
const closeTimeoutMs = 3000;

/** Compiling a search takes a second, and the search itself some milliseconds. */
const withoutCompiler = 'SET LOCAL jit = off';
const beginRead = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${withoutCompiler}`;
/** Opens a PostgreSQL database as an engine. The first operation connects. */
export function openPostgres(options: PostgresOptions): PostgresEngine {
  return new PostgresEngine(options);
}

/**
 * A PostgreSQL database, 15 or newer.
 *
 * Reads see one snapshot. Writes to one book run one after another, because each starts by locking the book's row. Only
 * whole transactions are repeated, and only when the server reports that it rolled back. If the server is not available
 * in time, the operation fails with a {@link DatabaseError}, and the next one tries again.
 */
export class PostgresEngine implements Engine {
  readonly dialect = postgresDialect;
  readonly #options: PostgresOptions;
  readonly #pool: Pool;
  readonly #connected = new Set<PoolClient>();
  #canWrite = true;

  constructor(options: PostgresOptions) {
    this.#options = options;
    const { statementTimeoutMs, lockTimeoutMs = 0 } = options;
    this.#pool = new Pool({
      Client: RowClient,
      ...connectionConfig(options),
      max: options.poolSize,
      maxLifetimeSeconds: connectionLifeSeconds,
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + silenceMs }),
    });
    // The pool removes an idle connection that is lost. There is nothing else to do.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      PostgresConnection.of(client, options.now);
      this.#connected.add(client);
      client.once('end', () => this.#connected.delete(client));
    });
  }

  get canWrite(): boolean {
    return this.#canWrite;
  }

  async read<T>(operation: () => Steps<T>, { onSnapshot = true } = {}): Promise<T> {
    const { statementTimeoutMs } = this.#options;
    // One time limit for all statements together, because a caller is waiting for the result.
    const timeoutMs = statementTimeoutMs > 0 ? statementTimeoutMs + silenceMs : null;
    const read = (connection: PostgresConnection): Promise<T> =>
      onSnapshot || !connection.keepsSettings
        ? connection.transaction(beginRead, operation, 'COMMIT')
        : connection.run(operation());
    return this.#onConnection(read, timeoutMs).catch(rethrow);
  }

  async readStatement<T>(operation: () => Steps<T>): Promise<T> {
    const read = (connection: PostgresConnection): Promise<T> =>
      connection.run(atMostOneStatement(operation()));
    return this.#onConnection(read).catch(rethrow);
  }

  async write<T>(operation: () => Steps<T>, options: WriteOptions = {}): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#write(operation, options);
      } catch (error) {
        if (isUnwritable(error)) this.#canWrite = false;
        if (attempt === writeAttempts || !isWorthRepeating(error)) throw asDatabaseError(error);
      }
    }
  }

  async *stream<T>(
    operation: () => Generator<Step | Emit<T>, void, unknown>,
  ): AsyncGenerator<T, void, undefined> {
    const client = await this.#connect();
    const connection = PostgresConnection.of(client);
    let isWhole = false;
    try {
      await connection.findPooler();
      await connection.command(beginRead);
      const steps = operation();
      for (let next = steps.next(); next.done !== true;) {
        if (next.value instanceof Emit) {
          yield next.value.value;
          next = steps.next();
        } else next = steps.next(await connection.perform(next.value));
      }
      await connection.command('COMMIT');
      isWhole = true;
    } catch (error) {
      throw asDatabaseError(error);
    } finally {
      // A reader that stops early leaves a transaction open, which ends with its connection.
      client.release(!isWhole);
    }
  }

  /** Deleted rows cannot be read with SQL. The samples of values in `pg_stats` are taken again. */
  async eraseDeleted(): Promise<boolean> {
    const analyze = (connection: PostgresConnection) => connection.command('ANALYZE');
    await this.#onConnection(analyze).catch(rethrow);
    return true;
  }

  async interrupt(): Promise<void> {
    const processes = [...this.#connected]
      .map((client) => PostgresConnection.of(client).serverProcess)
      .filter((id) => id !== null);
    const connection = await beginPostgres(this.#options, closeTimeoutMs);
    try {
      for (const id of processes) await connection.command(`SELECT pg_cancel_backend(${id})`);
    } finally {
      connection.cut();
    }
  }

  /** Runs `work` in one transaction of {@link beginPostgres}. For migrations. */
  async migrate<T>(
    lockTimeoutMs: number,
    work: (connection: PostgresConnection) => Promise<T>,
  ): Promise<T> {
    const connection = await beginPostgres(this.#options, lockTimeoutMs);
    try {
      const result = await work(connection);
      await connection.command('COMMIT');
      return result;
    } catch (error) {
      throw asDatabaseError(error);
    } finally {
      connection.cut();
    }
  }

  /** Waits for running operations to finish, and closes their connections after three seconds. */
  async close(): Promise<void> {
    const cutOff = (): void => {
      for (const client of this.#connected) PostgresConnection.of(client).cut();
    };
    const timer = setTimeout(cutOff, closeTimeoutMs);
    await this.#pool.end();
    await Promise.all([...this.#connected].map((client) => once(client, 'end')));
    clearTimeout(timer);
  }

  async #write<T>(operation: () => Steps<T>, options: WriteOptions): Promise<T> {
    const { rollback = false } = options;
    const whole = this.#canWrite || rollback ? operation : marked(operation);
    const end = rollback ? 'ROLLBACK' : 'COMMIT';
    const value = await this.#onConnection((connection) =>
      connection.transaction(beginWrite(options), whole, end),
    );
    if (!rollback) this.#canWrite = true;
    return value;
  }

  async #onConnection<T>(
    work: (connection: PostgresConnection) => Promise<T>,
    timeoutMs: number | null = null,
  ): Promise<T> {
    const client = await this.#connect();
    const connection = PostgresConnection.of(client);
    const timer = timeoutMs === null ? undefined : setTimeout(() => connection.cut(), timeoutMs);
    let isBroken = true;
    try {
      await connection.findPooler();
      const value = await work(connection);
      isBroken = false;
      return value;
    } catch (error) {
      isBroken = isGone(error) || isReadOnly(error) || connection.isOpen;
      throw error;
    } finally {
      clearTimeout(timer);
      client.release(isBroken);
    }
  }

  async #connect(): Promise<PoolClient> {
    if (this.#pool.waitingCount >= this.#options.maxWaiting) {
      throw new DatabaseError(
        'busy',
        'All connections to the database are in use, and too many operations are waiting for one',
      );
    }
    return connectOrFail(() => this.#pool.connect());
  }
}

function rethrow(error: unknown): never {
  throw asDatabaseError(error);
}

/**
 * Sets the isolation level: with a stricter default of the server, writers to one book would fail instead of waiting
 * for each other. `lock_timeout` is in whole milliseconds, and 0 would mean no limit.
 */
function beginWrite({ waitMs, onSnapshot = false }: WriteOptions): string {
  const begin = `BEGIN ISOLATION LEVEL ${onSnapshot ? 'REPEATABLE READ' : 'READ COMMITTED'}`;
  const wait =
    waitMs === undefined ? [] : [`SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(waitMs))}`];
  return [begin, durably, ...wait].join('; ');
}

/** Runs the operation and then writes a row, because a transaction without writes would succeed on any disk. */
function marked<T>(operation: () => Steps<T>) {
  return function* (): Steps<T> {
    const value = yield* operation();
    yield* run(sql`UPDATE schema_versions SET migrated_at = migrated_at`);
    return value;
  };
}
