import type { Table } from '../table.ts';

/** The records of a book about manual and synced accounts. A table comes after those that it refers to. */
export const accountsRecords: readonly Table<'book'>[] = [];

/** The other tables about manual and synced accounts, and their merging, which a move copies. */
export const accountsTables: readonly Table<'server'>[] = [];
