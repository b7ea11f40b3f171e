import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientBase, ClientConfig, QueryConfig, CustomTypesConfig } from 'pg';
import copyStreams from 'pg-copy-streams';
import type { Sql } from 'sql-template-tag';
import { postgresDialect } from '../dialect.ts';
import type { BulkInsert, BytesRows, JoinedRows, RunContext, Step, Steps } from '../engine.ts';
import { DatabaseError, type DatabaseErrorKind } from '../errors.ts';
import { asRowClient, RowClient } from './row-bytes.ts';

/** The object id of `varchar`. No column has this type: statements cast to it to get text as bytes in UTF-8. */
const bytesOid = 1043;

/** Parsers for PostgreSQL's text format, by the object id of the type. */
const parsers = new Map<number, (text: string) => unknown>([
  [17, readBytes],
  [20, readInteger],
  [21, Number],
  [23, Number],
  [bytesOid, (text) => Buffer.from(text)],
]);

const readText = (text: string): string => text;

/** Reads integers as numbers, `bytea` as a Buffer, text as strings. Throws for an integer beyond ±(2^53 − 1). */
export const wireTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    parsers.get(oid) ?? readText) as CustomTypesConfig['getTypeParser'],
};

function readInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`The integer ${text} is out of range: the limit is 2^53 - 1`);
}

/** Reads both forms of `bytea_output`, which can be set for a server, a database or a user. */
function readBytes(text: string): Buffer {
  if (text.startsWith(String.raw`\x`)) return Buffer.from(text.slice(2), 'hex');
  const characters = text.replaceAll(/\\(\\|[0-7]{3})/g, (_, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(characters, 'latin1');
}

/** Filters need a few hundred statements at most. Any more are not prepared, but planned each time. */
const mostStatements = 1000;
/** Names of prepared statements by their text, the same on every connection. */
const names = new Map<string, string>();
const connections = new WeakMap<ClientBase, PostgresConnection>();

/** How to connect to a PostgreSQL database. */
export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`, optionally with parameters of the driver. */
  readonly url: string;
  /** How long an operation waits for a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
}

/** Detects a lost peer within a minute instead of two hours. */
const keepAliveDelayMs = 10_000;
/** Makes acknowledged changes durable even if the server is configured otherwise. */
export const durably =
  "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'";

/** One connection to a PostgreSQL database: runs steps, each statement prepared once where no pooler is in between. */
export class PostgresConnection {
  readonly #client: RowClient;
  readonly #now: () => number;
  #isOpen = false;
  /** Belongs to the running steps. */
  #memory = new Map<unknown, unknown>();
  /** Whether statements can be prepared: not before it is known that no pooler is in between. */
  #canPrepare: boolean | undefined;
  /** The COPY that is running. The next statement waits for it; the next rows can be prepared in the meantime. */
  #writing: Promise<void> | null = null;

  private constructor(client: RowClient, now: () => number) {
    this.#now = now;
    this.#client = client;
    // The running statement, if any, rejects with the error.
    client.on('error', () => undefined);
  }

  /** Returns the connection of a client. */
  static of(client: ClientBase, now: () => number = Date.now): PostgresConnection {
    const known = connections.get(client);
    if (known !== undefined) return known;
    const connection = new PostgresConnection(asRowClient(client), now);
    connections.set(client, connection);
    return connection;
  }

  /** Whether settings of the session hold for each statement: there is no pooler. */
  get keepsSettings(): boolean {
    return this.#canPrepare === true;
  }

  /** The process of the server that runs the statements; null while it is unknown, and behind a pooler. */
  get serverProcess(): number | null {
    return this.keepsSettings ? this.#client.serverProcess : null;
  }

  /** Closes the connection at once, for a server that does not respond. */
  cut(): void {
    this.#client.cut();
  }

  /** True while a transaction is open; after {@link transaction}, only if the rollback failed. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Finds out whether a pooler such as PgBouncer is between this connection and the server; only the first call sends
   * anything. Behind a pooler each transaction may run in another process of the server, where a prepared statement is
   * unknown or is another one. The process that runs a statement then differs from the one named at the start.
   *
   * Without a pooler, the session compiles no statement: compiling takes a second, and most statements milliseconds.
   */
  async findPooler(): Promise<void> {
    if (this.#canPrepare !== undefined) return;
    const { rows } = await this.#client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const isDirect = rows[0]?.pid === this.#client.serverProcess;
    if (isDirect) await this.#client.query('SET jit = off');
    this.#canPrepare = isDirect;
  }

  /**
   * Runs an operation between the statements `begin` and `end`; rolls back when it throws.
   *
   * If the connection is lost during COMMIT, throws a {@link DatabaseError} with `mayBeStored`.
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
      // A server that does not respond would not respond to ROLLBACK either.
      if (!isGone(error) && !(error instanceof DatabaseError)) await this.#rollBack();
      throw error;
    }
  }

  /** Runs the statements of an operation one after another. */
  async run<T>(steps: Steps<T>): Promise<T> {
    this.#memory = new Map();
    let next = steps.next();
    while (next.done !== true) next = steps.next(await this.perform(next.value));
    await this.#written();
    return next.value;
  }

  async perform(step: Step): Promise<unknown> {
    if ('get' in step) {
      const nowMs = this.#now();
      return { dialect: postgresDialect, nowMs, memory: this.#memory } satisfies RunContext;
    }
    await this.#written();
    if ('insertInto' in step) return this.#insertMany(step);
    if ('joinRows' in step) return this.#joinRows(step);
    if ('bytesOf' in step) return this.#bytesOf(step);
    return this.#query(step);
  }

  /** Runs the text of one or more statements, without values. */
  async command(text: string): Promise<void> {
    this.#memory = new Map();
    await this.#written();
    await this.#client.query(text);
  }

  /** Waits for the running COPY and throws its error, if any. */
  async #written(): Promise<void> {
    const writing = this.#writing;
    this.#writing = null;
    if (writing !== null) await writing;
  }

  async #query(query: Sql): Promise<unknown> {
    const { rows } = await this.#client.query(
      config(query.text, query.values, this.#canPrepare === true),
    );
    return rows;
  }

  /** Returns the bytes as the server sends them. Decoding and encoding a string would each cost as much again. */
  async #joinRows({ joinRows, separator, spare }: JoinedRows): Promise<Buffer> {
    const { rowBytes } = this.#client;
    rowBytes.begin(separator, spare);
    try {
      await this.#query(joinRows);
      return rowBytes.end();
    } catch (error) {
      rowBytes.end();
      throw error;
    }
  }

  /** Returns the bytes as the server has them: its text format has two characters for each byte. */
  async #bytesOf({ bytesOf: { text, values }, spare = [] }: BytesRows): Promise<Buffer[]> {
    const { rowBytes } = this.#client;
    rowBytes.beginEach(spare[0]);
    try {
      await this.#client.query({ ...config(text, values, this.#canPrepare === true), ...inBinary });
      return rowBytes.endEach();
    } catch (error) {
      rowBytes.end();
      throw error;
    }
  }

  async #insertMany(rows: BulkInsert): Promise<unknown> {
    const { sent, done } = copyRows(this.#client, rows);
    // `#written` throws this error. If the transaction ends before, it has already failed with another error.
    done.catch(() => undefined);
    this.#writing = done;
    // Otherwise nothing would leave this process while it prepares the next rows.
    await sent;
    return [];
  }

  async #end(end: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    try {
      await this.command(end);
    } catch (error) {
      if (end === 'ROLLBACK' || !isGone(error) || isUnsent(error)) throw error;
      throw new DatabaseError(
        'unavailable',
        'The connection to the database was lost during a commit: it is unknown whether the change is stored',
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
      // `isOpen` remains true.
    }
  }
}

