import type { Sql } from 'sql-template-tag';
import type { Operation } from './engine.ts';

/** What a column of any table holds, on either engine. */
export type Value = string | number | Uint8Array | null;
/** A row by the names of its columns. */
export type Row = Readonly<Record<string, Value>>;

/** A table as its engine's own schema describes it. */
export interface Table {
  readonly name: string;
  /** Columns that are written. */
  readonly stored: readonly string[];
  /** Columns that the engine computes from the others. */
  readonly generated: readonly string[];
  /** The primary key, which can differ between engines. */
  readonly key: readonly string[];
}

/** The id that each table gives next, by table; 1 for a table that is not named. */
export type NextIds = ReadonlyMap<string, number>;

/** What each engine says in other words about its own schema. Every operation is of one schema version. */
export interface Catalog {
  /** Every table but those that the engine has for itself, by name. */
  readTables(): Operation<Table[]>;
  readNextIds(): Operation<NextIds>;
  /** Makes each table go on from its next id. */
  writeNextIds(nextIds: NextIds): Operation<void>;
  /** The rows of a table that have these keys, with every column, in any order. */
  rowsWithKeys(table: Table, keys: readonly (readonly Value[])[]): Sql;
  /** Keeps everybody else from writing to those tables until the transaction ends. */
  keepWritersOut(tables: readonly Table[]): Operation<void>;
}

/** A column of a table as a catalog lists it. */
export interface ColumnRow {
  readonly table: string;
  readonly column: string;
  /** 0 or 1. */
  readonly isGenerated: number;
  /** Where it stands in the primary key: any ascending numbers; null outside of it. */
  readonly keyPlace: number | null;
}

/** Kept by each engine for itself: which schema it has, and the ids that its tables give next. */
const ownTables: ReadonlySet<string> = new Set(['schema_versions', 'id_sequences']);

/** Groups listed columns, which come in the order of the table, by table. */
export function tablesOf(columns: readonly ColumnRow[]): Table[] {
  const byTable = Map.groupBy(columns, ({ table }) => table);
  return [...byTable]
    .filter(([name]) => !ownTables.has(name))
    .map(([name, found]) => ({
      name,
      stored: namesOf(found.filter(({ isGenerated }) => isGenerated === 0)),
      generated: namesOf(found.filter(({ isGenerated }) => isGenerated === 1)),
      key: namesOf(
        found
          .filter(({ keyPlace }) => keyPlace !== null)
          .toSorted((a, b) => (a.keyPlace ?? 0) - (b.keyPlace ?? 0)),
      ),
    }));
}

function namesOf(columns: readonly ColumnRow[]): string[] {
  return columns.map(({ column }) => column);
}

/** One table on both sides. */
export interface TablePair {
  readonly source: Table;
  readonly target: Table;
}

/**
 * Finds each table of the target in the source. Tables of the source that the target has not are none of this
 * program's, and stay where they are. Throws a {@link MoveError} for such a table of the target.
 */
export function pairTables(source: readonly Table[], target: readonly Table[]): TablePair[] {
  const byName = new Map(source.map((table) => [table.name, table]));
  return target.map((table) => {
    const found = byName.get(table.name);
    if (found === undefined)
      throw new MoveError(
        `The target has a table that is none of Coffer's, ${table.name}: name an empty database by --to`,
      );
    if (shapeOf(found) !== shapeOf(table))
      throw new Error(`The table ${table.name} is not the same on both sides`);
    return { source: found, target: table };
  });
}

/** The order of columns may differ; what they are called and which are generated must not. */
function shapeOf({ stored, generated }: Table): string {
  return JSON.stringify([stored.toSorted(), generated.toSorted()]);
}

/** A database cannot be moved, or was not moved whole; then the target is as it was. */
export class MoveError extends Error {
  override name = 'MoveError';
}
