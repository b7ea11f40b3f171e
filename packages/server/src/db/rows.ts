import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { rows } from './engine.ts';
import type { Step, Steps } from './engine.ts';
import { given } from './table.ts';
import type { Column, Columns, Row, Table } from './table.ts';

type Shape = Columns;
type Shaped<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends Column<infer T> ? T : never;
};

/** A condition on columns: equal to the values, `null` for none. Columns that are undefined do not count. */
export type Where<T extends Table> = Partial<Row<T>>;

/** The row with that key, or undefined. Rows of a book are found in that book alone. */
export function* find<T extends Table>(table: T, where: Where<T>): Steps<Row<T> | undefined> {
  const [found] = yield* select(table, where, { limit: 1 });
  return found;
}

/** How rows are selected. */
export interface SelectOptions {
  /** A condition besides. */
  readonly and?: Sql;
  /** Columns to sort by, ascending; the key unless given. */
  readonly orderBy?: readonly string[];
  readonly limit?: number;
}

/** The rows of a table that fulfil a condition, every column of them, by key. */
export function* select<T extends Table>(
  table: T,
  where: Where<T>,
  { and, orderBy = table.key, limit }: SelectOptions = {},
): Steps<Row<T>[]> {
  const conditions = [...equalities(table, where), ...(and === undefined ? [] : [and])];
  const statement = sql`SELECT ${columnList(table)} FROM ${raw(table.name)} ${
    conditions.length === 0 ? sql`` : sql`WHERE ${join(conditions, ' AND ')}`
  } ORDER BY ${raw(orderBy.join(', '))}${limit === undefined ? sql`` : sql` LIMIT ${limit}`}`;
  const found = yield* rows<Record<string, unknown>>(statement);
  return found.map((each) => fromDatabase(table.columns, each) as Row<T>);
}

/**
 * The rows of a statement that a description cannot say, checked against a shape: every column is there and of its
 * type.
 *
 * Throws for a row of another shape: a fault of the statement, or a file that another program wrote.
 */
export function* rowsAs<const S extends Shape>(
  shape: S,
  statement: Sql,
): Generator<Step, Shaped<S>[], unknown> {
  const found = yield* rows<Record<string, unknown>>(statement);
  for (const each of found) assertShape(shape, each);
  return found.map((each) => fromDatabase(shape, each) as Shaped<S>);
}

/** The first row of {@link rowsAs}, or undefined. */
export function* rowAs<const S extends Shape>(
  shape: S,
  statement: Sql,
): Generator<Step, Shaped<S> | undefined, unknown> {
  const [first] = yield* rowsAs(shape, statement);
  return first;
}

/** The names of a table's columns, as SELECT and RETURNING take them. */
export function columnList({ columns }: Table): Sql {
  let list = columnLists.get(columns);
  if (list === undefined) {
    list = raw(Object.keys(columns).join(', '));
    columnLists.set(columns, list);
  }
  return list;
}

const columnLists = new WeakMap<Columns, Sql>();

/** Conditions that columns have values. An index serves each, but not a comparison that takes a value or null. */
export function equalities<T extends Table>(table: T, where: Where<T>): Sql[] {
  return Object.entries(given(where)).map(([name, value]) => {
    if (!Object.hasOwn(table.columns, name)) throw new Error(`${table.name} has no ${name}`);
    return isOrNull(raw(name), value);
  });
}

/** A value as the engines take it: a flag is 0 or 1. */
export function toDatabase(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** A row of the database as one of the description: flags become booleans, in place. */
export function fromDatabase(
  columns: Columns,
  row: Record<string, unknown>,
): Record<string, unknown> {
  let flags = flagNames.get(columns);
  if (flags === undefined) {
    flags = Object.keys(columns).filter((name) => columns[name]!.type === 'flag');
    flagNames.set(columns, flags);
  }
  // The row is the engine's and nobody else's yet: a copy of each would cost a list a fifth.
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

function assertShape(shape: Shape, row: Readonly<Record<string, unknown>>): void {
  for (const [name, { type, isNullable, words }] of Object.entries(shape)) {
    const value = row[name];
    const isKnown = words?.includes(value as string) ?? true;
    if (value === null ? isNullable : isOfType[type](value) && isKnown) continue;
    throw new Error(`The column "${name}" is ${JSON.stringify(value)} and not of the type ${type}`);
  }
}

/** That a column has the value, or none. An index serves both, but not a comparison that takes either. */
export function isOrNull(column: Sql, value: unknown): Sql {
  return value === null ? sql`${column} IS NULL` : sql`${column} = ${toDatabase(value)}`;
}