/** Returns values in the binary format; the driver does not declare it. */
const inBinary = { binary: true };

function config(text: string, values: unknown[], isPrepared: boolean): QueryConfig {
  const name = isPrepared ? nameOf(text) : undefined;
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
 * Opens a new connection and starts a transaction on it. There is no time limit for statements or for being idle.
 * Statements wait `lockTimeoutMs` for other writers. It works behind a pooler, because all settings end with the
 * transaction.
 *
 * The caller must commit and cut the connection; otherwise the server rolls back.
 */
export async function beginPostgres(
  options: ConnectionOptions,
  lockTimeoutMs: number,
): Promise<PostgresConnection> {
  const client = new RowClient(connectionConfig(options));
  const connection = PostgresConnection.of(client);
  try {
    await connectOrFail(() => client.connect());
    await connection.findPooler();
    await connection.command(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${durably};
      SELECT set_config(name, '0', true) FROM pg_settings
      WHERE name IN ('idle_in_transaction_session_timeout', 'statement_timeout', 'transaction_timeout')`);
    return connection;
  } catch (error) {
    connection.cut();
    throw asDatabaseError(error);
  }
}

/** Connects and converts errors. The driver throws for a missing certificate file and rejects for a missing server. */
export async function connectOrFail<T>(connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    throw new DatabaseError('unavailable', `The database cannot be reached: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Returns the connection settings for the driver. */
export function connectionConfig({ url, connectTimeoutMs }: ConnectionOptions): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'coffer',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
  };
}

/** If a host name has several addresses, the error has an empty message and a list of errors. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(messageOf))].join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Rows that are formatted before the first of them are sent: the server inserts them meanwhile. */
const rowsAtOnce = 100;

interface Copying {
  /** Resolves when all rows are sent, or when that has failed: the server inserts them while the caller does more. */
  readonly sent: Promise<void>;
  /** Resolves when the server has inserted all. Rejects with its error. */
  readonly done: Promise<void>;
}

/** Inserts many rows by COPY, which costs the server and the driver about a fifth less than INSERT. */
export function copyRows(client: ClientBase, { insertInto, columns, rows }: BulkInsert): Copying {
  // The default import, because a bundler does not see the named exports of CommonJS.
  const copying = copyStreams.from(`COPY ${insertInto} (${columns.join(', ')}) FROM STDIN`);
  const done = new Promise<void>((resolve, reject) => {
    // Both listeners stay: the stream can emit a second error after that of the statement.
    copying.on('error', reject).on('finish', resolve);
  });
  client.query(copying);
  // After an error the stream does not call back. The caller gets it from `done`.
  const sent = Promise.race([send(copying, rows), done]).catch(() => undefined);
  return { sent, done };
}

/** Sends the rows. The stream accepts none before the server is ready for them. */
async function send(copying: Writable, rows: BulkInsert['rows']): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const bytes = Buffer.from(
      rows
        .slice(at, at + rowsAtOnce)
        .map(copyLine)
        .join(''),
    );
    await new Promise((resolve) => copying.write(bytes, resolve));
  }
  copying.end();
  // The stream sends the end of the rows, which the server waits for, in the next turn.
  await nextTurn();
}

