import type { Value, Row, Table, TablePair } from './move-catalog.ts';
import { nameRow } from './move-rows.ts';
import type { Totals } from './move-rows.ts';
import type { MoveTarget } from './move-target.ts';

/** Looks rows of the source up in the target. Returns what differs, a line each: a row, and which of its columns. */
export async function compareRows(
  target: MoveTarget,
  { target: table }: TablePair,
  rows: readonly Row[],
): Promise<string[]> {
  const keys = rows.map((each) => keyOf(table, each));
  const moved = await target.run(readKeys(target, table, keys));
  const byKey = new Map(moved.map((each) => [JSON.stringify(keyOf(table, each)), each]));
  return rows.flatMap((each, index) => {
    const found = byKey.get(JSON.stringify(keys[index]));
    if (found === undefined) return [`${nameRow(table, each)} is missing`];
    const columns = Object.keys(each).filter(
      (column) => !isEqual(each[column] ?? null, found[column] ?? null),
    );
    return columns.length === 0 ? [] : [`${nameRow(table, each)} differs in ${columns.join(', ')}`];
  });
}

function* readKeys(
  { catalog }: MoveTarget,
  table: Table,
  keys: readonly (readonly Value[])[],
): Generator<ReturnType<typeof catalog.rowsWithKeys>, Row[], unknown> {
  return (yield catalog.rowsWithKeys(table, keys)) as Row[];
}

function keyOf({ key }: Table, each: Row): Value[] {
  return key.map((column) => each[column] ?? null);
}

function isEqual(one: Value, other: Value): boolean {
  if (!(one instanceof Uint8Array) || !(other instanceof Uint8Array)) return one === other;
  return Buffer.compare(one, other) === 0;
}

/** Compares what both engines have counted and added up. Returns what differs, a line each. */
export function compareTotals(source: Totals, target: Totals): string[] {
  const differences: string[] = [];
  for (const [table, count] of source.counts) {
    const moved = target.counts.get(table) ?? 0;
    if (moved !== count) differences.push(`${table} has ${moved} rows instead of ${count}`);
  }
  const moved = new Set(target.books);
  differences.push(
    ...source.books.filter((book) => !moved.has(book)).map((book) => `Not so: ${book}`),
  );
  for (const [table, next] of source.nextIds) {
    const found = target.nextIds.get(table) ?? 1;
    if (found !== next) differences.push(`${table} gives ${found} as next id instead of ${next}`);
  }
  return differences;
}
