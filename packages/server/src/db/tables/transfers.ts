import { bookTable, id, idOf, integer, oneOf, sortedText } from '../table.ts';
import type { Table } from '../table.ts';

/** How a transfer was found: by the number of an own account in a file, by what its rows say, or by a user. */
export const transferSources = ['account_number', 'rows', 'user'] as const;

/**
 * Pairs of transactions that are one movement of money between two own accounts. What the pair moves, its rate and its
 * fee follow from the two rows, so they are not stored. The ids are no references: a pair hinders neither the removal
 * of a transaction nor an undo, and counts only while both rows can be one: see
 * `ledger/transactions/transfers/pairs.ts`.
 */
export const transfers = bookTable(
  'transfers',
  {
    id,
    book_id: integer,
    /** The transaction with which money leaves an account. */
    sent_id: idOf('transactions'),
    /** The transaction with which it arrives. */
    received_id: idOf('transactions'),
    found_by: oneOf(...transferSources),
    created_at: sortedText,
  },
  { noun: 'transfer', sqliteRows: 'id', uniqueTogether: [['sent_id'], ['received_id']] },
);

/** The records of a book about transfers. A table comes after those that it refers to. */
export const transfersRecords: readonly Table<'book'>[] = [transfers];
