import type { Table } from '../table.ts';

/** The records of a book about recurring items. A table comes after those that it refers to. */
export const recurringRecords: readonly Table<'book'>[] = [];

/** The other tables about recurring items, which a move copies. */
export const recurringTables: readonly Table<'server'>[] = [];
