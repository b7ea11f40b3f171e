import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { idBlock, sqliteDialect } from '../db/dialect.ts';
import { dialectOf, rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { integer, nullable, serverTable, text } from '../db/table.ts';
import type { Table } from '../db/table.ts';
import { accessTokens, bookTables, books, databaseIdentity, leases } from '../db/tables.ts';
import { transactions, users } from '../db/tables.ts';

const version = { book_id: integer, version: integer };
const records = { place: integer, record: text, first_id: integer, last_id: integer };

/**
 * Every table that is moved: the records of the books with what is derived from them, the log of changes, and the
 * users. The id, the leases, the schema versions and the sequences of a database are its own.
 *
 * A test holds the list to the catalogs of both engines.
 */
export const movedTables: readonly Table[] = [
  users,
  books,
  accessTokens,
  ...bookTables,
  serverTable(
    'transaction_counts',
    { book_id: integer, granularity: text, period: text, listed: integer },
    { key: ['book_id', 'granularity', 'period'] },
  ),
  serverTable(
    'transaction_tags',
    { book_id: integer, tag_id: integer, date: text, transaction_id: integer },
    { key: ['book_id', 'tag_id', 'date', 'transaction_id'] },
  ),
  serverTable(
    'changes',
    { ...version, at: text, actor: text, operation: text, undoes: nullable(integer) },
    { key: ['book_id', 'version'] },
  ),
  serverTable(
    'changed_records',
    { ...version, ...records, kind: text, diff: nullable(text) },
    { key: ['book_id', 'version', 'place'] },
  ),
];

/** Every table of the database whose rows are written by the program. */
export const everyTable: readonly Table[] = [...movedTables, databaseIdentity, leases];

/** The tables whose ids the database gives. */
export const numberedTables: readonly Table[] = movedTables.filter(hasId);

/** How many ids the sequence of a table gives at once. */
export function idsAtOnce(table: Table): number {
  return table === transactions ? idBlock : 1;
}

/** The columns that name a row in the whole database. */
export function keyOf({ of, key }: Table): readonly string[] {
  return of === 'book' ? ['book_id', ...key] : key;
}

/** The primary key, in whose order rows are read. SQLite keys rows with an id by that alone. */
export function storageKey(table: Table, engine: 'sqlite' | 'postgres'): readonly string[] {
  return engine === 'sqlite' && hasId(table) ? ['id'] : keyOf(table);
}

function hasId({ columns }: Table): boolean {
  return Object.hasOwn(columns, 'id');
}

/** Which rows of a table are read, and what of them. */
export interface Selection {
  /** Every column unless given; those of the primary key must be among them. */
  readonly columns?: Sql;
  readonly where?: Sql;
  readonly limit: number;
}

/** The first rows of a table in the order of its primary key, or those that come after `last`. */
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

/** So many rows are read at once: few enough to fit in memory whatever they hold. */
const limit = 5000;

/** The next rows of a table in the order of its primary key; none after the last. */
export function* nextRows<T extends Readonly<Record<string, unknown>>>(
  table: Table,
  selection: Omit<Selection, 'limit'>,
  last?: T,
): Steps<T[]> {
  const engine = (yield* dialectOf()) === sqliteDialect ? 'sqlite' : 'postgres';
  const key = storageKey(table, engine);
  return yield* rows<T>(rowsAfter(table, key, last, { ...selection, limit }));
}
