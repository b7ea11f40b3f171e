import type { Table } from '../table.ts';

/** The records of a book about budgets and their settings. A table comes after those that it refers to. */
export const budgetsRecords: readonly Table<'book'>[] = [];

/** The other tables about budgets and their settings, which a move copies. */
export const budgetsTables: readonly Table<'server'>[] = [];
