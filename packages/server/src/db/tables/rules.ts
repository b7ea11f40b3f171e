import { bookTable, flag, integer, text, withDefault } from '../table.ts';
import type { Table } from '../table.ts';

/**
 * `conditions` and `actions` are JSON, with amounts in ten-thousandths. `position` sorts the rules of a book; gaps are
 * allowed.
 */
export const rules = bookTable('rules', {
  id: withDefault(integer),
  book_id: integer,
  position: integer,
  name: text,
  conditions: text,
  actions: text,
  stop: withDefault(flag),
  created_at: text,
  updated_at: text,
});

/** The records of a book about rules for new transactions. A table comes after those that it refers to. */
export const rulesRecords: readonly Table<'book'>[] = [rules];

/** The other tables about rules for new transactions, which a move copies. */
export const rulesTables: readonly Table<'server'>[] = [];
