import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { idBlock, sqliteDialect } from '../db/dialect.ts';
import { dialectOf, rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { computedTables } from '../db/computed-tables.ts';
import { keyOf } from '../db/table.ts';
import type { Table } from '../db/table.ts';
import {
  accessTokens,
  bookTables,
  books,
  databaseIdentity,
  leases,
  serverTables,
  transactions,
  users,
} from '../db/tables/tables.ts';

/**
 * Every table that is moved: the users, the records of the books, the derived tables, and the change log. The id, the
 * leases, the schema versions and the sequences of a database are not moved.
 *
 * A test compares the list with the catalogs of both engines.
 */
export const movedTables: readonly Table[] = [
  users,
  books,
  accessTokens,
  ...bookTables,
  ...serverTables,
  ...computedTables,
];

/** Every table whose rows are written by the program. */
export const everyTable: readonly Table[] = [...movedTables, databaseIdentity, leases];

/** The tables whose ids are assigned by the database. */
export const numberedTables: readonly Table[] = movedTables.filter(hasId);

/** Returns how many ids the sequence of a table assigns at once. */
export function idsAtOnce(table: Table): number {
  return table === transactions ? idBlock : 1;
}

/** Returns the primary key, in whose order rows are read. On SQLite it is only the id if there is one. */
export function storageKey(table: Table, engine: 'sqlite' | 'postgres'): readonly string[] {
  return engine === 'sqlite' && hasId(table) ? ['id'] : keyOf(table);
}

function hasId({ columns }: Table): boolean {
  return Object.hasOwn(columns, 'id');
}

/** The rows and columns of a table to read. */
export interface Selection {
  /** Must include the columns of the primary key. Default: every column. */
  readonly columns?: Sql;
  readonly where?: Sql;
  readonly limit: number;
}

/** Returns a SELECT of the first rows of a table in the order of its primary key, or of the rows after `last`. */
export function rowsAfter(
  { name }: Table,
  key: readonly string[],
  last: Readonly<Record<string, unknown>> | undefined,
  { columns = raw('*'), where = sql`1 = 1`, limit }: Selection,
): Sql {
  const order = raw(key.join(', '));
  const after =
    last === undefined
      ? sql`1 = 1`
      : sql`(${order}) > (${join(key.map((column) => last[column]))})`;
  return sql`SELECT ${columns} FROM ${raw(name)} WHERE ${after} AND ${where} ORDER BY ${order} LIMIT ${limit}`;
}

/** Rows that are read at once: few enough to fit in memory. */
const limit = 5000;

/** Returns the next rows of a table in the order of its primary key; none after the last one. */
export function* nextRows<T extends Readonly<Record<string, unknown>>>(
  table: Table,
  selection: Omit<Selection, 'limit'>,
  last?: T,
): Steps<T[]> {
  const engine = (yield* dialectOf()) === sqliteDialect ? 'sqlite' : 'postgres';
  const key = storageKey(table, engine);
  return yield* rows<T>(rowsAfter(table, key, last, { ...selection, limit }));
}
