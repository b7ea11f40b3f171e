import type { Sql } from 'sql-template-tag';

/** Many rows for one table; every row has its values in the order of `columns`. */
export interface BulkInsert {
  readonly insertInto: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** What an operation asks of its engine: run a statement and hand back its rows, or insert many rows. */
export type Step = Sql | BulkInsert;

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
}

/** A database that runs operations. */
export interface Engine {
  /** Runs an operation on one snapshot. It must not write. */
  read<T>(operation: () => Operation<T>): Promise<T>;
  /**
   * Runs an operation in one transaction and commits it durably before the promise resolves.
   *
   * With `rollback: true` everything is done and then taken back. It waits `waitMs` for other writers, without
   * blocking and in the order of arrival; as long as the engine was told to unless given, and not at all for 0. Throws
   * {@link StoreBusyError} when they do not let it in by then.
   *
   * When it throws for any other reason nothing is committed, with one exception that no engine can avoid: a process
   * or machine that dies after its disk refused a commit may find that commit done.
   */
  write<T>(operation: () => Operation<T>, options?: WriteOptions): Promise<T>;
  /**
   * False after a write that the disk refused, until one succeeds. Until then each write transaction puts something
   * on the disk, even when its operation changes nothing: that it succeeds says that the disk takes writes.
   */
  readonly canWrite: boolean;
  /** Reads `operation` piece by piece from one snapshot; the snapshot is held until the iterator ends. */
  stream<T>(operation: () => Generator<Step | Emit<T>, void, unknown>): Iterable<T>;
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
