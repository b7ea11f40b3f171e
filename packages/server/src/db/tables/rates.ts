import type { Table } from '../table.ts';

/** The records of a book about exchange rates of currencies. A table comes after those that it refers to. */
export const ratesRecords: readonly Table<'book'>[] = [];

/** The other tables about exchange rates of currencies, which a move copies. */
export const ratesTables: readonly Table<'server'>[] = [];
