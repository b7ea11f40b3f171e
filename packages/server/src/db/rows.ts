import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { dialectOf, rows, type Step, type Steps } from './engine.ts';
import { given, nullable, text, type Column, type Columns, type Row, type Table } from './table.ts';
import { padded } from './blocks.ts';

type Shape = Columns;
export type Shaped<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends Column<infer T> ? T : never;
};

/** Conditions on columns: each equals its value, or IS NULL for `null`. Undefined columns are ignored. */
export type Where<T extends Table> = Partial<Row<T>>;

/** Returns the first row that matches a condition, or undefined. For a record, the condition must include its book. */
export function* find<T extends Table>(table: T, where: Where<T>): Steps<Row<T> | undefined> {
  const [found] = yield* select(table, where, { limit: 1 });
  return found;
}

/**
 * As {@link find}, perhaps with another condition. Nobody else can change the row until the transaction ends; who wants
 * to, waits.
 */
export function* findLocked<T extends Table>(
  table: T,
  where: Where<T>,
  and?: Sql,
): Steps<Row<T> | undefined> {
  const { lockingRows: end } = yield* dialectOf();
  const [found] = yield* select(table, where, { limit: 1, end, ...(and && { and }) });
  return found;
}

/** Options of {@link select}. */
export interface SelectOptions {
  /** An additional condition. */
  readonly and?: Sql;
  /** Columns to sort by, ascending. Default: the key. */
  readonly orderBy?: readonly string[];
  readonly limit?: number;
  /** What follows at the end of the statement. */
  readonly end?: Sql;
}

/** Returns the rows of a table that match a condition, with every column. */
export function* select<T extends Table>(
  table: T,
  where: Where<T>,
  { and, orderBy = table.key, limit, end = empty }: SelectOptions = {},
): Steps<Row<T>[]> {
  const conditions = [...equalities(table, where), ...(and === undefined ? [] : [and])];
  const statement = sql`SELECT ${columnList(table)} FROM ${raw(table.name)} ${
    conditions.length === 0 ? empty : sql`WHERE ${join(conditions, ' AND ')}`
  } ORDER BY ${raw(orderBy.join(', '))}${limit === undefined ? empty : sql` LIMIT ${limit}`} ${end}`;
  const found = yield* rows<Record<string, unknown>>(statement);
  return found.map((each) => fromDatabase(table.columns, each) as Row<T>);
}

/**
 * Returns the rows of a statement, and checks that every column of the shape exists and has its type.
 *
 * Throws for a row of another shape: an error in the statement, or a file that another program wrote.
 */
export function* rowsAs<const S extends Shape>(
  shape: S,
  statement: Sql,
): Generator<Step, Shaped<S>[], unknown> {
  const found = yield* rows<Record<string, unknown>>(statement);
  const columns = Object.entries(shape);
  for (const each of found) assertShape(columns, each);
  return found.map((each) => fromDatabase(shape, each) as Shaped<S>);
}

/** Returns the first row of {@link rowsAs}, or undefined. */
export function* rowAs<const S extends Shape>(
  shape: S,
  statement: Sql,
): Generator<Step, Shaped<S> | undefined, unknown> {
  const [first] = yield* rowsAs(shape, statement);
  return first;
}

/** Returns the ids that a statement selects as `id`, ascending. As one text, because there may be a million. */
export function* idsOf(statement: Sql): Steps<number[]> {
  const found = yield* rowAs(
    { ids: nullable(text) },
    sql`SELECT string_agg(CAST(id AS TEXT), ',' ORDER BY id) AS ids FROM (${statement}) found`,
  );
  return JSON.parse(`[${found?.ids ?? ''}]`) as number[];
}

/** Returns the column names of a table, for SELECT and RETURNING. */
export function columnList({ columns }: Table): Sql {
  let list = columnLists.get(columns);
  if (list === undefined) {
    list = raw(Object.keys(columns).join(', '));
    columnLists.set(columns, list);
  }
  return list;
}

const columnLists = new WeakMap<Columns, Sql>();

/** Returns a condition for each column of `where`. */
export function equalities<T extends Table>(table: T, where: Where<T>): Sql[] {
  return Object.entries(given(where)).map(([name, value]) => {
    if (!Object.hasOwn(table.columns, name))
      throw new Error(`The table ${table.name} has no column "${name}"`);
    return isOrNull(raw(name), value);
  });
}

/** Converts a value for the engines: a flag becomes 0 or 1. */
export function toDatabase(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** Converts the flags of a database row to booleans, in place. */
export function fromDatabase(
  columns: Columns,
  row: Record<string, unknown>,
): Record<string, unknown> {
  let flags = flagNames.get(columns);
  if (flags === undefined) {
    flags = Object.keys(columns).filter((name) => columns[name]!.type === 'flag');
    flagNames.set(columns, flags);
  }
  // Nothing else refers to the row yet. Copying each row would make a list a fifth slower.
  for (const name of flags) if (row[name] !== null) row[name] = row[name] === 1;
  return row;
}

const flagNames = new WeakMap<Columns, readonly string[]>();

const isOfType: Readonly<Record<Column['type'], (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  text: (value) => typeof value === 'string',
  flag: (value) => value === 0 || value === 1,
  bytes: (value) => value instanceof Uint8Array,
};

function assertShape(
  columns: readonly (readonly [name: string, Column])[],
  row: Readonly<Record<string, unknown>>,
): void {
  for (const [name, { type, isNullable, words }] of columns) {
    const value = row[name];
    const isKnown = words?.includes(value as string) ?? true;
    if (value === null ? isNullable : isOfType[type](value) && isKnown) continue;
    const expected = words === undefined ? type : `one of ${words.join(', ')}`;
    throw new Error(`The column "${name}" is ${JSON.stringify(value)}: expected ${expected}`);
  }
}

/** Returns `=`, or IS NULL for null. Both can use an index; PostgreSQL cannot use one for IS NOT DISTINCT FROM. */
export function isOrNull(column: Sql, value: unknown): Sql {
  return value === null ? sql`${column} IS NULL` : sql`${column} = ${toDatabase(value)}`;
}

/**
 * Returns the condition that an integer column has one of some values, at most a block of them. PostgreSQL without
 * statistics uses an index only for the range.
 */
export function among(column: Sql, values: readonly number[]): Sql {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const range = sql`${column} BETWEEN ${least} AND ${most}`;
  if (most - least + 1 === new Set(values).size) return range;
  return sql`${range} AND ${column} IN (${join(padded(values, least))})`;
}
