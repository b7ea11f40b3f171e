import type { Table } from '../table.ts';

/** The records of a book about the history of balances. A table comes after those that it refers to. */
export const historyRecords: readonly Table<'book'>[] = [];

/** The other tables about the history of balances, which a move copies. */
export const historyTables: readonly Table<'server'>[] = [];
