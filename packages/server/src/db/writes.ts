import sql, { join, raw, type Sql } from 'sql-template-tag';
import { dialectOf, insertMany, row, run, type Steps } from './engine.ts';
import { columnList, equalities, fromDatabase, toDatabase, among, type Where } from './rows.ts';
import { given, type Row, type Table, type Values } from './table.ts';

/*
 * The statements that write rows. Only book/ and maintenance/ may import them. Everything else writes through
 * book/, so that no write bypasses the change log.
 */

/** Inserts a row and returns it with what the database filled in. */
export function* insertRow<T extends Table>(table: T, values: Values): Steps<Row<T>> {
  const set = given(values);
  const names = raw(Object.keys(set).join(', '));
  const inserted = yield* row<Record<string, unknown>>(sql`
    INSERT INTO ${raw(table.name)} (${names}) VALUES (${join(Object.values(set).map(toDatabase))})
    RETURNING ${columnList(table)}`);
  return fromDatabase(table.columns, inserted ?? {}) as Row<T>;
}

/** Inserts a row and returns it, or undefined if a unique index already has its values. */
export function* insertRowUnlessTaken<T extends Table>(
  table: T,
  values: Values,
): Steps<Row<T> | undefined> {
  const names = Object.keys(values);
  const inserted = yield* row<Record<string, unknown>>(sql`
    INSERT INTO ${raw(table.name)} (${raw(names.join(', '))})
    VALUES (${join(names.map((name) => toDatabase(values[name])))})
    ON CONFLICT DO NOTHING RETURNING ${columnList(table)}`);
  return inserted === undefined ? undefined : (fromDatabase(table.columns, inserted) as Row<T>);
}

/** Inserts many rows. All have the columns of the first. */
export function* insertRows(table: Table, all: readonly Values[]): Steps<void> {
  const [first] = all;
  if (first === undefined) return;
  const names = Object.keys(first);
  const values = all.map((each) => names.map((name) => toDatabase(each[name])));
  yield* insertMany(table.name, names, values);
}

/** Sets columns of the rows that match a condition. */
export function* updateRows<T extends Table>(
  table: T,
  where: Where<T>,
  values: Values,
  ids?: readonly number[],
): Steps<void> {
  yield* updateWhere(table, condition(table, where, ids), values);
}

/** Sets columns of the rows that match an SQL condition, which names the book. */
export function* updateWhere(table: Table, where: Sql, values: Values): Steps<void> {
  const set = Object.entries(values).map(
    ([name, value]) => sql`${raw(name)} = ${toDatabase(value)}`,
  );
  yield* run(sql`UPDATE ${raw(table.name)} SET ${join(set)} WHERE ${where}`);
}

/** Deletes the rows that match an SQL condition, which names the book. */
export function* deleteWhere(table: Table, where: Sql): Steps<void> {
  yield* run(sql`DELETE FROM ${raw(table.name)} WHERE ${where}`);
}

/** The new values of one row of a book, by its id. All rows of a statement have the same columns. */
export interface RowValues {
  readonly id: number;
  readonly values: Values;
}

/** Casts of parameters, which PostgreSQL would otherwise take for text. No table with an id updates many bytes. */
const castTypes = { integer: 'BIGINT', text: 'TEXT', flag: 'SMALLINT', bytes: null } as const;

function castTypeOf({ name: table, columns }: Table, name: string): string {
  const type = castTypes[columns[name]!.type];
  if (type === null) throw new Error(`The column ${name} of ${table} is updated row by row`);
  return type;
}

/** Returns a value of a column as a parameter of that type. */
export function castValue(table: Table, name: string, value: unknown): Sql {
  return sql`CAST(${toDatabase(value)} AS ${raw(castTypeOf(table, name))})`;
}

/** Sets columns of many rows of a book, each to its own values. At most one block of rows. */
export function* updateEachRow(
  table: Table,
  bookId: number,
  all: readonly RowValues[],
): Steps<void> {
  const names = Object.keys(all[0]?.values ?? {});
  if (names.length === 0) return;
  const { updatesOneByOne, rowsOfJson } = yield* dialectOf();
  if (updatesOneByOne) {
    for (const { id, values } of all)
      yield* updateWhere(table, sql`book_id = ${bookId} AND id = ${id}`, values);
    return;
  }
  for (const name of names) castTypeOf(table, name);
  const columns = ['id', ...names].map((name) => [name, table.columns[name]!] as const);
  const json = JSON.stringify(all.map(({ id, values }) => ({ id, ...inJson(names, values) })));
  const set = raw(names.map((name) => `${name} = new_values.${name}`).join(', '));
  // The last condition, which all ids meet, makes PostgreSQL expect that one does. So it seeks the row of each,
  // whatever its statistics say: it would read all rows of a book that it takes for a small one.
  yield* run(sql`
    UPDATE ${raw(table.name)} SET ${set}
    FROM (${rowsOfJson(json, Object.fromEntries(columns))}) new_values
    WHERE ${raw(table.name)}.book_id = ${bookId} AND ${raw(table.name)}.id = new_values.id
      AND new_values.id % 1 = 0`);
}

/** Half of a character is an error in JSON, and is replaced in a parameter. */
function inJson(names: readonly string[], values: Values): Values {
  const own = names.map((name) => {
    const value = toDatabase(values[name] ?? null);
    return [name, typeof value === 'string' ? value.toWellFormed() : value];
  });
  return Object.fromEntries(own) as Values;
}

/** Deletes the rows that match a condition. */
export function* deleteRows<T extends Table>(
  table: T,
  where: Where<T>,
  ids?: readonly number[],
): Steps<void> {
  yield* deleteWhere(table, condition(table, where, ids));
}

function condition<T extends Table>(table: T, where: Where<T>, ids?: readonly number[]) {
  const conditions = equalities(table, where);
  if (ids !== undefined) conditions.push(among(sql`id`, ids));
  // Without a condition a statement would write every row of every book.
  if (conditions.length === 0) throw new Error(`A write to ${table.name} needs a condition`);
  return join(conditions, ' AND ');
}
