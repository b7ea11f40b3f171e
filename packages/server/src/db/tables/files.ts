import {
  bookTable,
  integer,
  nullable,
  requiredReference,
  serverTable,
  text,
  withDefault,
} from '../table.ts';
import type { Table } from '../table.ts';

/**
 * Files attached to transactions, without their bytes. `size` is in kilobytes. `storage_key` is the key of the bytes in
 * the file store; null for a record whose bytes were never stored here.
 */
export const transactionFiles = bookTable('transaction_files', {
  id: withDefault(integer),
  book_id: integer,
  transaction_id: requiredReference('transactions'),
  uploaded_by: integer,
  name: text,
  type: text,
  size: integer,
  notes: nullable(text),
  created_at: text,
  storage_key: nullable(text),
});

/**
 * What the bytes under a key must be: their number, and their SHA-256 in hexadecimal digits. They never change. No row
 * for a file that an older node stored, until the job adds it.
 */
export const storedFiles = serverTable(
  'stored_files',
  { book_id: integer, storage_key: text, bytes: integer, sha256: text },
  { key: ['book_id', 'storage_key'] },
);

/** The records of a book about attached files. A table comes after those that it refers to. */
export const filesRecords: readonly Table<'book'>[] = [transactionFiles];

/** The other tables about attached files, which a move copies. */
export const filesTables: readonly Table<'server'>[] = [storedFiles];
