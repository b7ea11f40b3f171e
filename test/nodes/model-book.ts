import type { Engine } from '../../packages/server/src/db/engine.ts';
import { entryOf, importInto } from '../service/imported.ts';
import { addOwner, useStore, type Owner } from '../service/owners.ts';

interface ModelRow {
  readonly date: string;
  readonly payee: string;
  readonly amount: string;
}

/** A book that does not change, and the expected content of each page. */
export interface ModelBook {
  readonly owner: Owner;
  readonly rowCount: number;
  /** Returns what is wrong with the text of a page; undefined when it is the expected one. */
  fault(text: string, limit: number, offset: number): string | undefined;
}

/** Creates the book in a database. Its rows are on few days, so that most of their order is by id. */
export async function makeModelBook(database: string, rowCount: number): Promise<ModelBook> {
  const rows = Array.from({ length: rowCount }, (_, n): ModelRow => {
    const day = String(1 + ((n * 7) % 25)).padStart(2, '0');
    return { date: `2025-03-${day}`, payee: `Row ${n}`, amount: `${n % 90}.${1000 + (n % 9000)}` };
  });
  const owner = await useStore(database, async (engine) => {
    const made = await addOwner(engine, 'reader');
    await importRows(engine, made, rows);
    return made;
  });
  // Newest first; within a day, the last one first.
  const sorted = rows
    .map((row, place) => ({ row, place }))
    .toSorted((a, b) => b.row.date.localeCompare(a.row.date) || b.place - a.place)
    .map(({ row }) => row);
  return { owner, rowCount, fault: (...page) => faultOf(sorted, ...page) };
}

/** Imports rows into an owner's book. */
export async function importRows(
  engine: Engine,
  { bookId }: Owner,
  rows: readonly ModelRow[],
): Promise<void> {
  const entries = rows.map(({ date, payee, amount }, n) =>
    // An expense is positive in the API and negative in a statement.
    entryOf({ line: n + 1, date, amount: -Number(amount.replace('.', '')), payee }),
  );
  await importInto(engine, bookId, entries);
}

function faultOf(
  sorted: readonly ModelRow[],
  text: string,
  limit: number,
  offset: number,
): string | undefined {
  const page = JSON.parse(text) as { transactions: ModelRow[]; has_more: boolean };
  const found = page.transactions.map(({ date, payee, amount }) => ({ date, payee, amount }));
  const expected = sorted.slice(offset, offset + limit);
  const isSame =
    JSON.stringify(found) === JSON.stringify(expected) &&
    page.has_more === offset + limit < sorted.length;
  return isSame ? undefined : `limit ${limit}, offset ${offset}: ${text.slice(0, 200)}`;
}
