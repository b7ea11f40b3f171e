import type { Sql } from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { asDatabaseError as asServerError } from '../../db/postgres/faults.ts';
import { asDatabaseError as asFileError } from '../../db/sqlite/faults.ts';
import type { Table } from '../../db/table.ts';

/** Where the source or the target of a move is. */
export type MoveEnd =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** A value of a column, as both engines give and take it. */
export type Value = string | number | Uint8Array | null;
/** A row: values by column name. */
export type Row = Readonly<Record<string, Value>>;

/** What a move does differently on each engine. */
export interface MoveWords {
  readonly engine: MoveEnd['engine'];
  /** The rows whose storage key has these values, in any order. */
  rowsWithKeys(table: Table, keys: readonly (readonly Value[])[]): Sql;
  /** The id that the next row of the table gets. */
  nextId(table: Table): Steps<number>;
  setNextId(table: Table, next: number): Steps<void>;
}

/** A database in one transaction that is open. */
export interface Session {
  readonly words: MoveWords;
  run<T>(steps: Steps<T>): Promise<T> | T;
  /** Takes back what was not committed, and lets others use the database. */
  close(): Promise<void> | void;
}

/** A database that is being filled. Nothing of it is visible before it is committed. */
export interface TargetSession extends Session {
  /** Adds what was left out for speed, such as indexes. Throws when a row refers to a missing row. */
  complete(): Promise<void> | void;
  commit(): Promise<void> | void;
}

/** A database cannot be moved, or was not moved completely; the target is as it was. */
export class MoveError extends Error {
  override name = 'MoveError';
}

/** Runs work on one side of a move; the errors of its database then name that side. */
export async function onSide<T>(side: 'source' | 'target', work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const found = asServerError(asFileError(error));
    if (!isDatabaseError(found)) throw found;
    const what = found.kind === 'refused' ? ' refuses what it was given' : '';
    throw new MoveError(`The ${side}${what}: ${found.message}`, { cause: found });
  }
}