/** Formats a row in the text format of COPY. Source: PostgreSQL manual, COPY, file formats. */
function copyLine(values: readonly unknown[]): string {
  return `${values.map(copyValue).join('\t')}\n`;
}

const special = /[\\\n\r\t]/g;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function copyValue(value: unknown): string {
  if (typeof value === 'string')
    return value.replace(special, (character) => escapes[character] ?? character);
  if (value === null) return '\\N';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  throw new TypeError(`Cannot copy a value of type ${typeof value}`);
}

/** The code of an error: a SQLSTATE from the server, a name such as `ECONNRESET` from the socket, or empty. */
function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** The driver's messages for a lost connection or a server that does not respond. They have no code. */
const lostPattern = /^(Connection terminated|Client (was|has)|Query read timeout)/;

/**
 * True if the connection is lost or the server does not respond: class 08 (connection), 57P01 to 57P05 (shut down,
 * crashed, starting up), 25P03 and 25P04 (idle or open for too long, which ends the connection), 53300 (too many
 * connections), or an error of the socket. Source: PostgreSQL manual, appendix A.
 */
export function isGone(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== '')
    return /^(08|57P0|25P0[34]$|53300$|E[A-Z]+$|ERR_(SSL|STREAM|SOCKET)_)/.test(code);
  return error instanceof Error && lostPattern.test(error.message);
}

/** True if the connection was lost before the statement was sent, so the server has not seen it. */
function isUnsent(error: unknown): boolean {
  return codeOf(error) === '' && error instanceof Error && /^Client (was|has)/.test(error.message);
}

/**
 * True if the server rolled back the transaction because of another one, and repeating it may succeed: serialization
 * failure or deadlock. Source: PostgreSQL manual, 13.5.
 */
export function isWorthRepeating(error: unknown): boolean {
  return /^(40001|40P01)$/.test(codeOf(error));
}

/** True if the server is read-only, as after a failover. A new connection may lead to one that is not. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

/** True if the server cannot write: it is read-only (25006), its disk is full (53100) or its disk fails (58030). */
export function isUnwritable(error: unknown): boolean {
  return /^(25006|53100|58030)$/.test(codeOf(error));
}

/**
 * A constraint forbids the row (class 23), or a column's type cannot hold its value (class 22): too long, out of range,
 * not a date, not in the encoding, or not a number. Other codes of class 22 mean that the statement is wrong.
 */
const refusedPattern = /^(23|22(001|003|007|008|021|P02|P05)$)/;

/** Returns the {@link DatabaseError} for an error of the driver. Returns a programming error unchanged. */
export function asDatabaseError(error: unknown): unknown {
  const found = reasonOf(error, codeOf(error));
  return found === null ? error : new DatabaseError(...found, { cause: error });
}

function reasonOf(error: unknown, code: string): [DatabaseErrorKind, string] | null {
  if (isWorthRepeating(error) || code === '55P03')
    return ['busy', 'Timed out while other writers held the lock'];
  if (isGone(error)) return ['unavailable', 'The connection to the database was lost'];
  if (isReadOnly(error))
    return ['readOnly', 'The database server accepts no writes: it is a standby'];
  if (code === '57014') return ['unavailable', 'A database statement timed out'];
  const { message } = Object(error) as Error;
  if (refusedPattern.test(code)) return ['refused', message];
  // Out of disk space, memory or another resource; an error of the server's disk.
  if (code === '53100') return ['full', `The database server failed: ${message}`];
  if (code.startsWith('58')) return ['failing', `The database server failed: ${message}`];
  return code.startsWith('53') ? ['unavailable', `The database server failed: ${message}`] : null;
}
