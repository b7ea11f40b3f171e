import sql, { join, raw, type Sql } from 'sql-template-tag';
import { nameKey } from '@coffer/core/text';
import { blocksOf, blockSize } from '../db/blocks.ts';
import { dialectOf, type Steps } from '../db/engine.ts';
import { select, among, rowAs } from '../db/rows.ts';
import { integer, type BookTable, type Row, type Values } from '../db/table.ts';
import { bookTables } from '../db/tables/tables.ts';
import { castValue } from '../db/writes.ts';
import { setSize } from './change.ts';
import { readLater, type Diff, type LoggedRecords } from './log.ts';
import {
  beforeOf,
  byKey,
  changedColumns,
  keyOf,
  recordKey,
  restOf,
  tableOf,
  idsOf,
  lineWith,
  spanOf,
} from './net.ts';
import type { NetRecords, RecordKey, VersionEffect } from './net.ts';
import { existingIds, possibleIds, recordsNaming, referencesOf } from './references.ts';
import { placeOf } from './changed-ids.ts';

/** Why a change cannot be undone: the record and the column that conflict. */
export interface UndoConflict {
  /** The table of the record. */
  readonly record: string;
  /** The first part of its key: for a balance, the id of its account. */
  readonly id: number;
  /** The rest of its key, if it has more columns. */
  readonly key?: Values;
  /** Null if the record as a whole conflicts. */
  readonly column: string | null;
  readonly reason:
    'changed since' | 'removed since' | 'used since' | 'taken since' | 'imported since';
  /** The records of the version that cannot be undone because of it. */
  readonly blocked: readonly RecordKey[];
}

/** Returns the conflicts that are shown. One of a record that never is does not prevent an undo: the record stays. */
export function shownOf(conflicts: readonly UndoConflict[]): readonly UndoConflict[] {
  return conflicts.filter(({ record }) => !tableOf(record).isInternal);
}

/** Rows of one kind that refer to created records, in one statement. */
const mostUses = 1000;
/** Most ranges of ids that a statement excludes. */
const mostRanges = 20;

/** Collects the conflicts of an undo of one version, and reads the rows for it. */
export class UndoConflicts {
  readonly found: UndoConflict[] = [];
  readonly #bookId: number;
  readonly #version: number;
  readonly #made: ReadonlyMap<string, readonly NetRecords[]>;
  readonly #most: number;
  readonly #isValuedAgain: boolean;
  readonly #longestOf = new Map<string, readonly NetRecords[]>();

