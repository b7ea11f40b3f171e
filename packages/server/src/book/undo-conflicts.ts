import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { nameKey } from '@coffer/core/text';
import { blocksOf, blockSize } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { ownReferences } from '../db/table.ts';
import type { BookTable, Row, Values } from '../db/table.ts';
import { bookTables, transactions } from '../db/tables/tables.ts';
import { readLater } from './log.ts';
import type { Diff, LoggedRecords } from './log.ts';
import { byKey, changedColumns, keyOf, recordKey, restOf, tableOf } from './net.ts';
import type { NetRecords, RecordKey, VersionEffect } from './net.ts';
import { existingIds, possibleIds, recordsNaming, referencesOf } from './references.ts';

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
  readonly #made: readonly NetRecords[];
  readonly #most: number;

  /** At most `most` conflicts are kept. */
  constructor(bookId: number, { version, lines }: VersionEffect, most: number) {
    this.#bookId = bookId;
    this.#version = version;
    this.#most = most;
    this.#made = lines.filter(({ kind }) => kind === 'made');
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
    return this.#made.some(
      (line) =>
        line.record === table.name &&
        line.firstId <= id &&
        id <= line.lastId &&
        isSameRest(table, line.diff, row),
    );
  }

  /** Returns the existing rows of the book with the given keys. */
  *present(table: BookTable, keys: readonly Values[]): Steps<Row<BookTable>[]> {
    const [first] = table.key;
    const wanted = new Set(keys.map((key) => keyOf(table, key)));
    const found = yield* this.rowsWith(table, first!, new Set(keys.map((key) => key[first!])));
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

  /** Returns the rows whose restored columns refer to existing records and do not exclude other columns. */
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
    return rows.filter((row) => !impossible.has(row));
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

  /** Finds columns of created records that differ from their first values, and replaced records that were removed. */
  *findLaterChanges(table: BookTable, line: NetRecords, ownVersion: number): Steps<void> {
    const made = new Map<string, Map<string, unknown>>();
    for (const later of yield* readLater(this.#bookId, line, this.#version))
      if (later.version !== ownVersion) noteFormer(made, table, line, later);
    for (const block of blocksOf([...made.keys()].map((key) => keyFrom(table, key, line)))) {
      const rows = byKey(table, yield* this.present(table, block));
      for (const key of line.kind === 'replaced' ? block : [])
        if (!rows.has(keyOf(table, key))) this.add(table, key, null, 'removed since');
      for (const [key, row] of rows)
        for (const [column, value] of made.get(key)!)
          if (row[column] !== value && !isMoved(table, column))
            this.add(table, row, column, 'changed since');
    }
  }

  /** Finds records that refer to the created records of a line, and were not created by the same version. */
  *findLaterUses(table: BookTable, { firstId, lastId }: NetRecords): Steps<void> {
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

  /** Returns the first rows that match a condition, and were not created by the version. */
  *#notMade(table: BookTable, and: Sql): Steps<Row<BookTable>[]> {
    const [id = '', ...rest] = table.key;
    const ranges = this.#made
      .filter(({ record }) => record === table.name && rest.length === 0)
      .toSorted((a, b) => b.lastId - b.firstId - (a.lastId - a.firstId))
      .slice(0, mostRanges)
      .map(({ firstId, lastId }) => sql`NOT (${inRange(id, firstId, lastId)})`);
    const found: Row<BookTable>[] = [];
    for (let after = 0; ;) {
      const later = sql`${raw(id)} > ${after}`;
      const conditions = { and: join([and, later, ...ranges], ' AND '), limit: mostUses };
      const rows = yield* select(table, { book_id: this.#bookId }, conditions);
      found.push(...rows.filter((row) => !this.isMade(table, row)));
      const isLast = rows.length < mostUses || rest.length > 0;
      if (isLast || found.length >= mostUses) return found;
      after = rows.at(-1)![id] as number;
    }
  }
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

/** The key of a created record, from its text. */
function keyFrom(table: BookTable, key: string, { diff }: NetRecords): Values {
  return { ...diff, [table.key[0]!]: Number(key.split(' ')[0]) };
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

/** The range of all ids. */
const every = { firstId: 1, lastId: Number.MAX_SAFE_INTEGER };

/** Records of a version that an undo leaves as they are. */
export class SkippedRecords {
  readonly #keys = new Set<RecordKey>();
  /** The first parts of the keys, by table. */
  readonly #ids = new Map<string, Set<number>>();
  readonly #conflicts: UndoConflict[] = [];

  /** Why they are kept. */
  get conflicts(): readonly UndoConflict[] {
    return this.#conflicts;
  }

  /** Adds the records with conflicts. Throws if none of them is new, because an undo would fail again. */
  add(conflicts: readonly UndoConflict[]): void {
    const before = this.#keys.size;
    for (const conflict of conflicts) {
      this.#conflicts.push(conflict);
      for (const key of conflict.blocked) this.#skip(key);
    }
    if (this.#keys.size === before) throw new Error('An undo has conflicts with records it keeps');
  }

  /** Returns the ids of its records of a table in a range, both ends inclusive. */
  idsOf(
    { name }: BookTable,
    { firstId, lastId }: Pick<NetRecords, 'firstId' | 'lastId'>,
  ): number[] {
    const all = this.#ids.get(name);
    if (all === undefined) return [];
    if (lastId - firstId >= all.size) return [...all].filter((id) => firstId <= id && id <= lastId);
    const ids: number[] = [];
    for (let id = firstId; id <= lastId; id += 1) if (all.has(id)) ids.push(id);
    return ids;
  }

  #skip(key: RecordKey): void {
    this.#keys.add(key);
    const [name = '', id] = key.split(' ');
    const ids = this.#ids.get(name) ?? new Set();
    this.#ids.set(name, ids.add(Number(id)));
  }

  has(table: BookTable, row: Values): boolean {
    return this.#keys.has(recordKey(table, row));
  }

  /** Returns the lines of a version without the kept records, and without those that belong to them. */
  *withoutSkipped(bookId: number, lines: readonly NetRecords[]): Steps<readonly NetRecords[]> {
    if (this.#keys.size === 0) return lines;
    for (const [name, own] of Map.groupBy(lines, ({ record }) => record))
      yield* this.#skipRelated(bookId, tableOf(name), own);
    return lines.flatMap((line) => this.#rest(line));
  }

  /**
   * Keeps the rows that kept rows of the same table refer to, and the rows that refer to them. A dissolved group of
   * transactions comes back with all its members or not at all.
   */
  *#skipRelated(bookId: number, table: BookTable, lines: readonly NetRecords[]): Steps<void> {
    const columns = ownReferences(table);
    if (columns.length === 0) return;
    const gone = lines.filter(({ kind }) => kind === 'removed' || kind === 'replaced');
    const removed = gone.map(({ firstId, diff }): Values => ({ ...diff, id: firstId }));
    const left = table === transactions ? lines.flatMap(formerMembers) : [];
    for (let ids = this.idsOf(table, every); ids.length > 0;) {
      const found: Values[] = [...removed, ...left].filter((row) =>
        this.#isRelated(table, columns, row),
      );
      for (const block of blocksOf(ids)) {
        const among = columns.map((name) => sql`${raw(name)} IN (${join(block)})`);
        const and = sql`(id IN (${join(block)}) OR ${join(among, ' OR ')})`;
        found.push(...(yield* select(table, { book_id: bookId }, { and })));
      }
      const related = found.flatMap((row) => [row['id'], ...columns.map((name) => row[name])]);
      ids = [];
      for (const id of related as (number | null | undefined)[]) {
        const key: RecordKey = `${table.name} ${id}`;
        if (id === null || id === undefined || this.#keys.has(key)) continue;
        this.#skip(key);
        ids.push(id);
      }
    }
  }

  #isRelated(table: BookTable, columns: readonly string[], row: Values): boolean {
    const ids = ['id', ...columns].map((name) => row[name] as number | null | undefined);
    return ids.some((id) => this.#keys.has(`${table.name} ${id}`));
  }

  /** Cuts a line at its kept records. */
  #rest(line: NetRecords): NetRecords[] {
    const table = tableOf(line.record);
    const rest = restOf(table, line);
    const parts: NetRecords[] = [];
    let { firstId } = line;
    for (let id = line.firstId; id <= line.lastId + 1; id += 1) {
      const isEnd = id > line.lastId || this.has(table, { ...rest, [table.key[0]!]: id });
      if (!isEnd) continue;
      if (firstId < id) parts.push({ ...line, firstId, lastId: id - 1 });
      firstId = id + 1;
    }
    return parts;
  }
}

/** The transactions of a line that were members of a group before, with it. */
function formerMembers({ kind, firstId, lastId, diff }: NetRecords): Values[] {
  if (kind !== 'changed') return [];
  const [group_parent_id = null] = (diff?.['group_parent_id'] ?? []) as readonly unknown[];
  if (group_parent_id === null) return [];
  const ids = Array.from({ length: lastId - firstId + 1 }, (_, at) => firstId + at);
  return ids.map((id) => ({ id, group_parent_id }));
}
