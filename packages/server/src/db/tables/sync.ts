import {
  integer,
  text,
  sortedText,
  sealed,
  id,
  oneOf,
  nullable,
  secret,
  bookTable,
  serverTable,
} from '../table.ts';
import type { Table } from '../table.ts';

/** A connection to banks by a bridge. Its accounts are the synced accounts with its id. */
export const connections = bookTable('connections', {
  id,
  book_id: integer,
  /** A BankProvider. */
  provider: text,
  status: oneOf('active', 'relink', 'error'),
  name: text,
  // A restored connection has credentials that cannot be decrypted: it must be added again.
  sealed_credentials: secret(sealed, Buffer.of(0)),
  created_by_name: text,
  created_at: sortedText,
  updated_at: sortedText,
  /** The last reading that succeeded. */
  last_read: nullable(text),
  /** What the bank or the bridge reported with the last reading, a sentence for each line. */
  problems: nullable(text),
});

/** Requests to read a book's connections soon, one for each book. */
export const syncRequests = serverTable(
  'sync_requests',
  {
    book_id: integer,
    requested_at_ms: integer,
    first_date: nullable(text),
    last_date: nullable(text),
    plaid_account_id: nullable(integer),
    is_done: integer,
  },
  { key: ['book_id'] },
);

/** The records of a book about connections to banks. A table comes after those that it refers to. */
export const syncRecords: readonly Table<'book'>[] = [connections];

/** The other tables about connections to banks, which a move copies. */
export const syncTables: readonly Table<'server'>[] = [syncRequests];
