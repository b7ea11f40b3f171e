import { clockSkewMs, instantOf } from '@coffer/core/dates';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { context, dialectOf, row, rows, run, type Steps } from '../db/engine.ts';
import { keyOf, type Row, type Table } from '../db/table.ts';
import { categories } from '../db/tables/tables.ts';
import {
  deleteRows,
  insertRow,
  insertRows,
  insertRowUnlessTaken,
  updateRows,
} from '../db/writes.ts';
import { equalities, type Where } from '../db/rows.ts';

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

/** Deletes the rows that match a condition, by default all, and whose value in a column is at most `last`. */
export function* deleteUpTo<T extends ServerTable>(
  table: T,
  column: keyof T['columns'] & string,
  last: string | number,
  where: Where<T> = {},
): Steps<void> {
  const upTo = sql`${raw(column)} <= ${last}`;
  const conditions = join([upTo, ...equalities(table, where)], ' AND ');
  yield* run(sql`DELETE FROM ${raw(table.name)} WHERE ${conditions}`);
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
 * Deletes at most `most` rows of a book that is being removed, also records, and returns whether there may be more. A
 * category is deleted before its group.
 */
export function* deleteSomeOf(table: Table, bookId: number, most: number): Steps<boolean> {
  const [name, key] = [raw(table.name), raw(keyOf(table).join(', '))];
  const order = table === categories ? sql`ORDER BY group_id IS NULL` : sql``;
  const deleted = yield* rows<object>(sql`
    DELETE FROM ${name} WHERE book_id = ${bookId} AND (${key}) IN (
      SELECT ${key} FROM ${name} WHERE book_id = ${bookId} ${order} LIMIT ${most})
    RETURNING book_id`);
  return deleted.length === most;
}

/** A column with times that are at most `longestMs` ahead of the clock. */
export interface StoredTime {
  readonly table: ServerTable;
  readonly column: string;
  /** 0 for what has happened. */
  readonly longestMs: number;
  /** Whose clock set it. Default: that of the node. */
  readonly clock?: 'database';
}

/** Whether a column has a time that is further ahead than it can be. */
export function* hasTooLate(time: StoredTime): Steps<boolean> {
  const [table, column] = [raw(time.table.name), raw(time.column)];
  const { most } = yield* limitsOf(time);
  return (yield* row(sql`SELECT 1 FROM ${table} WHERE ${column} > ${most} LIMIT 1`)) !== undefined;
}

/** Makes such times the latest that they can be. */
export function* shorten(time: StoredTime): Steps<void> {
  const { longest, most } = yield* limitsOf(time);
  const [table, column] = [raw(time.table.name), raw(time.column)];
  yield* run(sql`UPDATE ${table} SET ${column} = ${longest} WHERE ${column} > ${most}`);
}

/** The latest value of a column, and what is too late although clocks differ. */
function* limitsOf({
  table,
  column,
  longestMs,
  clock,
}: StoredTime): Steps<Record<'longest' | 'most', Sql>> {
  const { nowMs } = yield* context();
  const { databaseNowMs } = yield* dialectOf();
  const at = (ms: number): Sql => {
    if (clock === 'database') return sql`${databaseNowMs} + ${ms}`;
    const atMs = Math.floor(nowMs) + ms;
    return sql`${table.columns[column]!.type === 'text' ? instantOf(atMs) : atMs}`;
  };
  return { longest: at(longestMs), most: at(longestMs + clockSkewMs) };
}
