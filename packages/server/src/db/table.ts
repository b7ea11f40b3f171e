import type { DerivedTable } from './derived.ts';

/** How an engine keeps the values of a column. A flag is 0 or 1 in the database and a boolean in a row. */
export type ColumnType = 'integer' | 'text' | 'flag' | 'bytes';

/** One column: the type of its values, and what an insert may leave out. */
export interface Column<T = unknown, IsOptional extends boolean = boolean> {
  readonly type: ColumnType;
  readonly isNullable: boolean;
  /** Whether an insert may leave it out, for null or for the default of the database. */
  readonly isOptional: IsOptional;
  /** The table whose `id` its values are, in the same book. */
  readonly references?: string;
  /** What stands for the value of a secret when a removed row comes back: secrets never enter the change log. */
  readonly placeholder?: T;
  /** The words that its values are; any text unless given. */
  readonly words?: readonly string[];
  /** Only for the type checker. */
  readonly value?: T;
}

function column<T>(type: ColumnType): Column<T, false> {
  return { type, isNullable: false, isOptional: false };
}

export const integer: Column<number, false> = column('integer');
export const text: Column<string, false> = column('text');
export const flag: Column<boolean, false> = column('flag');
export const bytes: Column<Uint8Array, false> = column('bytes');

/** A text column whose values are some words. */
export function oneOf<const W extends string>(...words: readonly W[]): Column<W, false> {
  return { ...column<W>('text'), words };
}

/** The same column, where null is allowed and may be left out. */
export function nullable<T>(of: Column<T>): Column<T | null, true> {
  return { ...of, isNullable: true, isOptional: true };
}

/** The same column, which has a default in the database. */
export function withDefault<T>(of: Column<T>): Column<T, true> {
  return { ...of, isOptional: true };
}

/** A column with the id of a row of another table, or null. */
export function reference(table: string): Column<number | null, true> {
  return { ...nullable(integer), references: table };
}

/** A column with the id of a row of another table. */
export function requiredReference(table: string): Column<number, false> {
  return { ...integer, references: table };
}

/** A column whose values never enter the change log. */
export function secret<T>(of: Column<T>, placeholder: T): Column<T, false> {
  return { ...of, isOptional: false, placeholder };
}

export type Columns = Readonly<Record<string, Column>>;

/**
 * One table. `book`: its rows are records of a book and have `book_id`; they are written only through a change.
 * `server`: rows that belong to no book's records, such as users and tokens.
 */
export interface Table<
  Of extends 'book' | 'server' = 'book' | 'server',
  C extends Columns = Columns,
> {
  readonly name: string;
  readonly of: Of;
  readonly columns: C;
  /** The columns that name a row, `book_id` left out; the first is an integer. */
  readonly key: readonly string[];
  /** Columns that the database computes. They are read by SQL text alone. */
  readonly generated: readonly string[];
  /** Columns that no two rows of a book share, compared without letter case. */
  readonly unique: readonly string[];
  /** Columns whose values together no two rows of a book share, unless one of them is null. */
  readonly uniqueTogether: readonly (readonly string[])[];
  /** Columns of which at most one is not null. */
  readonly exclusive: readonly (readonly string[])[];
  /** Tables that follow from this one's rows. */
  readonly derived: readonly DerivedTable[];
}

/** A table whose rows are records of a book. */
export type BookTable = Table<'book'>;

/** The columns of some row by name, of whatever table. */
export type Values = Readonly<Record<string, unknown>>;

type ValueOf<C> = C extends Column<infer T> ? T : never;
type OptionalKeys<C extends Columns> = {
  [K in keyof C]: C[K]['isOptional'] extends true ? K : never;
}[keyof C];

/** A row as it is read: every column, flags as booleans. */
export type Row<T extends Table> = { readonly [K in keyof T['columns']]: ValueOf<T['columns'][K]> };

/** Columns that a change fills in itself. */
type Filled = 'book_id' | 'created_at' | 'updated_at';
type Given<C extends Columns> = Exclude<keyof C, Filled | OptionalKeys<C>>;

/** A row to be inserted. A change fills in its book and its times where they are left out. */
export type NewRow<T extends Table> = {
  readonly [K in Given<T['columns']>]: ValueOf<T['columns'][K]>;
} & {
  readonly [K in Exclude<keyof T['columns'], Given<T['columns']> | 'book_id'>]?: ValueOf<
    T['columns'][K]
  >;
};

/** Columns to be changed, with their new values. */
export type RowUpdate<T extends Table> = {
  readonly [K in Exclude<keyof T['columns'], 'book_id' | 'id'>]?: ValueOf<T['columns'][K]>;
};

interface TableOptions<C extends Columns> {
  readonly key?: readonly (keyof C & string)[];
  readonly generated?: readonly string[];
  readonly unique?: readonly (keyof C & string)[];
  readonly uniqueTogether?: readonly (readonly (keyof C & string)[])[];
  readonly exclusive?: readonly (readonly (keyof C & string)[])[];
  readonly derived?: readonly DerivedTable[];
}

/** Describes a table whose rows are records of a book. */
export function bookTable<C extends Columns>(
  name: string,
  columns: C,
  options: TableOptions<C> = {},
): Table<'book', C> {
  return describe('book', name, columns, options);
}

/** Describes a table whose rows are no records of a book. */
export function serverTable<C extends Columns>(
  name: string,
  columns: C,
  options: TableOptions<C> = {},
): Table<'server', C> {
  return describe('server', name, columns, options);
}

function describe<Of extends 'book' | 'server', C extends Columns>(
  of: Of,
  name: string,
  columns: C,
  options: TableOptions<C>,
): Table<Of, C> {
  const none = { key: ['id'], generated: [], unique: [], uniqueTogether: [], exclusive: [] };
  return { name, of, columns, ...none, derived: [], ...options };
}

/** The properties that are not undefined. */
export function given<T extends object>(
  properties: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const pairs = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
