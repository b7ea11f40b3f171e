import { placeOf } from './changed-ids.ts';
import { blockSize, blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import type { BookTable, Values } from '../db/table.ts';
import { bookTables, transactions } from '../db/tables/tables.ts';
import {
  readDiffs,
  readDiffTexts,
  readVersion,
  type ChangeKind,
  type Diff,
  type LoggedRecords,
} from './log.ts';

/**
 * The net effect of a version on records. Each record is in at most one line.
 *
 * `replaced`: the records were removed and created again. For `removed` and `replaced`, `diff` is the row before the
 * version. `diff` is null until {@link withDiffs} reads it, if the version has many lines.
 */
export interface NetRecords extends Omit<LoggedRecords, 'kind'> {
  readonly kind: ChangeKind | 'replaced';
  /** The lines that it combines, if they are several. */
  readonly of?: readonly LoggedRecords[];
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
    return table.key.length === 1
      ? line.record
      : JSON.stringify([line.record, restOf(table, line)]);
  });
  return [...ofKeys.values()].flatMap((some) => joined(netOfKey(some)));
}

const tablesByName = new Map(bookTables.map((table) => [table.name, table]));

/** Returns the table of a line. Throws if it is unknown: then a newer version of the program wrote the log. */
export function tableOf(record: string): BookTable {
  const table = tablesByName.get(record);
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

/** Returns the net effect of lines about records whose keys differ only in the id, by their ids. */
function netOfKey(lines: readonly LoggedRecords[]): NetRecords[] {
  const byId = lines.toSorted((a, b) => a.firstId - b.firstId);
  const isEachOnce = byId.every(({ firstId }, at) => at === 0 || byId[at - 1]!.lastId < firstId);
  return isEachOnce ? byId : segmentsOf(lines).flatMap(fold);
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
  if (removal === -1) return [{ ...line, of: lines, diff: netDiff(tableOf(line.record), lines) }];
  const changes = lines.slice(0, removal).toReversed();
  const row = Object.assign({}, lines[removal]!.diff, ...changes.map(valuesBefore)) as Diff;
  return [{ ...line, of: lines, kind: isThere ? 'replaced' : 'removed', diff: row }];
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

/** Returns the values of changed columns from before a version. */
export function beforeOf(columns: ReturnType<typeof changedColumns>): Values {
  return Object.fromEntries(columns.map(([name, [value]]) => [name, value]));
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
  /** By table, then by id. Those about transactions may have no diffs: see {@link withDiffs}. */
  readonly lines: readonly NetRecords[];
  /** Whether the undo values records again, so that later changes of `to_base` are no conflicts. */
  readonly isValuedAgain?: boolean;
}

/** The log of the book has no change with that version. */
export class NoSuchVersionError extends Error {
  override name = 'NoSuchVersionError';
  constructor(version: number) {
    super(`There is no change with version ${version}`);
  }
}

/** A version with more lines has no diffs of transactions in memory. */
const few = 2000;

/** Reads what a version did. Throws {@link NoSuchVersionError}. */
export function* readEffect(bookId: number, version: number): Steps<VersionEffect> {
  const first = yield* readVersion(bookId, version, { limit: few + 1 });
  if (first.length === 0) throw new NoSuchVersionError(version);
  if (first.length <= few) return { version, lines: netOf(first) };
  const { name: withoutDiffs } = transactions;
  return { version, lines: netOf(yield* readVersion(bookId, version, { withoutDiffs })) };
}

/** Lines of which there are at most so many, or one, are read and written together. */
const groupSize = blockSize;

/**
 * Splits lines into groups about one table each, in their order. A group has at most {@link groupSize} records, or one
 * line; so has each line about records with a key of several columns.
 */
export function* groupsOf(lines: Iterable<NetRecords>): Generator<NetRecords[], void, undefined> {
  let group: NetRecords[] = [];
  let length = 0;
  for (const line of lines) {
    const own = line.lastId - line.firstId + 1;
    const isNext =
      group.length > 0 &&
      length + own <= groupSize &&
      group[0]!.record === line.record &&
      tableOf(line.record).key.length === 1;
    if (!isNext && group.length > 0) {
      yield group;
      group = [];
    }
    length = isNext ? length + own : own;
    group.push(line);
  }
  if (group.length > 0) yield group;
}

/** The ids of a line. */
export function idsOf({ firstId, lastId }: Pick<NetRecords, 'firstId' | 'lastId'>): number[] {
  return Array.from({ length: lastId - firstId + 1 }, (_, at) => firstId + at);
}

/** Records of a table with ids in a range, both ends inclusive, after a version. */
type Span = Pick<NetRecords, 'version' | 'record' | 'firstId' | 'lastId'>;

/** Returns the range of ids of some lines about one table, by ascending ids. */
export function spanOf(lines: readonly NetRecords[]): Span {
  const { version, record, firstId } = lines[0]!;
  return { version, record, firstId, lastId: lines.at(-1)!.lastId };
}

/** Returns the line with an id; undefined if there is none. The lines have no id in common, and ascend. */
export function lineWith(lines: readonly NetRecords[], id: number): NetRecords | undefined {
  const line = lines[placeOf(lines.length, (at) => lines[at]!.lastId < id)];
  return line !== undefined && line.firstId <= id ? line : undefined;
}

/** Whether a line has its diff, if it can have one. */
function hasDiff({ kind, diff, of }: NetRecords): boolean {
  return kind === 'made' || (of === undefined ? diff !== null : of[0]!.diff !== null);
}

/** Returns lines of a version with their diffs. */
export function* withDiffs<L extends NetRecords>(
  bookId: number,
  version: number,
  lines: readonly L[],
): Steps<readonly L[]> {
  const missing = lines.filter((line) => !hasDiff(line));
  if (missing.length === 0) return lines;
  const places = missing.flatMap(({ place, of }) => of?.map((each) => each.place) ?? [place]);
  const diffs = new Map<number, Diff | null>();
  for (const block of blocksOf(places))
    for (const [place, diff] of yield* readDiffs(bookId, version, block)) diffs.set(place, diff);
  return lines.map((line) => {
    if (hasDiff(line)) return line;
    const { firstId, lastId, of } = line;
    if (of === undefined) return { ...line, diff: diffs.get(line.place)! };
    const whole = of.map((each) => ({ ...each, diff: diffs.get(each.place)! }));
    return fold({ firstId, lastId, lines: whole })[0] as L;
  });
}

/** Changed records that all had the same values before, and after. */
export interface AlikeLines {
  readonly diff: Diff;
  /** By ascending ids. */
  readonly lines: readonly NetRecords[];
}

/** Fewer records are changed back in one group with others. */
const fewAlike = groupSize;
/** A version with more kinds of changes has few records of each. */
const mostKinds = 1000;
/** It differs in records that are changed alike. Where it is the only column, nothing is changed back. */
const timeInDiff = /,"updated_at":\["[^"]*","[^"]*"\]/;

/** Returns those of the lines of a version that have no diffs yet, and of which many have the same. */
export function* readAlike(
  bookId: number,
  version: number,
  lines: readonly NetRecords[],
): Steps<readonly AlikeLines[]> {
  const { name } = transactions;
  const bare = lines.filter((line) => line.record === name && line.of === undefined);
  const byPlace = new Map(bare.filter((line) => !hasDiff(line)).map((line) => [line.place, line]));
  if (byPlace.size === 0) return [];
  const kinds = new Map<string, NetRecords[]>();
  for (let after = -1; ;) {
    const page = yield* readDiffTexts(bookId, version, name, after);
    for (const { place, diff } of page) {
      const line = byPlace.get(place);
      if (line === undefined) continue;
      const kind = diff.replace(timeInDiff, '');
      const known = kinds.get(kind);
      if (known === undefined) kinds.set(kind, [line]);
      else known.push(line);
    }
    if (kinds.size > mostKinds) return [];
    if (page.length === 0) break;
    after = page.at(-1)!.place;
  }
  return [...kinds]
    .filter(([, alike]) => alike.length > fewAlike)
    .map(([text, alike]) => ({
      diff: JSON.parse(text) as Diff,
      lines: alike.toSorted((a, b) => a.firstId - b.firstId),
    }));
}
