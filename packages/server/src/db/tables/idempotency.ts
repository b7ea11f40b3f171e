import type { Table } from '../table.ts';

/** The records of a book about idempotent writes. A table comes after those that it refers to. */
export const idempotencyRecords: readonly Table<'book'>[] = [];

/** The other tables about idempotent writes, which a move copies. */
export const idempotencyTables: readonly Table<'server'>[] = [];
