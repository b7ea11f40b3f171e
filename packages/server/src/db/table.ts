import type { Steps } from './engine.ts';
import type { Sql } from 'sql-template-tag';

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
  /**
   * What the database does about the reference. `refuses`: the other row stays. `cascades`: the row goes with it, so it
   * needs no reference to its book. `ignores`: the row stays when the other one is gone.
   */
  readonly foreignKey?: ForeignKey;
  /** The table whose `id` it has although the database keeps no such row: it may be gone. An archive goes by it. */
  readonly formerly?: string;
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
  /** What its values are, if the type does not say it. History, archives and the doctor go by it. */
  readonly holds?: ColumnContent;
  /** Whether only this server can use it: neither a history nor an archive has it. */
  readonly isLocal?: true;
  /** How the database creates it: see `schema.ts`. */
  readonly stored?: StoredAs;
  /** Only for the type checker. */
  readonly value?: T;
}

type ForeignKey = 'refuses' | 'cascades' | 'ignores';

/**
 * `amount`: ten-thousandths. `currency`: a code in lower case. `day`: `YYYY-MM-DD`. `month`: `YYYY-MM`. `quantity`:
 * decimal text. `json`: text in JSON.
 */
export type ColumnContent = 'amount' | 'currency' | 'day' | 'month' | 'quantity' | 'json';

/** What the schema has of a column besides its type. */
export interface StoredAs {
  /** Text that is compared, sorted or part of a key: ordered by bytes on both engines. */
  readonly isSorted?: true;
  /** The database assigns it. */
  readonly isAssigned?: true;
  readonly isUnique?: true;
  readonly default?: number | string;
  /** A condition in which `@` is the column: one text, or a text for each engine. */
  readonly check?: string | { readonly sqlite: string; readonly postgres: string };
}

/** A record that the text of a column names: its table and its id. */
export type NamedRecord = readonly [table: string, id: number];

/** Returns the new id of a record. */
export type NewIdOf = (table: string, id: number) => number;

function column<T>(type: ColumnType): Column<T, false> {
  return { type, isNullable: false, isOptional: false };
}

/** The same column, which the database stores in another way. */
function storing<C extends Column>(of: C, as: StoredAs): C {
  return { ...of, stored: { ...of.stored, ...as } };
}

/** The same column with a condition that the database checks, in which `@` is the column. */
export function checked<C extends Column>(of: C, check: NonNullable<StoredAs['check']>): C {
  return storing(of, { check });
}

/** The same text column, ordered by bytes: see {@link StoredAs}. */
export function sorted<C extends Column<string | null>>(of: C): C {
  return storing(of, { isSorted: true });
}

/** The same column, with another value in each row of the database. */
export function unique<C extends Column>(of: C): C {
  return storing(of, { isUnique: true });
}

/** The same column, whose values are of a kind that the type does not say. */
export function holding<C extends Column>(holds: ColumnContent, of: C): C {
  return { ...of, holds };
}

/** The same column, which only this server can use: see {@link Column.isLocal}. */
export function local<C extends Column>(of: C): C {
  return { ...of, isLocal: true };
}

export const integer: Column<number, false> = column('integer');
export const text: Column<string, false> = column('text');
export const sortedText: Column<string, false> = sorted(text);
export const bytes: Column<Uint8Array, false> = column('bytes');
export const flag: Column<boolean, false> = checked(column('flag'), '@ IN (0, 1)');
/** Ten-thousandths. The database does not check them. */
export const anyAmount: Column<number, false> = holding('amount', integer);
/** Ten-thousandths that a JavaScript number can have exactly. */
export const amount: Column<number, false> = checked(
  anyAmount,
  '@ BETWEEN -9007199254740991 AND 9007199254740991',
);
/** A number of at least one. */
export const positive: Column<number, false> = checked(integer, '@ > 0');
/** A date, `YYYY-MM-DD`. The database does not check it. */
export const anyDay: Column<string, false> = holding('day', text);
/** A date, `YYYY-MM-DD`. */
export const day: Column<string, false> = checked(anyDay, 'length(@) = 10');
/** The code of a currency, in lower case. */
export const currency: Column<string, false> = holding('currency', text);
export const json: Column<string, false> = holding('json', text);
/** A SHA-256. */
export const digest: Column<Uint8Array, false> = checked(bytes, 'length(@) = 32');
/** Encrypted bytes. */
export const sealed: Column<Uint8Array, false> = checked(bytes, 'length(@) > 0');
/** The number of a row, which the database assigns. */
export const id: Column<number, true> = {
  ...storing(integer, { isAssigned: true }),
  isOptional: true,
};
/** The user of a row: it goes with the user. */
export const userId: Column<number, false> = { ...integer, foreignKey: 'cascades' };

