import { once } from 'node:events';
import { Pool } from 'pg';
import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { postgresDialect } from '../dialect.ts';
import { atMostOneStatement, Emit, run } from '../engine.ts';
import { DatabaseError } from '../errors.ts';
import type { Engine, Steps, Step, WriteOptions } from '../engine.ts';
import { beginPostgres, connectionConfig, durably } from './connection.ts';
import { PostgresConnection, reach } from './connection.ts';
import type { ConnectionOptions } from './connection.ts';
import { asDatabaseError, isGone, isReadOnly, isUnwritable, isWorthRepeating } from './faults.ts';
import { RowClient } from './row-bytes.ts';

/** How a PostgreSQL database is used. */
export interface PostgresOptions extends ConnectionOptions {
  /** Connections at most, 1 or more. */
  readonly poolSize: number;
  /** Operations that may wait for a connection; one more is refused at once. */
  readonly maxWaiting: number;
  /**
   * How long the server may work on one statement, and on everything that one read asks, in milliseconds; 0 for as long
   * as it takes.
   */
  readonly statementTimeoutMs: number;
  /** How long a statement waits for other writers, in milliseconds; as long as it may take unless given, or for 0. */
  readonly lockTimeoutMs?: number;
  /** Milliseconds since 1970; the machine's clock unless given. */
  readonly now?: () => number;
}

/** Attempts of one transaction when the server says that it collided with another one. */
const writeAttempts = 5;
/** By how much a silent server may pass the time of a statement until its connection is given up. */
const silenceMs = 500;
/** After a failover connections may still lead to the old server; none is used for longer than this. */
const connectionLifeSeconds = 600;
const closeTimeoutMs = 3000;

const beginRead = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
/** Opens a PostgreSQL database as an engine. Connects when it is first used. */
export function openPostgres(options: PostgresOptions): PostgresEngine {
  return new PostgresEngine(options);
}

/**
 * A PostgreSQL database, 15 or newer.
 *
 * Reads see one snapshot. Writes of one book come one after another, because each begins by changing the book's row.
 * A transaction is repeated whole, and only when the server says that it left nothing behind. When the server cannot be
 * had in time, the operation is refused with a {@link DatabaseError} and the next one tries anew.
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
    // A connection that breaks while nobody uses it is only taken out of the pool.
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

  async read<T>(operation: () => Steps<T>): Promise<T> {
    const { statementTimeoutMs } = this.#options;
    // All its statements together have the time of one: somebody waits for what is read.
    const timeoutMs = statementTimeoutMs > 0 ? statementTimeoutMs + silenceMs : null;
    try {
      return await this.#transaction(beginRead, operation, 'COMMIT', timeoutMs);
    } catch (error) {
      throw asDatabaseError(error);
    }
  }

  async readStatement<T>(operation: () => Steps<T>): Promise<T> {
    try {
      return await this.#onConnection((connection) =>
        connection.run(atMostOneStatement(operation())),
      );
    } catch (error) {
      throw asDatabaseError(error);
    }
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
      // Whoever stops half-way leaves a transaction open, which ends with its connection.
      client.release(!isWhole);
    }
  }

  /** Runs `work` in one transaction as {@link beginPostgres} opens it: for migrations. */
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

  /** Lets the operations under way finish, and cuts off after three seconds what a silent server holds up. */
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
    const value = await this.#transaction(
      beginWrite(options),
      whole,
      rollback ? 'ROLLBACK' : 'COMMIT',
    );
    if (!rollback) this.#canWrite = true;
    return value;
  }

  #transaction<T>(
    begin: string,
    operation: () => Steps<T>,
    end: 'COMMIT' | 'ROLLBACK',
    timeoutMs: number | null = null,
  ): Promise<T> {
    const work = (connection: PostgresConnection): Promise<T> =>
      connection.transaction(begin, operation, end);
    return this.#onConnection(work, timeoutMs);
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
        'Every connection to the database is in use, and too many wait for one',
      );
    }
    return reach(() => this.#pool.connect());
  }
}

/**
 * Says the isolation itself: under a stricter default of the server, writers of one book would collide instead of
 * waiting for each other. `lock_timeout` is whole milliseconds, and 0 would be to wait without end.
 */
function beginWrite({ waitMs, onSnapshot = false }: WriteOptions): string {
  const begin = `BEGIN ISOLATION LEVEL ${onSnapshot ? 'REPEATABLE READ' : 'READ COMMITTED'}`;
  const wait =
    waitMs === undefined ? [] : [`SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(waitMs))}`];
  return [begin, durably, ...wait].join('; ');
}

/** The operation, and then a row that is really written: a change of nothing would succeed on any disk. */
function marked<T>(operation: () => Steps<T>) {
  return function* (): Steps<T> {
    const value = yield* operation();
    yield* run(sql`UPDATE schema_versions SET migrated_at = migrated_at WHERE version = 1`);
    return value;
  };
}
