import type { Table } from '../table.ts';

/** The records of a book about rules for new transactions. A table comes after those that it refers to. */
export const rulesRecords: readonly Table<'book'>[] = [];

/** The other tables about rules for new transactions, which a move copies. */
export const rulesTables: readonly Table<'server'>[] = [];
