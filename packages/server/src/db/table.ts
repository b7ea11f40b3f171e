import type { DerivedTable } from './derived.ts';

/** How an engine stores the values of a column. A flag is 0 or 1 in the database and a boolean in a row. */
export type ColumnType = 'integer' | 'text' | 'flag' | 'bytes';

/** One column of a table. */
export interface Column<T = unknown, IsOptional extends boolean = boolean> {
  readonly type: ColumnType;
  readonly isNullable: boolean;
  /** Whether an insert may omit it, for null or for the default of the database. */
  readonly isOptional: IsOptional;
  /** The table whose `id` it refers to, in the same book. */
  readonly references?: string;
  /** The records that its text names, in the same book, and the tables that have such records. */
  readonly named?: {
    readonly tables: readonly string[];
    readonly in: (value: string) => readonly NamedRecord[];
    /** Returns the text with other ids. */
    readonly relabel: (value: string, idOf: NewIdOf) => string;
  };
  /** The value that a secret gets when a removed row is restored, because secrets never enter the change log. */
  readonly placeholder?: T;
  /** The allowed values. Default: any text. */
  readonly words?: readonly string[];
  /** Only for the type checker. */
  readonly value?: T;
}

/** A record that the text of a column names: its table and its id. */
export type NamedRecord = readonly [table: string, id: number];

/** Returns the new id of a record. */
export type NewIdOf = (table: string, id: number) => number;

function column<T>(type: ColumnType): Column<T, false> {
  return { type, isNullable: false, isOptional: false };
}

export const integer: Column<number, false> = column('integer');
export const text: Column<string, false> = column('text');
export const flag: Column<boolean, false> = column('flag');
export const bytes: Column<Uint8Array, false> = column('bytes');

/** A text column with a fixed set of values. */
export function oneOf<const W extends string>(...words: readonly W[]): Column<W, false> {
  return { ...column<W>('text'), words };
}

/** The same column, but null is allowed and an insert may omit it. */
export function nullable<T>(of: Column<T>): Column<T | null, true> {
  return { ...of, isNullable: true, isOptional: true };
}

/** The same column with a default in the database. */
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

/** A text column that names records of some tables, in the same book. */
export function naming(
  tables: readonly string[],
  recordsIn: (value: string) => readonly NamedRecord[],
  relabel: (value: string, idOf: NewIdOf) => string,
): Column<string, false> {
  return { ...text, named: { tables, in: recordsIn, relabel } };
}

/** A column whose values never enter the change log. */
export function secret<T>(of: Column<T>, placeholder: T): Column<T, false> {
  return { ...of, isOptional: false, placeholder };
}

export type Columns = Readonly<Record<string, Column>>;

/**
 * The description of a table. `book`: its rows are records of a book, have `book_id`, and are written only through a
 * change. `server`: all other rows, such as users and tokens.
 */
export interface Table<
  Of extends 'book' | 'server' = 'book' | 'server',
  C extends Columns = Columns,
> {
  readonly name: string;
  readonly of: Of;
  readonly columns: C;
  /** The columns that identify a row, without `book_id`. The first is an integer. */
  readonly key: readonly string[];
  /** Columns that the database computes. Only SQL text reads them. */
  readonly generated: readonly string[];
  /** Columns that are unique within a book, ignoring case. */
  readonly unique: readonly string[];
  /** Groups of columns that are unique together within a book, unless one of them is null. */
  readonly uniqueTogether: readonly (readonly string[])[];
  /** Groups of columns of which at most one is not null. */
  readonly exclusive: readonly (readonly string[])[];
  /** Tables that are computed from the rows of this one. */
  readonly derived: readonly DerivedTable[];
  /** Columns that changes move up or down; null if it has none. */
  readonly movements: Movements | null;
}

/** Numbers that changes move. An undo moves them back by as much, whatever moved them since. */
export interface Movements {
  readonly columns: readonly string[];
  /** The column with the time of the last movement. */
  readonly at: string;
}

/** A table whose rows are records of a book. */
export type BookTable = Table<'book'>;

/** The columns of a row of any table, by name. */
export type Values = Readonly<Record<string, unknown>>;

type ValueOf<C> = C extends Column<infer T> ? T : never;
type OptionalKeys<C extends Columns> = {
  [K in keyof C]: C[K]['isOptional'] extends true ? K : never;
}[keyof C];

/** A row as it is read: every column, flags as booleans. */
export type Row<T extends Table> = { readonly [K in keyof T['columns']]: ValueOf<T['columns'][K]> };

/** Columns that a change fills in. */
type Filled = 'book_id' | 'created_at' | 'updated_at';
type Given<C extends Columns> = Exclude<keyof C, Filled | OptionalKeys<C>>;

/** A row to insert. A change fills in its book, and its times if they are omitted. */
export type NewRow<T extends Table> = {
  readonly [K in Given<T['columns']>]: ValueOf<T['columns'][K]>;
} & {
  readonly [K in Exclude<keyof T['columns'], Given<T['columns']> | 'book_id'>]?: ValueOf<
    T['columns'][K]
  >;
};

/** Columns to change, with their new values. */
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
  readonly movements?: Movements;
}

/** Describes a table whose rows are records of a book. */
export function bookTable<C extends Columns>(
  name: string,
  columns: C,
  options: TableOptions<C> = {},
): Table<'book', C> {
  return describe('book', name, columns, options);
}

/** Describes a table whose rows are not records of a book. */
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
  return { name, of, columns, ...none, derived: [], movements: null, ...options };
}

/** Returns the columns that identify a row in the whole database. */
export function keyOf({ of, key }: Table): readonly string[] {
  return of === 'book' ? ['book_id', ...key] : key;
}

/** The columns of a table that refer to the table itself. */
export function ownReferences(table: BookTable): string[] {
  return Object.keys(table.columns).filter(
    (name) => table.columns[name]?.references === table.name,
  );
}

/** Returns the properties that are not undefined. */
export function given<T extends object>(
  properties: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const pairs = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
