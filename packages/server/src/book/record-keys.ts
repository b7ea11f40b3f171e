import sql, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { blockSize } from '../db/blocks.ts';
import type { BookTable, Values } from '../db/table.ts';
import type { Diff, LoggedRecords } from './log.ts';
import { pairsOf, restOf } from './net.ts';
import type { NetRecords } from './net.ts';

/** A record of a book: the name of its table, and its key. */
export type RecordKey = `${string} ${string}`;

/** Returns the key of a record as text, without its book. */
export function keyOf(table: BookTable, row: Values): string {
  return table.key.map((name) => row[name]).join(' ');
}

/** Returns what identifies a record among all tables. */
export function recordKey(table: BookTable, row: Values): RecordKey {
  return `${table.name} ${keyOf(table, row)}`;
}

/** Returns rows by their keys. */
export function byKey<R extends Values>(table: BookTable, rows: readonly R[]): Map<string, R> {
  return new Map(rows.map((row) => [keyOf(table, row), row]));
}

/** Returns the values of some columns as text, for comparisons. */
export function valuesOf(row: Values, columns: readonly string[]): string {
  return JSON.stringify(columns.map((name) => row[name]));
}

/** Returns the columns of a line about changed records, without the key and `updated_at`. */
export function changedColumns(
  table: BookTable,
  diff: Diff | null,
): (readonly [name: string, values: readonly [before: unknown, after: unknown]])[] {
  return pairsOf(diff).filter(([name]) => name !== 'updated_at' && !table.key.includes(name));
}

/** Returns the condition that a column is in a range, both ends inclusive. */
export function inRange(column: string, first: number, last: number): Sql {
  return sql`${raw(column)} BETWEEN ${first} AND ${last}`;
}

/** Splits a range of ids into ranges for one statement each, the highest first. */
export function rangesOf(first: number, last: number): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (let to = last; to >= first; to -= blockSize)
    ranges.push([Math.max(first, to - blockSize + 1), to]);
  return ranges;
}

/** Whether a column only moves because of other records, which have conflicts of their own. */
export function isMoved({ movements }: BookTable, column: string): boolean {
  return movements !== null && (movements.columns.includes(column) || movements.at === column);
}

/** Whether a row has the rest of the key of a line about created records. */
export function isSameRest(table: BookTable, made: Diff | null, row: Values): boolean {
  return table.key.slice(1).every((name) => made?.[name] === row[name]);
}

/** Adds the first values of created records, as far as a later line has them. */
export function noteFormer(
  made: Map<string, Map<string, unknown>>,
  table: BookTable,
  line: NetRecords,
  later: LoggedRecords,
): void {
  const { kind, firstId, lastId, diff } = later;
  if (kind === 'made') return;
  const isChanged = kind === 'changed';
  if (!isSameRest(table, line.diff, restOf(table, later))) return;
  const values = isChanged
    ? changedColumns(table, diff).map(([name, [before]]) => [name, before] as const)
    : Object.entries(diff ?? {}).filter(([name]) => name !== 'updated_at');
  for (let id = Math.max(firstId, line.firstId); id <= Math.min(lastId, line.lastId); id += 1) {
    const key = keyOf(table, { ...line.diff, [table.key[0]!]: id });
    const former = made.get(key) ?? new Map<string, unknown>();
    for (const [name, value] of values) if (!former.has(name)) former.set(name, value);
    made.set(key, former);
  }
}

/** The key of a created record, from its text. */
export function keyFrom(table: BookTable, key: string, { diff }: NetRecords): Values {
  return { ...diff, [table.key[0]!]: Number(key.split(' ')[0]) };
}

/** A column that is not null, although a restored column excludes it. */
export function excludedBy(
  table: BookTable,
  row: Values,
  names: readonly string[],
): string | undefined {
  for (const columns of table.exclusive) {
    const set = columns.filter((name) => (row[name] ?? null) !== null);
    const other = set.find((name) => !names.includes(name));
    if (set.length > 1 && other !== undefined) return other;
  }
  return undefined;
}
