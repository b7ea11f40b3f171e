import type { Table } from '../table.ts';

/** The records of a book about attached files. A table comes after those that it refers to. */
export const filesRecords: readonly Table<'book'>[] = [];

/** The other tables about attached files, which a move copies. */
export const filesTables: readonly Table<'server'>[] = [];
