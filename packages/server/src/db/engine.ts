import type { Sql } from 'sql-template-tag';
import type { Dialect } from './dialect.ts';

/** Many rows for one table. The values of each row are in the order of `columns`. */
export interface BulkInsert {
  readonly insertInto: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A statement whose rows are joined into one value. It has one text column, `json`. */
export interface JoinedRows {
  readonly joinRows: Sql;
  /** One character of ASCII between two rows. */
  readonly separator: string;
  /** An earlier result that nobody needs any more: the engine may overwrite it with this one. */
  readonly spare?: Buffer | undefined;
}

/** What steps can learn about their engine without a statement. */
export interface RunContext {
  readonly dialect: Dialect;
  /** The time on the clock of this process, in milliseconds since 1970. */
  readonly nowMs: number;
  /** What steps remember until their run ends, such as exchange rates. Empty at the start of every run. */
  readonly memory: Map<unknown, unknown>;
}

/** A statement whose rows are values of bytes. It has one column. */
export interface BytesRows {
  readonly bytesOf: Sql;
  /** An earlier result that nobody needs any more: the engine may overwrite it with this one. */
  readonly spare?: readonly Buffer[] | undefined;
}

/** Queries the engine itself, without a statement and without reading data. */
export interface ContextStep {
  readonly get: 'context';
}

/** One request of steps to their engine: a statement's rows, joined rows, a bulk insert, or the context. */
export type Step = Sql | JoinedRows | BytesRows | BulkInsert | ContextStep;

/**
 * Work on the database, written once for every engine.
 *
 * It yields steps and receives their results. The engine runs all of it in one transaction. SQLite runs it
 * synchronously, so nothing else runs between two statements; PostgreSQL awaits each step. It keeps no state outside
 * itself, so that an engine may run it again after a conflict.
 */
export type Steps<T> = Generator<Step, T, unknown>;

/** Options of {@link Engine.write}. */
export interface WriteOptions {
  readonly rollback?: boolean;
  readonly waitMs?: number;
  readonly onSnapshot?: boolean;
  readonly isUrgent?: boolean;
  readonly isLarge?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A database that runs steps. */
export interface Engine {
  readonly dialect: Dialect;
  /**
   * Runs steps on one snapshot. They must not write.
   *
   * With `onSnapshot: false` no transaction is started, and each statement may see what others committed. For steps
   * that find out by themselves whether anything has changed in between.
   */
  read<T>(steps: () => Steps<T>, options?: { readonly onSnapshot?: boolean }): Promise<T>;
  /**
   * Runs steps that have one statement. A statement is its own snapshot, so no transaction is started. They must not
   * write.
   *
   * Throws at a second statement.
   */
  readStatement<T>(steps: () => Steps<T>): Promise<T>;
  /**
   * Runs steps in one transaction and commits it durably before the promise resolves.
   *
   * - `rollback: true` runs everything and then rolls it back.
   * - `waitMs` is how long to wait for other writers, without blocking and in order of arrival; 0 does not wait. The
   *   default is the engine's own limit. A DatabaseError of the kind `busy` is thrown when the time is up.
   * - `onSnapshot: true` reads everything at one instant, and never overwrites what others have changed since.
   *   Otherwise each statement may see what others committed.
   * - `isUrgent: true` does not wait for a large write of others, if the steps write only tables of signing in and
   *   access tokens: on SQLite the rows are then stored next to the database, seen by this engine at once, and copied
   *   into it as soon as its lock is free. Other options are ignored. On PostgreSQL writes lock only rows.
   * - `isLarge: true` says that the steps may write many rows: SQLite then keeps up to 128 MB of pages in memory
   *   instead of 16, so that it does not write and read the pages of indexes again and again.
   * - `signal` ends the wait, if it is aborted meanwhile; the error is of the kind `busy`.
   *
   * When it throws, nothing is committed, with two exceptions that no engine can avoid. A commit that the disk refused
   * may turn out to be stored after a crash. And when the result of a commit was lost, the DatabaseError says that it
   * may be stored.
   */
  write<T>(steps: () => Steps<T>, options?: WriteOptions): Promise<T>;
  /**
   * False after a write that the disk refused, until a write succeeds. Until then each write transaction writes
   * something to the disk, even if its steps change nothing, so its success shows that the disk accepts writes.
   */
  readonly canWrite: boolean;
  /**
   * Reads piece by piece from one snapshot, which is held until the iterator ends, so only for readers that never wait.
   */
  stream<T>(steps: () => Generator<Step | Emit<T>, void, unknown>): AsyncIterable<T>;
  /**
   * Overwrites what deleted rows have left in the files of the database, as far as the engine can, and what it keeps of
   * their values for its plans. In steps, between which others can write.
   *
   * Returns false if something may be left: the signal was aborted, or others use the database all the time.
   */
  eraseDeleted(options?: { readonly signal?: AbortSignal | undefined }): Promise<boolean>;
  /** Ends the statements that run, as if their time were up. Absent where that is not possible. */
  interrupt?(): Promise<void>;
  close(): Promise<void>;
}

/** Returns an engine that does some things in another way, and everything else as before. */
export function withOwn(
  engine: Engine,
  own: Partial<Pick<Engine, 'read' | 'readStatement' | 'write' | 'stream'>>,
): Engine {
  return {
    dialect: engine.dialect,
    get canWrite() {
      return engine.canWrite;
    },
    read: (steps, options) => engine.read(steps, options),
    readStatement: (steps) => engine.readStatement(steps),
    write: (steps, options) => engine.write(steps, options),
    stream: (steps) => engine.stream(steps),
    eraseDeleted: (options) => engine.eraseDeleted(options),
    close: () => engine.close(),
    ...own,
  };
}

/** A value that streaming steps pass to their reader. */
export class Emit<T> {
  readonly value: T;
  constructor(value: T) {
    this.value = value;
  }
}

/** Returns the rows of a statement. `T` is the shape of its columns. */
export function* rows<T>(statement: Sql): Generator<Step, T[], unknown> {
  return (yield statement) as T[];
}

/** Returns the first row of a statement, or undefined if there is none. */
export function* row<T>(statement: Sql): Generator<Step, T | undefined, unknown> {
  const all = yield* rows<T>(statement);
  return all[0];
}

/**
 * Returns the rows of a statement with one text column, `json`, as bytes in UTF-8: in order, with a character of ASCII
 * between two rows, by default a comma. Empty if there are no rows.
 */
export function* joined(
  statement: Sql,
  options: Partial<Omit<JoinedRows, 'joinRows'>> = {},
): Generator<Step, Buffer, unknown> {
  return (yield { joinRows: statement, separator: ',', ...options }) as Buffer;
}

/** Returns the values of a statement with one column of bytes, without null, as they are stored. */
export function* bytesOf(
  statement: Sql,
  { spare }: Pick<BytesRows, 'spare'> = {},
): Generator<Step, Buffer[], unknown> {
  return (yield { bytesOf: statement, spare }) as Buffer[];
}

/** Runs a statement for its effect. */
export function* run(statement: Sql): Generator<Step, void, unknown> {
  yield statement;
}

/** Inserts many rows in one step. */
export function* insertMany(
  insertInto: string,
  columns: readonly string[],
  values: readonly (readonly unknown[])[],
): Generator<Step, void, unknown> {
  if (values.length > 0) yield { insertInto, columns, rows: values };
}

/** Returns the engine's dialect, the current time, and the memory of the run. */
export function* context(): Generator<Step, RunContext, unknown> {
  return (yield { get: 'context' }) as RunContext;
}

/** Returns the dialect of the engine that runs the steps. */
export function* dialectOf(): Generator<Step, Dialect, unknown> {
  return (yield* context()).dialect;
}

/** Returns the time on the clock of this process: ISO 8601 in UTC with milliseconds. */
export function* now(): Generator<Step, string, unknown> {
  return new Date((yield* context()).nowMs).toISOString();
}

/** Runs steps and throws at their second statement. For {@link Engine.readStatement}. */
export function* atMostOneStatement<T>(steps: Steps<T>): Steps<T> {
  let hasRun = false;
  let next = steps.next();
  while (next.done !== true) {
    if (!('get' in next.value)) {
      if (hasRun) throw new Error('readStatement accepts one statement, but there is a second one');
      hasRun = true;
    }
    next = steps.next(yield next.value);
  }
  return next.value;
}
