import type { Table } from '../table.ts';

/** The records of a book about cryptocurrencies and manual crypto. A table comes after those that it refers to. */
export const cryptoRecords: readonly Table<'book'>[] = [];

/** The other tables about cryptocurrencies and manual crypto, which a move copies. */
export const cryptoTables: readonly Table<'server'>[] = [];
