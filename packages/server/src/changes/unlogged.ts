import sql, { join, raw } from 'sql-template-tag';
import { dialectOf, rows, run } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import type { BookTable, Row, Table } from '../db/table.ts';
import { bookTables, books } from '../db/tables.ts';
import {
  deleteRows,
  insertRow,
  insertRows,
  insertRowUnlessTaken,
  updateRows,
} from '../db/writes.ts';
import { equalities } from '../db/rows.ts';
import type { Where } from '../db/rows.ts';

/*
 * Writes for rows that are not records of a book: users, books themselves, tokens, leases. They have no version and no
 * log. The types refuse a table of records.
 */

type ServerTable = Table<'server'>;
type Values<T extends ServerTable> = Partial<Row<T>>;

/** Inserts a row and returns it with what the database filled in. */
export function* insertUnlogged<T extends ServerTable>(table: T, values: Values<T>): Steps<Row<T>> {
  return yield* insertRow(table, values);
}

/** Inserts many rows. All must have their keys and the same columns. */
export function* insertAllUnlogged<T extends ServerTable>(
  table: T,
  all: readonly Values<T>[],
): Steps<void> {
  yield* insertRows(table, all);
}

/** Inserts a row and returns it, or undefined if a unique index already has its values. */
export function* insertUnlessTaken<T extends ServerTable>(
  table: T,
  values: Values<T>,
): Steps<Row<T> | undefined> {
  return yield* insertRowUnlessTaken(table, values);
}

/** Sets columns of the rows that match a condition. */
export function* updateUnlogged<T extends ServerTable>(
  table: T,
  where: Where<T>,
  values: Values<T>,
): Steps<void> {
  yield* updateRows(table, where, values);
}

/** Deletes the rows that match a condition. */
export function* deleteUnlogged<T extends ServerTable>(table: T, where: Where<T>): Steps<void> {
  yield* deleteRows(table, where);
}

/** Deletes the rows whose value in a column is at most `last`. */
export function* deleteUpTo<T extends ServerTable>(
  table: T,
  column: keyof T['columns'] & string,
  last: string | number,
): Steps<void> {
  yield* run(sql`DELETE FROM ${raw(table.name)} WHERE ${raw(column)} <= ${last}`);
}

/** Deletes the rows that match a condition and have a `place` from `from` to before `to`. Returns how many. */
export function* deletePlaces<T extends ServerTable>(
  table: T,
  where: Where<T>,
  from: number,
  to: number,
): Steps<number> {
  const deleted = yield* rows<object>(sql`DELETE FROM ${raw(table.name)}
    WHERE ${join(equalities(table, where), ' AND ')} AND place >= ${from} AND place < ${to}
    RETURNING place`);
  return deleted.length;
}

/**
 * Deletes some records of a book: those with the lowest ids in the first column of the key, at most `limit` of them.
 * Returns whether there were any. Only for a book that is deleted next, because the log does not get them.
 */
export function* deleteSome(table: BookTable, bookId: number, limit: number): Steps<boolean> {
  const id = raw(table.key[0]!);
  const deleted =
    yield* rows<object>(sql`DELETE FROM ${raw(table.name)} WHERE book_id = ${bookId} AND ${id} IN (
      SELECT ${id} FROM ${raw(table.name)} WHERE book_id = ${bookId} ORDER BY ${id} LIMIT ${limit})
    RETURNING book_id`);
  return deleted.length > 0;
}

/** Deletes a book with its records and its change log. */
export function* deleteBook(id: number): Steps<void> {
  const dialect = yield* dialectOf();
  // Every change of the book also locks this row first.
  yield* run(sql`SELECT id FROM books WHERE id = ${id} ${dialect.lockingRows}`);
  // PostgreSQL refuses to delete a row before the rows that refer to it.
  for (const table of bookTables.toReversed()) yield* deleteRows(table, { book_id: id });
  yield* deleteRows(books, { id });
}
