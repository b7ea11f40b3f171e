import type { Steps } from '../db/engine.ts';
import type { Row, Table } from '../db/table.ts';
import { deleteRows, insertRow, insertRowUnlessTaken, updateRows } from '../db/writes.ts';
import type { Where } from '../db/rows.ts';

/*
 * The door for rows that are no records of a book: users, books themselves, tokens, leases. They have no version and no
 * log. The types refuse a table of records.
 */

type ServerTable = Table<'server'>;
type Values<T extends ServerTable> = Partial<Row<T>>;

/** Inserts a row and returns it with what the database filled in. */
export function* insertUnlogged<T extends ServerTable>(table: T, values: Values<T>): Steps<Row<T>> {
  return yield* insertRow(table, values);
}

/** Inserts a row unless a unique index has its values already; undefined then. */
export function* insertUnlessTaken<T extends ServerTable>(
  table: T,
  values: Values<T>,
): Steps<Row<T> | undefined> {
  return yield* insertRowUnlessTaken(table, values);
}

/** Sets columns of the rows that fulfil a condition. */
export function* updateUnlogged<T extends ServerTable>(
  table: T,
  where: Where<T>,
  values: Values<T>,
): Steps<void> {
  yield* updateRows(table, where, values);
}

/** Deletes the rows that fulfil a condition. */
export function* deleteUnlogged<T extends ServerTable>(table: T, where: Where<T>): Steps<void> {
  yield* deleteRows(table, where);
}
