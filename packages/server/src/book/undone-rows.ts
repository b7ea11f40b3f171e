import { ownReferences } from '../db/table.ts';
import type { BookTable, RowUpdate, Values } from '../db/table.ts';
import type { changedColumns } from './record-keys.ts';

/** Returns a logged row with placeholders for its secrets, which the log does not have. */
export function withPlaceholders(table: BookTable, row: Values): Values {
  const secrets = Object.entries(table.columns).filter(
    ([, each]) => each.placeholder !== undefined,
  );
  return {
    ...Object.fromEntries(secrets.map(([name, { placeholder }]) => [name, placeholder])),
    ...row,
  };
}

/** The columns of a row that an update may set: not its key, book, secrets or `updated_at`. */
export function columnsToSet(table: BookTable, row: Values): RowUpdate<BookTable> {
  const fixed = new Set([...table.key, 'book_id', 'updated_at']);
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name]) => !fixed.has(name) && table.columns[name]?.placeholder === undefined,
    ),
  );
}

/**
 * Returns the columns with movements as they are without those of a version; null if the table or the version has none,
 * or if a result is no amount.
 */
export function movedBack(
  { movements }: BookTable,
  row: Values,
  columns: ReturnType<typeof changedColumns>,
  at: string,
): Values | null {
  if (movements === null) return null;
  const moves = columns.filter(([name]) => movements.columns.includes(name));
  // Movements that are zero together leave only their time.
  if (moves.length === 0 && !columns.some(([name]) => name === movements.at)) return null;
  const values = new Map<string, number>();
  for (const [name, [before, after]] of moves)
    values.set(name, (row[name] as number) + (before as number) - (after as number));
  if (![...values.values()].every((value) => Number.isSafeInteger(value))) return null;
  return { ...Object.fromEntries(values), [movements.at]: at };
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
