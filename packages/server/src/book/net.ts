import sql from 'sql-template-tag';
import type { Steps } from '../db/engine.ts';
import { rowAs } from '../db/rows.ts';
import { integer, nullable } from '../db/table.ts';
import type { BookTable, Values } from '../db/table.ts';
import { bookTables, transactions } from '../db/tables/tables.ts';
import { readVersion } from './log.ts';
import type { ChangeKind, Diff, LoggedRecords } from './log.ts';

/**
 * The net effect of a version on records. Each record is in at most one line.
 *
 * `replaced`: the records were removed and created again. For `removed` and `replaced`, `diff` is the row before the
 * version.
 */
export interface NetRecords extends Omit<LoggedRecords, 'kind'> {
  readonly kind: ChangeKind | 'replaced';
}

/**
 * Returns the net effect of the lines of one version. The lines must be in the order of their places.
 *
 * A record that was created and removed again has no line. A column that was set several times has the value before the
 * first update and the value after the last.
 */
export function netOf(lines: readonly LoggedRecords[]): NetRecords[] {
  const ofKeys = Map.groupBy(lines, (line) => {
    const table = tableOf(line.record);
    return JSON.stringify([line.record, restOf(table, line)]);
  });
  return [...ofKeys.values()].flatMap((some) => joined(segmentsOf(some).flatMap(fold)));
}

/** Returns the table of a line. Throws if it is unknown: then a newer version of the program wrote the log. */
export function tableOf(record: string): BookTable {
  const table = bookTables.find(({ name }) => name === record);
  if (table === undefined) throw new Error(`The change log names an unknown table "${record}"`);
  return table;
}

/** Returns the columns of the key after the first. Every line has them in its diff. */
export function restOf(
  table: BookTable,
  { kind, diff }: Pick<NetRecords, 'kind' | 'diff'>,
): Values {
  const valueOf = (name: string): unknown =>
    kind === 'changed' ? (diff?.[name] as [unknown, unknown] | undefined)?.[0] : diff?.[name];
  return Object.fromEntries(table.key.slice(1).map((name) => [name, valueOf(name)]));
}

/** Records with consecutive ids that are in the same lines. */
interface Segment {
  readonly firstId: number;
  readonly lastId: number;
  /** By place. */
  readonly lines: readonly LoggedRecords[];
}

function segmentsOf(lines: readonly LoggedRecords[]): Segment[] {
  const starts = Map.groupBy(lines, ({ firstId }) => firstId);
  const ends = Map.groupBy(lines, ({ lastId }) => lastId + 1);
  const bounds = [...new Set([...starts.keys(), ...ends.keys()])].toSorted((a, b) => a - b);
  const open = new Set<LoggedRecords>();
  return bounds.flatMap((firstId, index) => {
    for (const line of ends.get(firstId) ?? []) open.delete(line);
    for (const line of starts.get(firstId) ?? []) open.add(line);
    if (open.size === 0) return [];
    const byPlace = [...open].toSorted((a, b) => a.place - b.place);
    return [{ firstId, lastId: bounds[index + 1]! - 1, lines: byPlace }];
  });
}

/** Combines the lines of a segment into one line, or none. */
function fold({ firstId, lastId, lines }: Segment): NetRecords[] {
  const [first] = lines;
  const line = { ...first!, firstId, lastId };
  if (lines.length === 1) return [line];
  const isThere = lines.at(-1)!.kind !== 'removed';
  if (line.kind === 'made') return isThere ? [line] : [];
  const removal = lines.findIndex(({ kind }) => kind === 'removed');
  if (removal === -1) return [{ ...line, diff: netDiff(tableOf(line.record), lines) }];
  const changes = lines.slice(0, removal).toReversed();
  const row = Object.assign({}, lines[removal]!.diff, ...changes.map(valuesBefore)) as Diff;
  return [{ ...line, kind: isThere ? 'replaced' : 'removed', diff: row }];
}

