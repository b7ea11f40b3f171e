import {
  bookTables,
  importOrigins,
  imports,
  importSettings,
  manualAccounts,
  recordedMonths,
  accountNumbers,
  transactions,
} from '../../db/tables/tables.ts';
import type { Table } from '../../db/table.ts';

/*
 * An archive of a book is a compressed tar file:
 *
 * - `book.json`: the {@link Manifest}.
 * - `records/000001.ndjson` and so on: a line for each record, `{"table":"tags","row":{…}}`, with the columns of the
 *   table except `book_id` and those that are {@link isCarried not carried}. Tables are in the order of
 *   {@link archivedTables}, records in that of their keys.
 * - `files/7`: the content of the attached file 7, before its record.
 * - `end.json`: the {@link ArchiveEnd}.
 */

/** The newest format that this program writes and reads. */
export const archiveFormat = 1;

/** The first file of an archive. */
export interface Manifest {
  readonly type: 'coffer book';
  readonly format: number;
  /** The version of the schema whose columns the records have. */
  readonly schema: number;
  readonly book: {
    readonly id: number;
    readonly name: string;
    readonly primary_currency: string;
    /** The version of the book that the archive has. */
    readonly version: number;
  };
  readonly owner: { readonly id: number; readonly email: string; readonly name: string };
}

/** The last file of an archive: how many records of each table it has, and how many files. */
export interface ArchiveEnd {
  readonly records: Readonly<Record<string, number>>;
  readonly files: number;
}

/** The name of the first file. */
export const manifestName = 'book.json';
/** The name of the last file. */
export const endName = 'end.json';
/** Returns the name of a file with records, of which the first has the number 1. */
export const recordsName = (number: number): string =>
  `records/${String(number).padStart(6, '0')}.ndjson`;
/** Returns the name of the content of an attached file. */
export const contentName = (id: number): string => `files/${id}`;

/** The greatest id that an archive may have: ids beyond would use up the sequences of the database. */
export const lastId = 10 ** 15;

/** A file with records ends after this many bytes. */
export const recordsBytes = 2 ** 20;

const beforeTransactions = bookTables.slice(0, bookTables.indexOf(transactions));

/** The tables of an archive in its order: a table comes after those that its rows name by id. */
export const archivedTables: readonly Table[] = [
  ...beforeTransactions,
  imports,
  importSettings,
  recordedMonths,
  ...bookTables.slice(beforeTransactions.length).filter((table) => table !== accountNumbers),
  importOrigins,
];

/** Whether an archive has a column: neither the book, nor a secret, nor what only one server knows. */
export function isCarried({ columns }: Table, column: string): boolean {
  const { placeholder, isLocal } = columns[column] ?? {};
  return column !== 'book_id' && placeholder === undefined && isLocal !== true;
}

/** The table whose id a column has; undefined for other columns. */
export function referenceOf({ columns }: Table, column: string): string | undefined {
  return columns[column]?.formerly ?? columns[column]?.references;
}

/** The columns that also name deleted records of a table: a deletion leaves the id of a manual account there. */
const columnsWithDeleted: Readonly<Record<string, readonly string[]>> = {
  [transactions.name]: ['import_origins.transaction_id'],
  [manualAccounts.name]: [
    'transactions.manual_account_id',
    'recurring_items.manual_account_id',
    'rules.conditions',
  ],
};

/** Whether a column also names records of the table `to` that were deleted, so that the archive does not have them. */
export function namesDeleted({ name }: Table, column: string, to: string): boolean {
  return columnsWithDeleted[to]?.includes(`${name}.${column}`) === true;
}

/** The place of the ids of deleted transactions among those of the tables. */
export const deletedTransactions = deletedOf(transactions.name);
/** The place of the ids of deleted manual accounts among those of the tables. */
export const deletedAccounts = deletedOf(manualAccounts.name);

/** Returns the place of the ids of deleted records of a table among those of the tables. */
export function deletedOf(table: string): string {
  return `deleted ${table}`;
}

/** Columns with the id of a user. */
export const userColumns: readonly string[] = ['created_by', 'uploaded_by'];

/** Whether records of a table have an id of their own, which other records can name. */
export function isNumbered({ columns }: Table): boolean {
  return 'id' in columns;
}

/** Something that an archive or an import does not have, and why. */
export interface NotCarried {
  readonly what: string;
  readonly reason: string;
}