/**
 * The book of a row that is found before the book is known: its table is not spread by book, so the database keeps no
 * reference to the book. Who removes a book deletes the row.
 */
export const looseBookId: Column<number, false> = { ...integer, foreignKey: 'ignores' };

/** A text column with a fixed set of values. */
export function oneOf<const W extends string>(...words: readonly W[]): Column<W, false> {
  return { ...column<W>('text'), words };
}

/** The same column, but null is allowed and an insert may omit it. */
export function nullable<T>(of: Column<T>): Column<T | null, true> {
  return { ...of, isNullable: true, isOptional: true };
}

/** The same column with a default in the database; false is 0. */
export function withDefault<T>(of: Column<T>, value: number | string): Column<T, true> {
  return { ...storing(of, { default: value }), isOptional: true };
}

/** A column with the id of a row of another table that may be gone: see {@link Column.formerly}. */
export function idOf(formerly: string): Column<number, false> {
  return { ...integer, formerly };
}

/** A column with the id of a row of another table, or null. */
export function reference(table: string): Column<number | null, true> {
  return { ...nullable(integer), references: table, foreignKey: 'refuses' };
}

/** The same, but the database lets it stay when the other row is gone. */
export function looseReference(table: string): Column<number | null, true> {
  return { ...reference(table), foreignKey: 'ignores' };
}

/** A column with the id of a row of another table. */
export function requiredReference(table: string): Column<number, false> {
  return { ...integer, references: table, foreignKey: 'refuses' };
}

/** A column with the id of a row of another table, to which the row belongs: it goes with that row. */
export function partOf(table: string): Column<number, false> {
  return { ...requiredReference(table), foreignKey: 'cascades' };
}

/** A column with JSON that names records of some tables, in the same book. */
export function naming(
  tables: readonly string[],
  recordsIn: (value: string) => readonly NamedRecord[],
  relabel: (value: string, idOf: NewIdOf) => string,
): Column<string, false> {
  return { ...json, named: { tables, in: recordsIn, relabel } };
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
  /** What a row of it is called in sentences, such as `recurring item`. */
  readonly noun: string;
  /** Whether its records only help others: a change logs and an undo restores them, but nobody is shown them. */
  readonly isInternal: boolean;
  readonly columns: C;
  /** The columns that identify a row, without `book_id`. The first is an integer. */
  readonly key: readonly string[];
  /** Columns that the database computes. Only SQL text reads them. */
  readonly generated: readonly string[];
  /** Conditions on several columns that the database checks. */
  readonly checks: readonly string[];
  /**
   * How SQLite finds a row. `key`: by the key. `id`: by the id alone, which is unique in the database. `row`: by a
   * number of its own, because rows are long. PostgreSQL always has the key.
   */
  readonly sqliteRows: 'key' | 'id' | 'row';
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

interface TableOptions<C extends Columns> extends Partial<
  Pick<
    Table,
    'noun' | 'isInternal' | 'generated' | 'checks' | 'sqliteRows' | 'derived' | 'movements'
  >
> {
  readonly key?: readonly (keyof C & string)[];
  readonly unique?: readonly (keyof C & string)[];
  readonly uniqueTogether?: readonly (readonly (keyof C & string)[])[];
  readonly exclusive?: readonly (readonly (keyof C & string)[])[];
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
  const plain = { checks: [], sqliteRows: 'key', derived: [], movements: null } as const;
  const words = { noun: `row of ${name}`, isInternal: false };
  return { name, of, columns, ...none, ...plain, ...words, ...options };
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

/** A row of the source table; null before it was created and after it was removed. */
export type DerivedFrom = Readonly<Record<string, unknown>> | null;

/**
 * A table that is computed from the rows of another table. It is attached to the description of that table, so every
 * change of its rows, including an undo, also updates the derived table.
 */
export interface DerivedTable {
  /** The columns of the source that it depends on, besides its key. */
  readonly reads: readonly string[];
  /** Starts to collect the changes of one transaction. */
  begin(bookId: number): DerivedChanges;
}

/** The changes of one transaction to a derived table. */
export interface DerivedChanges {
  /** Records one row before and after a change. Calls follow the order of the changes. */
  note(before: DerivedFrom, after: DerivedFrom): void;
  /**
   * Records rows that one statement creates (1) or removes (-1); what it changes, it removes and creates. `rows` is a
   * SELECT of their key and of the columns that are read. The rows that others refer to exist.
   */
  noteSet(rows: Sql, sign: 1 | -1): Steps<void>;
  /** Writes the recorded changes and forgets them. Called at the end, and earlier when there are many. */
  apply(): Steps<void>;
}
