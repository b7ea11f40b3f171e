import type { Sql } from 'sql-template-tag';
import type { Dialect } from './dialect.ts';

/** Many rows for one table; every row has its values in the order of `columns`. */
export interface BulkInsert {
  readonly insertInto: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The rows of a statement, joined to one; it has one column, `json`, of text. */
export interface JoinedRows {
  readonly joinRows: Sql;
}

/** What an operation asks of its engine: run a statement and hand back its rows, or join them, or insert many rows. */
export type Step = Sql | JoinedRows | BulkInsert;

/**
 * An operation of the store, written once for every engine.
 *
 * It yields statements and receives their rows. The engine runs it whole in one transaction: SQLite
 * synchronously, so that nothing else can come between two of its statements; an engine behind a socket with awaits.
 * It keeps no state outside itself, so that an engine may run it again after a conflict.
 */
export type Operation<T> = Generator<Step, T, unknown>;

/** How an operation is written. */
export interface WriteOptions {
  readonly rollback?: boolean;
  readonly waitMs?: number;
  readonly onSnapshot?: boolean;
}

/** A database that runs operations. */
export interface Engine {
  readonly dialect: Dialect;
  /** Runs an operation on one snapshot. It must not write. */
  read<T>(operation: () => Operation<T>): Promise<T>;
  /**
   * Runs an operation of one statement, which is a snapshot by itself: no transaction is begun for it. It must not
   * write.
   *
   * Throws when it asks for more.
   */
  readOne<T>(operation: () => Operation<T>): Promise<T>;
  /**
   * Runs an operation in one transaction and commits it durably before the promise resolves.
   *
   * With `rollback: true` everything is done and then taken back. It waits `waitMs` for other writers, without
   * blocking and in the order of arrival; as long as the engine was told to unless given, and not at all for 0. Throws
   * {@link StoreBusyError} when they do not let it in by then. With `onSnapshot: true` all that it reads is of one
   * instant, and nobody has changed since what it changes; elsewhere each statement may see what others committed.
   *
   * When it throws for any other reason nothing is committed, with two exceptions that no engine can avoid: a process
   * or machine that dies after its disk refused a commit may find that commit done; and of a commit whose answer was
   * lost on its way a {@link StoreUnavailableError} says that it may be stored.
   */
  write<T>(operation: () => Operation<T>, options?: WriteOptions): Promise<T>;
  /**
   * False after a write that the disk refused, until one succeeds. Until then each write transaction puts something
   * on the disk, even when its operation changes nothing: that it succeeds says that the disk takes writes.
   */
  readonly canWrite: boolean;
  /** Reads `operation` piece by piece from one snapshot; the snapshot is held until the iterator ends. */
  stream<T>(operation: () => Generator<Step | Emit<T>, void, unknown>): AsyncIterable<T>;
  close(): Promise<void>;
}

/** A value that a streaming operation hands to its reader. */
export class Emit<T> {
  readonly value: T;
  constructor(value: T) {
    this.value = value;
  }
}

/** Another writer holds the database; the same operation may succeed a moment later. */
export class StoreBusyError extends Error {
  override name = 'StoreBusyError';
  readonly code = 'SQLITE_BUSY';
}

/** The database cannot be worked with at the moment; the same operation may succeed later. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
  /** True when the connection broke while a commit was on its way: whether it is stored is not known. */
  readonly mayBeStored: boolean;
  constructor(message: string, options: ErrorOptions & { mayBeStored?: boolean } = {}) {
    super(message, options);
    this.mayBeStored = options.mayBeStored ?? false;
  }
}

/** Asks for the rows of a statement. `T` is the shape that the statement's columns have. */
export function* rows<T>(statement: Sql): Generator<Step, T[], unknown> {
  return (yield statement) as T[];
}

/** Asks for the first row of a statement, or undefined when there is none. */
export function* row<T>(statement: Sql): Generator<Step, T | undefined, unknown> {
  const all = yield* rows<T>(statement);
  return all[0];
}

/**
 * Asks for the rows of a statement with one column of text, `json`: their bytes in UTF-8, in order, with commas between
 * them. Empty when there are none.
 */
export function* joined(statement: Sql): Generator<Step, Buffer, unknown> {
  return (yield { joinRows: statement }) as Buffer;
}

/** Runs a statement for its effect. */
export function* run(statement: Sql): Generator<Step, void, unknown> {
  yield statement;
}

/** Inserts many rows by one prepared statement. */
export function* insertMany(
  insertInto: string,
  columns: readonly string[],
  values: readonly (readonly unknown[])[],
): Generator<Step, void, unknown> {
  if (values.length > 0) yield { insertInto, columns, rows: values };
}

/** The operation, which throws when it asks for a second thing: for {@link Engine.readOne}. */
export function* atMostOne<T>(steps: Operation<T>): Operation<T> {
  const first = steps.next();
  if (first.done === true) return first.value;
  const last = steps.next(yield first.value);
  if (last.done === true) return last.value;
  throw new Error('An operation of one statement asked for another one');
}
