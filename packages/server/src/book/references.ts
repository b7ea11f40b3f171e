import sql, { join, raw } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { rowsAs, select } from '../db/rows.ts';
import { integer, ownReferences } from '../db/table.ts';
import type { BookTable, Column, NamedRecord, Values } from '../db/table.ts';
import { bookTables, transactions } from '../db/tables/tables.ts';
import { existedBefore, readRemovedSince } from './log.ts';

/** Returns the records that a value of a column refers to. */
export function referencesOf(column: Column | undefined, value: unknown): readonly NamedRecord[] {
  if (column?.references !== undefined)
    return typeof value === 'number' ? [[column.references, value]] : [];
  return typeof value === 'string' ? (column?.named?.in(value) ?? []) : [];
}

/** Returns those of some ids that a table has. */
export function* existingIds(
  bookId: number,
  name: string,
  ids: Iterable<number>,
): Steps<Set<number>> {
  const there = new Set<number>();
  for (const block of blocksOf([...new Set(ids)])) {
    const found = yield* rowsAs(
      { id: integer },
      sql`SELECT id FROM ${raw(name)} WHERE book_id = ${bookId} AND id IN (${join(block)})`,
    );
    for (const { id } of found) there.add(id);
  }
  return there;
}

/**
 * Returns those of some ids that a table has, and those that it did not have before a version either. Transactions keep
 * the id of an account that was deleted, which may have come back and gone again since.
 */
export function* possibleIds(
  bookId: number,
  name: string,
  ids: readonly number[],
  version: number,
): Steps<Set<number>> {
  const possible = yield* existingIds(bookId, name, ids);
  const missing = ids.filter((id) => !possible.has(id));
  const removed = yield* readRemovedSince(bookId, name, missing, version);
  for (const id of missing)
    if (!removed.has(id) || !(yield* existedBefore(bookId, name, id, version))) possible.add(id);
  return possible;
}

/** A record that names others in the text of a column. */
export interface NamingRecord {
  readonly table: BookTable;
  readonly row: Values;
  readonly column: string;
  readonly ids: readonly number[];
}

/** Returns the records that name records of a table with ids in a range; of transactions the first `most`. */
export function* recordsNaming(
  bookId: number,
  name: string,
  { firstId, lastId }: { readonly firstId: number; readonly lastId: number },
  most: number,
): Steps<NamingRecord[]> {
  const found: NamingRecord[] = [];
  for (const table of bookTables) {
    const columns = Object.entries(table.columns).filter(([, { named }]) =>
      named?.tables.includes(name),
    );
    if (columns.length === 0 || table.name === transactions.name) continue;
    for (const row of yield* select(table, { book_id: bookId }))
      for (const [column, each] of columns) {
        const named = referencesOf(each, row[column]).filter(([target]) => target === name);
        const ids = named.map(([, id]) => id).filter((id) => firstId <= id && id <= lastId);
        if (ids.length > 0) found.push({ table, row, column, ids: [...new Set(ids)] });
      }
  }
  return name === 'tags'
    ? [...found, ...(yield* taggedWith(bookId, firstId, lastId, most))]
    : found;
}

function* taggedWith(
  bookId: number,
  first: number,
  last: number,
  most: number,
): Steps<NamingRecord[]> {
  const tagged = yield* rowsAs(
    { id: integer, tag_id: integer },
    sql`SELECT transaction_id AS id, tag_id FROM transaction_tags WHERE book_id = ${bookId}
      AND tag_id BETWEEN ${first} AND ${last} ORDER BY id, tag_id LIMIT ${most}`,
  );
  return [...Map.groupBy(tagged, (row) => row.id)].map(([id, rows]) => ({
    table: transactions,
    row: { id },
    column: 'tag_ids',
    ids: rows.map(({ tag_id }) => tag_id),
  }));
}

/** Splits the rows of one table into levels, so that each row comes after the rows of that table that it refers to. */
export function parentsFirst<R extends Values>(table: BookTable, rows: readonly R[]): R[][] {
  const columns = ownReferences(table);
  const levels: R[][] = [];
  for (let left = rows; left.length > 0;) {
    const ids = new Set(left.map((row) => row['id']));
    const isReady = (row: R): boolean => !columns.some((name) => ids.has(row[name]));
    const ready = left.filter(isReady);
    // The rows refer to each other in a cycle: none of them can come first.
    if (ready.length === 0) return [...levels, [...left]];
    levels.push(ready);
    left = left.filter((row) => !isReady(row));
  }
  return levels;
}
