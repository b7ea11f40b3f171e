import type { Sql } from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { asDatabaseError as asServerError } from '../../db/postgres/connection.ts';
import { asDatabaseError as asFileError } from '../../db/sqlite/connection.ts';
import type { Table } from '../../db/table.ts';

/** The place of the source or the target of a move. */
export type MoveEnd =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** A value of a column, in the form of both engines. */
export type Value = string | number | Uint8Array | null;
/** A row: values by column name. */
export type Row = Readonly<Record<string, Value>>;

/** The parts of a move that differ between the engines. */
export interface MoveWords {
  readonly engine: MoveEnd['engine'];
  /** Selects the rows whose storage key has these values, in any order. */
  rowsWithKeys(table: Table, keys: readonly (readonly Value[])[]): Sql;
}

/** A database with an open transaction. */
export interface Session {
  readonly words: MoveWords;
  run<T>(steps: Steps<T>): Promise<T> | T;
  /** Rolls back what was not committed, and unlocks the database. */
  close(): Promise<void> | void;
}

/** A database that is being filled. Nothing is visible before the commit. */
export interface TargetSession extends Session {
  /** Adds what was omitted for speed, such as indexes. Throws if a row refers to a missing row. */
  complete(): Promise<void> | void;
  commit(): Promise<void> | void;
}

/** A database cannot be moved, or the move failed. The target is unchanged. */
export class MoveError extends Error {
  override name = 'MoveError';
}

/** Runs work on one side of a move, and names that side in database errors. */
export async function onSide<T>(side: 'source' | 'target', work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const found = asServerError(asFileError(error));
    if (!isDatabaseError(found)) throw found;
    const what = found.kind === 'refused' ? ' refused the data' : '';
    throw new MoveError(`The ${side}${what}: ${found.message}`, { cause: found });
  }
}