function netDiff(table: BookTable, lines: readonly LoggedRecords[]): Diff {
  const net = new Map<string, readonly [before: unknown, after: unknown]>();
  for (const { diff } of lines)
    for (const [name, [before, after]] of pairsOf(diff))
      net.set(name, [net.has(name) ? net.get(name)![0] : before, after]);
  const isKept = (name: string, [before, after]: readonly [unknown, unknown]): boolean =>
    table.key.includes(name) || before !== after;
  return Object.fromEntries([...net].filter((pair) => isKept(...pair)));
}

function valuesBefore({ diff }: LoggedRecords): Values {
  return Object.fromEntries(pairsOf(diff).map(([name, [before]]) => [name, before]));
}

/** Returns the columns of a line about changed records. */
export function pairsOf(
  diff: Diff | null,
): [name: string, values: [before: unknown, after: unknown]][] {
  return Object.entries((diff ?? {}) as Record<string, [unknown, unknown]>);
}

/** Joins lines about created records with consecutive ids. */
function joined(lines: readonly NetRecords[]): NetRecords[] {
  const all: NetRecords[] = [];
  for (const line of lines) {
    const last = all.at(-1);
    const isNext =
      last?.kind === 'made' && line.kind === 'made' && last.lastId + 1 === line.firstId;
    if (isNext) all[all.length - 1] = { ...last, lastId: line.lastId };
    else all.push(line);
  }
  return all;
}

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

/** Returns the columns of a line about changed records, without the key and `updated_at`. */
export function changedColumns(
  table: BookTable,
  diff: Diff | null,
): (readonly [name: string, values: readonly [before: unknown, after: unknown]])[] {
  return pairsOf(diff).filter(([name]) => name !== 'updated_at' && !table.key.includes(name));
}

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

/** What a version did to records. */
export interface VersionEffect {
  readonly version: number;
  readonly lines: readonly NetRecords[];
  /** Whether the removed transactions are left out, because they are many. */
  readonly isPartial: boolean;
}

/** The log of the book has no change with that version. */
export class NoSuchVersionError extends Error {
  override name = 'NoSuchVersionError';
  constructor(version: number) {
    super(`There is no change with version ${version}`);
  }
}

/** From this number of removed transactions on, their lines are not kept in memory. */
const many = 2000;

/**
 * Reads what a version did. Unless `isWhole`, the removed transactions of the undo of a large import are left out:
 * {@link readRemoved} reads them in parts. Throws {@link NoSuchVersionError}.
 *
 * Only undos are read in parts: they remove transactions after those that refer to them, each one with one line.
 */
export function* readEffect(
  bookId: number,
  version: number,
  isWhole = false,
): Steps<VersionEffect> {
  const left = isWhole ? null : yield* readWithoutRemoved(bookId, version);
  if (left !== null) return { version, lines: netOf(left), isPartial: true };
  const lines = yield* readVersion(bookId, version);
  if (lines.length === 0) throw new NoSuchVersionError(version);
  return { version, lines: netOf(lines), isPartial: false };
}

/** Returns the lines without removed transactions; null if those are few, or if other lines are about some of them. */
function* readWithoutRemoved(
  bookId: number,
  version: number,
): Steps<readonly LoggedRecords[] | null> {
  const found = yield* rowAs(
    { removed: integer, first: nullable(integer), last: nullable(integer) },
    sql`SELECT COUNT(*) AS removed, MIN(first_id) AS first, MAX(last_id) AS last FROM changed_records
      WHERE book_id = ${bookId} AND version = ${version} AND record = ${transactions.name} AND kind = 'removed'
        AND version IN (SELECT version FROM changes WHERE book_id = ${bookId} AND undoes IS NOT NULL)`,
  );
  const { removed, first, last } = found!;
  if (removed < many) return null;
  const lines = yield* readVersion(bookId, version, transactions.name);
  const isAmong = ({ record, firstId, lastId }: LoggedRecords): boolean =>
    record === transactions.name && firstId <= last! && lastId >= first!;
  return lines.some(isAmong) ? null : lines;
}
