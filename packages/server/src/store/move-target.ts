import type { Operation } from './engine.ts';
import type { Catalog, Row, Table } from './move-catalog.ts';

/** A database that is being filled. Nobody sees anything of it before it is whole. */
export interface MoveTarget {
  readonly catalog: Catalog;
  run<T>(operation: Operation<T>): Promise<T>;
  /** Writes rows, with all stored columns. May return before they are written; the next call tells of an error. */
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** Makes what was left out while it was filled, such as indexes. Throws when rows point to rows that are missing. */
  complete(): Promise<void>;
}
