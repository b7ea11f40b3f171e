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

/** What steps can learn of where they run, without a statement. */
export interface RunContext {
  readonly dialect: Dialect;
  /** The time by the clock of this process, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** Asks the engine itself: no statement, and no data is read. */
export interface ContextStep {
  readonly get: 'context';
}

/** One request of steps to their engine: a statement's rows, joined rows, a bulk insert, or the context. */
export type Step = Sql | JoinedRows | BulkInsert | ContextStep;

/**
 * Work on the database, written once for every engine.
 *
 * It yields steps and receives their results. The engine runs all of it in one transaction: SQLite synchronously, so
 * that nothing else can come between two of its statements; an engine behind a socket with awaits. It keeps no state
 * outside itself, so that an engine may run it again after a conflict.
 */
export type Steps<T> = Generator<Step, T, unknown>;

/** How steps are written. */
export interface WriteOptions {
  readonly rollback?: boolean;
  readonly waitMs?: number;
  readonly onSnapshot?: boolean;
}

/** A database that runs steps. */
export interface Engine {
  readonly dialect: Dialect;
  /** Runs steps on one snapshot. They must not write. */
  read<T>(steps: () => Steps<T>): Promise<T>;
  /**
   * Runs steps with one statement, which is a snapshot by itself: no transaction is begun for it. They must not write.
   *
   * Throws when there is a second statement.
   */
  readStatement<T>(steps: () => Steps<T>): Promise<T>;
  /**
   * Runs steps in one transaction and commits it durably before the promise resolves.
   *
   * With `rollback: true` everything is done and then taken back. It waits `waitMs` for other writers, without
   * blocking and in the order of arrival; as long as the engine was told to unless given, and not at all for 0. Throws
   * a DatabaseError of the kind `busy` when they do not let it in by then. With `onSnapshot: true` all that it reads is
   * of one instant, and nobody has changed since what it changes; elsewhere each statement may see what others
   * committed.
   *
   * When it throws for any other reason nothing is committed, with two exceptions that no engine can avoid: a process
   * or machine that dies after its disk refused a commit may find that commit done; and of a commit whose result was
   * lost on its way the DatabaseError says that it may be stored.
   */
  write<T>(steps: () => Steps<T>, options?: WriteOptions): Promise<T>;
  /**
   * False after a write that the disk refused, until one succeeds. Until then each write transaction puts something
   * on the disk, even when its steps change nothing: that it succeeds says that the disk takes writes.
   */
  readonly canWrite: boolean;
  /** Reads piece by piece from one snapshot; the snapshot is held until the iterator ends. */
  stream<T>(steps: () => Generator<Step | Emit<T>, void, unknown>): AsyncIterable<T>;
  close(): Promise<void>;
}

/** A value that streaming steps hand to their reader. */
export class Emit<T> {
  readonly value: T;
  constructor(value: T) {
    this.value = value;
  }
}

/** The rows of a statement. `T` is the shape that the statement's columns have. */
export function* rows<T>(statement: Sql): Generator<Step, T[], unknown> {
  return (yield statement) as T[];
}

/** The first row of a statement, or undefined when there is none. */
export function* row<T>(statement: Sql): Generator<Step, T | undefined, unknown> {
  const all = yield* rows<T>(statement);
  return all[0];
}

/**
 * The rows of a statement with one column of text, `json`: their bytes in UTF-8, in order, with commas between them.
 * Empty when there are none.
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

/** Where the steps run: the engine's dialect and the time now. */
export function* context(): Generator<Step, RunContext, unknown> {
  return (yield { get: 'context' }) as RunContext;
}

/** The dialect of the engine that runs the steps. */
export function* dialectOf(): Generator<Step, Dialect, unknown> {
  return (yield* context()).dialect;
}

/** The time by the clock of this process: ISO 8601 in UTC with milliseconds. */
export function* now(): Generator<Step, string, unknown> {
  return new Date((yield* context()).nowMs).toISOString();
}

/** The steps, which throw at their second statement: for {@link Engine.readStatement}. */
export function* atMostOneStatement<T>(steps: Steps<T>): Steps<T> {
  let hasRun = false;
  let next = steps.next();
  while (next.done !== true) {
    if (!('get' in next.value)) {
      if (hasRun) throw new Error('A read of one statement has a second one');
      hasRun = true;
    }
    next = steps.next(yield next.value);
  }
  return next.value;
}
