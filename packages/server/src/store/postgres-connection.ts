import type { Socket } from 'node:net';
import type { ClientBase, QueryConfig } from 'pg';
import type { Sql } from 'sql-template-tag';
import { copyRows } from './copy-rows.ts';
import { StoreUnavailableError } from './engine.ts';
import type { BulkInsert, Operation, Step } from './engine.ts';
import { isGone, isUnsent } from './postgres-faults.ts';
import { wireTypes } from './postgres-types.ts';
import { rowBytesOf } from './row-client.ts';

/** Filters make a few hundred shapes of statements at most; beyond, they are planned anew each time. */
const mostStatements = 1000;
/** Statements by their text, named alike on every connection. */
const names = new Map<string, string>();
const connections = new WeakMap<ClientBase, PostgresConnection>();

/** One connection to a PostgreSQL database: runs steps, each statement prepared once. */
export class PostgresConnection {
  readonly #client: ClientBase;
  #isOpen = false;
  /** Rows that are on their way. They are waited for before the next statement, and made while others are written. */
  #writing: Promise<void> | null = null;

  private constructor(client: ClientBase) {
    this.#client = client;
    // Told by the query under way, if there is one.
    client.on('error', () => undefined);
  }

  /** The connection of a client. */
  static of(client: ClientBase): PostgresConnection {
    const known = connections.get(client);
    if (known !== undefined) return known;
    const connection = new PostgresConnection(client);
    connections.set(client, connection);
    return connection;
  }

  /** Cuts the connection off without a word, for a server that is silent. */
  cut(): void {
    (this.#client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  }

  /** True while a transaction is open; after {@link transaction} only when it could not be taken back. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Runs an operation between the statements `begin` and `end`; takes everything back when it throws.
   *
   * Throws a {@link StoreUnavailableError} that says so when the connection breaks under a COMMIT.
   */
  async transaction<T>(
    begin: string,
    operation: () => Operation<T>,
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
      if (!isGone(error) && !(error instanceof StoreUnavailableError)) await this.#rollBack();
      throw error;
    }
  }

  /** Runs the statements of an operation one after another. */
  async run<T>(steps: Operation<T>): Promise<T> {
    let next = steps.next();
    while (next.done !== true) next = steps.next(await this.perform(next.value));
    await this.#written();
    return next.value;
  }

  async perform(step: Step): Promise<unknown> {
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

  /** Throws what the rows on their way came to, if that is an error. */
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
    const rowBytes = rowBytesOf(this.#client);
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
    // Whoever waits for it is told; who breaks off before does not want to know.
    writing.catch(() => undefined);
    this.#writing = writing;
    return [];
  }

  async #end(end: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    try {
      await this.command(end);
    } catch (error) {
      if (end === 'ROLLBACK' || !isGone(error) || isUnsent(error)) throw error;
      throw new StoreUnavailableError(
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
