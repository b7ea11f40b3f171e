import {
  integer,
  text,
  sortedText,
  id,
  nullable,
  partOf,
  checked,
  bookTable,
  serverTable,
  local,
} from '../table.ts';
import type { Table } from '../table.ts';

/**
 * Files attached to transactions, without their bytes. `size` is in kilobytes. `storage_key` is the key of the bytes in
 * the file store; null for a record whose bytes were never stored here.
 */
export const transactionFiles = bookTable(
  'transaction_files',
  {
    id,
    book_id: integer,
    transaction_id: partOf('transactions'),
    uploaded_by: integer,
    name: text,
    type: text,
    size: integer,
    notes: nullable(text),
    created_at: sortedText,
    storage_key: local(nullable(text)),
  },
  { noun: 'attached file', sqliteRows: 'id' },
);

/**
 * What the bytes under a key must be: their number, and their SHA-256 in hexadecimal digits. They never change. No row
 * for a file that a development version stored, until the job adds it.
 */
export const storedFiles = serverTable(
  'stored_files',
  {
    book_id: integer,
    storage_key: sortedText,
    bytes: checked(integer, '@ >= 0'),
    sha256: checked(text, 'length(@) = 64'),
  },
  { key: ['book_id', 'storage_key'] },
);

/** The records of a book about attached files. A table comes after those that it refers to. */
export const filesRecords: readonly Table<'book'>[] = [transactionFiles];

/** The other tables about attached files, which a move copies. */
export const filesTables: readonly Table<'server'>[] = [storedFiles];
