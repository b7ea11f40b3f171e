import type { ClientBase, ClientConfig, QueryConfig } from 'pg';
import type { Sql } from 'sql-template-tag';
import { copyRows } from './copy-rows.ts';
import { DatabaseError } from '../errors.ts';
import { postgresDialect } from '../dialect.ts';
import type { BulkInsert, RunContext, Step, Steps } from '../engine.ts';
import { asDatabaseError, isGone, isUnsent } from './faults.ts';
import { wireTypes } from './types.ts';
import { asRowClient, RowClient } from './row-bytes.ts';

/** Filters make a few hundred shapes of statements at most; beyond, they are planned anew each time. */
const mostStatements = 1000;
/** Statements by their text, named alike on every connection. */
const names = new Map<string, string>();
const connections = new WeakMap<ClientBase, PostgresConnection>();

/** How a PostgreSQL database is reached. */
export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`, with the driver's own parameters. */
  readonly url: string;
  /** How long an operation waits for a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
}

/** A peer that vanished is noticed within a minute, and not after two hours. */
const keepAliveDelayMs = 10_000;
/** A change that is acknowledged is on the server's disk, however the server is configured. */
export const durably =
  "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'";

/** One connection to a PostgreSQL database: runs steps, each statement prepared once. */
export class PostgresConnection {
  readonly #client: RowClient;
  readonly #now: () => number;
  #isOpen = false;
  /** Rows that are on their way. They are waited for before the next statement, and made while others are written. */
  #writing: Promise<void> | null = null;

  private constructor(client: RowClient, now: () => number) {
    this.#now = now;
    this.#client = client;
    // The statement that is running rejects with it, if there is one.
    client.on('error', () => undefined);
  }

  /** The connection of a client. */
  static of(client: ClientBase, now: () => number = Date.now): PostgresConnection {
    const known = connections.get(client);
    if (known !== undefined) return known;
    const connection = new PostgresConnection(asRowClient(client), now);
    connections.set(client, connection);
    return connection;
  }

  /** Ends the connection at once, for a server that is silent. */
  cut(): void {
    this.#client.cut();
  }

  /** True while a transaction is open; after {@link transaction} only when it could not be taken back. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Runs an operation between the statements `begin` and `end`; takes everything back when it throws.
   *
   * Throws a {@link DatabaseError} that says so when the connection breaks under a COMMIT.
   */
  async transaction<T>(
    begin: string,
    operation: () => Steps<T>,
    end: 'COMMIT' | 'ROLLBACK',
  ): Promise<T> {
    this.#isOpen = true;
    try {
      await this.command(begin);
      const value = await this.run(operation());
      await this.#end(end);
      this.#isOpen = false;
      return value;
    } catch (error) {
      // A server that is silent would be silent to this, too.
      if (!isGone(error) && !(error instanceof DatabaseError)) await this.#rollBack();
      throw error;
    }
  }

  /** Runs the statements of an operation one after another. */
  async run<T>(steps: Steps<T>): Promise<T> {
    let next = steps.next();
    while (next.done !== true) next = steps.next(await this.perform(next.value));
    await this.#written();
    return next.value;
  }

  async perform(step: Step): Promise<unknown> {
    if ('get' in step) return { dialect: postgresDialect, nowMs: this.#now() } satisfies RunContext;
    await this.#written();
    if ('insertInto' in step) return this.#insertMany(step);
    if ('joinRows' in step) return this.#joinRows(step.joinRows);
    return this.#query(step);
  }

  /** Runs a text of one statement or several, without values. */
  async command(text: string): Promise<void> {
    await this.#written();
    await this.#client.query(text);
  }

  /** Waits for the rows on their way; throws the error that they met, if any. */
  async #written(): Promise<void> {
    const writing = this.#writing;
    this.#writing = null;
    if (writing !== null) await writing;
  }

  async #query(query: Sql): Promise<unknown> {
    const { rows } = await this.#client.query(config(query.text, query.values));
    return rows;
  }

  /** The bytes as the server sends them: a page as a string would cost as much again, twice. */
  async #joinRows(query: Sql): Promise<Buffer> {
    const { rowBytes } = this.#client;
    rowBytes.begin();
    try {
      await this.#query(query);
      return rowBytes.end();
    } catch (error) {
      rowBytes.end();
      throw error;
    }
  }

  #insertMany(rows: BulkInsert): unknown {
    const writing = copyRows(this.#client, rows);
    // Whoever waits for it gets the error; a transaction that ends before has one of its own.
    writing.catch(() => undefined);
    this.#writing = writing;
    return [];
  }

  async #end(end: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    try {
      await this.command(end);
    } catch (error) {
      if (end === 'ROLLBACK' || !isGone(error) || isUnsent(error)) throw error;
      throw new DatabaseError(
        'unavailable',
        'The connection to the database broke while a change was being stored: whether it is stored is not known',
        { cause: error, mayBeStored: true },
      );
    }
  }

  async #rollBack(): Promise<void> {
    this.#writing = null;
    try {
      await this.command('ROLLBACK');
      this.#isOpen = false;
    } catch {
      // Whoever asks finds the transaction still open.
    }
  }
}

function config(text: string, values: unknown[]): QueryConfig {
  const name = nameOf(text);
  const query = { text, values, types: wireTypes };
  return name === undefined ? query : { ...query, name };
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostStatements) return known;
  const name = `coffer${names.size}`;
  names.set(text, name);
  return name;
}

/**
 * Begins a transaction on a connection of its own. Its statements may take as long as they take, and it may be idle. It
 * is safe behind a pooler, because no setting outlives the transaction. Statements wait `lockTimeoutMs` for other
 * writers.
 *
 * The caller must commit and cut the connection; the server rolls back what was not committed.
 */
export async function beginPostgres(
  options: ConnectionOptions,
  lockTimeoutMs: number,
): Promise<PostgresConnection> {
  const client = new RowClient(connectionConfig(options));
  const connection = PostgresConnection.of(client);
  try {
    await reach(() => client.connect());
    await connection.command(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${durably};
      SELECT set_config(name, '0', true) FROM pg_settings
      WHERE name IN ('idle_in_transaction_session_timeout', 'statement_timeout', 'transaction_timeout')`);
    return connection;
  } catch (error) {
    connection.cut();
    throw asDatabaseError(error);
  }
}

/** The driver throws for a URL with a certificate file that is missing, and rejects for a server that is away. */
export async function reach<T>(connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    throw new DatabaseError('unavailable', `The database cannot be reached: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** What the driver needs to connect. */
export function connectionConfig({ url, connectTimeoutMs }: ConnectionOptions): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'coffer',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
  };
}

/** Where a name has several addresses, the error of each is in a list, and the message is empty. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(messageOf))].join(', ');
  return error instanceof Error ? error.message : String(error);
}