  /** At most `most` conflicts are kept. */
  constructor(bookId: number, effect: VersionEffect, most: number) {
    const { version, lines, isValuedAgain = false } = effect;
    this.#bookId = bookId;
    this.#version = version;
    this.#isValuedAgain = isValuedAgain;
    this.#most = most;
    this.#made = Map.groupBy(
      lines.filter(({ kind }) => kind === 'made'),
      ({ record }) => record,
    );
  }

  /** Whether a later change of a column is no conflict, because the undo computes it again. */
  isComputed(column: string): boolean {
    return this.#isValuedAgain && column === 'to_base';
  }

  /** The same for a created record, which is removed: a group in several currencies has its whole amount computed. */
  #isComputedOf(row: Values, column: string): boolean {
    const isTotal = row['is_group_parent'] === true && ['amount', 'currency'].includes(column);
    return this.isComputed(column) || (this.#isValuedAgain && isTotal);
  }

  /** Forgets the conflicts after the first ones. */
  keep(first: number): void {
    this.found.length = first;
  }

  /** Adds a conflict. `blocked` is the record itself by default. */
  add(
    table: BookTable,
    row: Values,
    column: string | null,
    reason: UndoConflict['reason'],
    blocked: readonly RecordKey[] = [recordKey(table, row)],
  ): void {
    if (this.found.length >= this.#most) return;
    const id = row[table.key[0]!] as number;
    const [, ...rest] = table.key;
    const key = Object.fromEntries(rest.map((name) => [name, row[name]]));
    const whole = { record: table.name, id, ...(rest.length > 0 && { key }) };
    this.found.push({ ...whole, column, reason, blocked });
  }

  /** Whether the version created the record. */
  isMade(table: BookTable, row: Values): boolean {
    const id = row[table.key[0]!] as number;
    const lines = this.#made.get(table.name) ?? [];
    // With a longer key, several lines may have the id.
    if (table.key.length === 1) return lineWith(lines, id) !== undefined;
    return lines.some(
      (line) => line.firstId <= id && id <= line.lastId && isSameRest(table, line.diff, row),
    );
  }

  /** Returns the existing rows of the book with the given keys. */
  *present(table: BookTable, keys: readonly Values[]): Steps<Row<BookTable>[]> {
    const [first] = table.key;
    const wanted = new Set(keys.map((key) => keyOf(table, key)));
    if (keys.length === 0) return [];
    const ids = [...new Set(keys.map((key) => key[first!] as number))];
    const found = yield* this.select(table, among(raw(first!), ids));
    return found.filter((row) => wanted.has(keyOf(table, row)));
  }

  *rowsWith(
    table: BookTable,
    column: string,
    values: ReadonlySet<unknown>,
  ): Steps<Row<BookTable>[]> {
    if (values.size === 0) return [];
    return yield* this.select(table, sql`${raw(column)} IN (${join([...values])})`);
  }

  *select(table: BookTable, and: Sql, rest: Values = {}): Steps<Row<BookTable>[]> {
    return yield* select(table, { book_id: this.#bookId, ...rest }, { and });
  }

  /** Returns the existing records of a group of lines, or of a part of a line, that meet a condition. */
  *ofLines(
    table: BookTable,
    lines: readonly NetRecords[],
    and: Sql = sql`1 = 1`,
  ): Steps<Row<BookTable>[]> {
    const { firstId, lastId } = spanOf(lines);
    const id = table.key[0]!;
    const ids =
      lines.length === 1 ? inRange(id, firstId, lastId) : among(raw(id), lines.flatMap(idsOf));
    return yield* this.select(table, sql`${ids} AND ${and}`, restOf(table, lines[0]!));
  }

  /** Returns other rows that share the values of some columns with a given row, if none of the values is null. */
  *owners(
    table: BookTable,
    rows: readonly Values[],
    columns: readonly string[],
  ): Steps<Map<string, Row<BookTable>>> {
    const whole = rows.filter((row) => columns.every((name) => row[name] !== null));
    const wanted = new Map(whole.map((row) => [valuesOf(row, columns), keyOf(table, row)]));
    const first = columns[0]!;
    const found = yield* this.rowsWith(table, first, new Set(whole.map((row) => row[first])));
    const owners = found.filter((row) => {
      const own = wanted.get(valuesOf(row, columns));
      return own !== undefined && own !== keyOf(table, row);
    });
    return new Map(owners.map((row) => [valuesOf(row, columns), row]));
  }

  /**
   * Returns the rows whose restored columns refer to existing records, do not exclude other columns, and are not what
   * another of the rows gets back and may not share.
   */
  *possible(table: BookTable, rows: readonly Values[], names: readonly string[]): Steps<Values[]> {
    const impossible = new Set<Values>();
    const own = rows.map((row) => row['id'] as number);
    for (const name of names) {
      const column = table.columns[name];
      if (column?.references === undefined && column?.named === undefined) continue;
      const referring = rows.flatMap((row) =>
        referencesOf(column, row[name]).map(([to, id]) => ({ row, to, id })),
      );
      for (const [to, some] of Map.groupBy(referring, (each) => each.to)) {
        const ids = [...new Set(some.map(({ id }) => id))];
        const there = yield* possibleIds(this.#bookId, to, ids, this.#version);
        // Rows that are restored together may refer to each other.
        if (to === table.name) for (const id of own) there.add(id);
        const without = new Set(some.filter(({ id }) => !there.has(id)).map(({ row }) => row));
        for (const row of without) {
          impossible.add(row);
          this.add(table, row, name, 'removed since');
        }
      }
    }
    for (const row of rows) {
      const other = excludedBy(table, row, names);
      if (other === undefined) continue;
      impossible.add(row);
      this.add(table, row, other, 'changed since');
    }
    for (const columns of table.uniqueTogether) {
      if (!columns.some((name) => names.includes(name))) continue;
      for (const row of sharing(rows, columns)) {
        impossible.add(row);
        this.add(table, row, columns[0]!, 'taken since');
      }
    }
    return rows.filter((row) => !impossible.has(row));
  }

  /**
   * Whether all records with some ids have the values that a version has set, and none that exclude the ones from
   * before it, or must differ together with them. The ids are ascending.
   */
  *areUnchanged(
    table: BookTable,
    ids: readonly number[],
    columns: ReturnType<typeof changedColumns>,
  ): Steps<boolean> {
    const before = beforeOf(columns);
    const conditions = [
      ...columns.map(
        ([name, [, after]]) =>
          sql`${raw(name)} IS NOT DISTINCT FROM ${castValue(table, name, after)}`,
      ),
      ...columnsToBeNull(table, before).map((name) => sql`${raw(name)} IS NULL`),
    ];
    const { isAmong } = yield* dialectOf();
    for (const some of blocksOf(ids, setSize)) {
      const unchanged = yield* rowAs(
        { count: integer },
        sql`SELECT count(*) AS count FROM ${raw(table.name)}
          WHERE book_id = ${this.#bookId} AND ${isAmong(sql`id`, some)} AND ${join(conditions, ' AND ')}`,
      );
      if (unchanged!.count < some.length) return false;
    }
    return true;
  }

  /** Finds records whose restored name is taken by a record that the undo does not remove. */
  *findTakenNames(table: BookTable, ids: ReadonlySet<unknown>): Steps<void> {
    const all = yield* select(table, { book_id: this.#bookId });
    const corrections = all.filter((row) => !this.isMade(table, row));
    for (const name of table.unique)
      for (const rows of Map.groupBy(corrections, (row) => nameKey(String(row[name]))).values())
        for (const row of rows.length > 1 ? rows : [])
          if (ids.has(row['id'])) this.add(table, row, name, 'taken since');
  }

  /**
   * Finds columns of created records that differ from their first values, and replaced records that were removed.
   * `lines` is a group of them.
   */
  *findLaterChanges(lines: readonly NetRecords[], ownVersion: number): Steps<void> {
    const table = tableOf(lines[0]!.record);
    const made = new Map(lines.map((line) => [line, new Map<string, Map<string, unknown>>()]));
    for (const later of yield* readLater(this.#bookId, spanOf(lines), this.#version))
      if (later.version !== ownVersion)
        for (const line of linesIn(lines, later)) noteFormer(made.get(line)!, table, line, later);
    for (const block of blocksOf(
      [...made].flatMap(([line, former]) => recordsOf(table, line, former)),
    )) {
      const rows = byKey(
        table,
        yield* this.present(
          table,
          block.map(({ key }) => key),
        ),
      );
      for (const [line, own] of Map.groupBy(block, (each) => each.line)) {
        for (const { key } of line.kind === 'replaced' ? own : [])
          if (!rows.has(keyOf(table, key))) this.add(table, key, null, 'removed since');
        const former = made.get(line)!;
        for (const { name } of own.toSorted((a, b) => a.id - b.id)) {
          const row = rows.get(name);
          if (row === undefined) continue;
          for (const [column, value] of former.get(name)!)
            if (
              row[column] !== value &&
              !isMoved(table, column) &&
              !this.#isComputedOf(row, column)
            )
              this.add(table, row, column, 'changed since');
        }
      }
    }
  }

  /** Finds records that refer to the created records of a group of lines, and were not created by the version. */
  *findLaterUses(lines: readonly NetRecords[]): Steps<void> {
    const table = tableOf(lines[0]!.record);
    if (lines.length > 1 && !(yield* this.#areUsed(table, lines))) return;
    for (const line of lines) yield* this.#findLaterUsesOf(table, line);
  }

  /** Whether records that the version did not create refer to the created records of some lines. */
  *#areUsed(table: BookTable, lines: readonly NetRecords[]): Steps<boolean> {
    const span = spanOf(lines);
    for (const user of bookTables)
      for (const [column, { references }] of Object.entries(user.columns)) {
        if (references !== table.name) continue;
        const isUse = (row: Values): boolean =>
          lineWith(lines, row[column] as number) !== undefined;
        const uses = inRange(column, span.firstId, span.lastId);
        if ((yield* this.#notMade(user, uses, isUse)).length > 0) return true;
      }
    const naming = yield* recordsNaming(this.#bookId, table.name, span, mostUses);
    return naming.length > 0;
  }

  *#findLaterUsesOf(table: BookTable, { firstId, lastId }: NetRecords): Steps<void> {
    for (const user of bookTables)
      for (const [column, { references }] of Object.entries(user.columns)) {
        if (references !== table.name) continue;
        const rows = yield* this.#notMade(user, inRange(column, firstId, lastId));
        // Transactions keep the id of an account that was deleted.
        const ids = rows.map((row) => row[column] as number);
        const there = yield* existingIds(this.#bookId, references, ids);
        for (const row of rows.filter((each) => there.has(each[column] as number)))
          this.add(user, row, column, 'used since', [`${references} ${row[column] as number}`]);
      }
    const range = { firstId, lastId };
    for (const { table: user, row, column, ids } of yield* recordsNaming(
      this.#bookId,
      table.name,
      range,
      mostUses,
    )) {
      const there = yield* existingIds(this.#bookId, table.name, ids);
      const blocked = ids
        .filter((id) => there.has(id))
        .map((id): RecordKey => `${table.name} ${id}`);
      if (blocked.length > 0 && !this.isMade(user, row))
        this.add(user, row, column, 'used since', blocked);
    }
  }

  /** Returns the first rows that match two conditions, and were not created by the version. */
  *#notMade(
    table: BookTable,
    and: Sql,
    isWanted: (row: Values) => boolean = () => true,
  ): Steps<Row<BookTable>[]> {
    const [id = '', ...rest] = table.key;
    const ranges = (rest.length === 0 ? this.#longest(table) : []).map(
      ({ firstId, lastId }) => sql`NOT (${inRange(id, firstId, lastId)})`,
    );
    const found: Row<BookTable>[] = [];
    for (let after = 0; ;) {
      const later = sql`${raw(id)} > ${after}`;
      const conditions = { and: join([and, later, ...ranges], ' AND '), limit: mostUses };
      const rows = yield* select(table, { book_id: this.#bookId }, conditions);
      found.push(...rows.filter((row) => isWanted(row) && !this.isMade(table, row)));
      const isLast = rows.length < mostUses || rest.length > 0;
      if (isLast || found.length >= mostUses) return found;
      after = rows.at(-1)![id] as number;
    }
  }

  /** The longest lines about created records. */
  #longest({ name }: BookTable): readonly NetRecords[] {
    let longest = this.#longestOf.get(name);
    if (longest === undefined) {
      const length = ({ firstId, lastId }: NetRecords): number => lastId - firstId;
      const lines = this.#made.get(name) ?? [];
      longest = lines.toSorted((a, b) => length(b) - length(a)).slice(0, mostRanges);
      this.#longestOf.set(name, longest);
    }
    return longest;
  }
}

/** Returns those of some lines, by ascending ids, that have ids in common with another line. */
function linesIn(
  lines: readonly NetRecords[],
  { firstId, lastId }: LoggedRecords,
): readonly NetRecords[] {
  const start = placeOf(lines.length, (at) => lines[at]!.lastId < firstId);
  const end = placeOf(lines.length, (at) => lines[at]!.firstId <= lastId);
  return lines.slice(start, end);
}

/** Whether a column only moves because of other records, which have conflicts of their own. */
function isMoved({ movements }: BookTable, column: string): boolean {
  return movements !== null && (movements.columns.includes(column) || movements.at === column);
}

/** Whether a row has the rest of the key of a line about created records. */
function isSameRest(table: BookTable, made: Diff | null, row: Values): boolean {
  return table.key.slice(1).every((name) => made?.[name] === row[name]);
}

/** Adds the first values of created records, as far as a later line has them. */
function noteFormer(
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

/** A created record of a line: its key as text and by column. */
interface MadeRecord {
  readonly line: NetRecords;
  readonly name: string;
  readonly id: number;
  readonly key: Values;
}

/** The created records of a line, from the texts of their keys. */
function recordsOf(
  table: BookTable,
  line: NetRecords,
  former: ReadonlyMap<string, unknown>,
): MadeRecord[] {
  return [...former.keys()].map((name) => {
    const id = Number(name.split(' ')[0]);
    return { line, name, id, key: { ...line.diff, [table.key[0]!]: id } };
  });
}

/** Returns the rows that have the same values in some columns, none of them null, as an earlier row. */
export function sharing(rows: readonly Values[], columns: readonly string[]): Values[] {
  const whole = rows.filter((row) => columns.every((name) => (row[name] ?? null) !== null));
  const seen = new Set<string>();
  return whole.filter((row) => {
    const text = valuesOf(row, columns);
    const isShared = seen.has(text);
    seen.add(text);
    return isShared;
  });
}

/** A column that is not null, although a restored column excludes it. */
function excludedBy(table: BookTable, row: Values, names: readonly string[]): string | undefined {
  for (const columns of table.exclusive) {
    const set = columns.filter((name) => (row[name] ?? null) !== null);
    const other = set.find((name) => !names.includes(name));
    if (set.length > 1 && other !== undefined) return other;
  }
  return undefined;
}

/** The columns that must be null so that a row can get some values, whatever other rows have. */
function columnsToBeNull(table: BookTable, values: Values): string[] {
  return [...table.exclusive, ...table.uniqueTogether]
    .filter((columns) => columns.some((name) => (values[name] ?? null) !== null))
    .flatMap((columns) => columns.filter((name) => !(name in values)));
}

/** Returns the values of some columns as text, for comparisons. */
export function valuesOf(row: Values, columns: readonly string[]): string {
  return JSON.stringify(columns.map((name) => row[name]));
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
