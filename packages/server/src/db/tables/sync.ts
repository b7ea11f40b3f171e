import type { Table } from '../table.ts';

/** The records of a book about connections to banks. A table comes after those that it refers to. */
export const syncRecords: readonly Table<'book'>[] = [];

/** The other tables about connections to banks, which a move copies. */
export const syncTables: readonly Table<'server'>[] = [];
