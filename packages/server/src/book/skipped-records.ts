import sql, { join, raw } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { ownReferences, type BookTable, type Values } from '../db/table.ts';
import { transactions } from '../db/tables/tables.ts';
import { groupsOf, recordKey, restOf, tableOf, withDiffs } from './net.ts';
import type { NetRecords, RecordKey, VersionEffect } from './net.ts';
import type { UndoConflict } from './undo-conflicts.ts';

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

  /** Returns the ids of all its records of a table. */
  allOf(table: BookTable): number[] {
    return this.idsOf(table, every);
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
  *withoutSkipped(bookId: number, effect: VersionEffect): Steps<readonly NetRecords[]> {
    if (this.#keys.size === 0) return effect.lines;
    for (const [name, own] of Map.groupBy(effect.lines, ({ record }) => record))
      yield* this.#skipRelated(bookId, tableOf(name), { ...effect, lines: own });
    return effect.lines.flatMap((line) => this.#rest(line));
  }

  /**
   * Keeps the rows that kept rows of the same table refer to, and the rows that refer to them. A dissolved group of
   * transactions comes back with all its members or not at all.
   */
  *#skipRelated(bookId: number, table: BookTable, effect: VersionEffect): Steps<void> {
    const columns = ownReferences(table);
    if (columns.length === 0) return;
    const former = yield* formerReferences(bookId, table, effect);
    for (let ids = this.allOf(table); ids.length > 0;) {
      const found: Values[] = former.filter((row) => this.#isRelated(table, columns, row));
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

/** Returns the ids of records of lines about one table that referred to others of it before, with these references. */
function* formerReferences(
  bookId: number,
  table: BookTable,
  { version, lines }: VersionEffect,
): Steps<Values[]> {
  const columns = ownReferences(table);
  const former: Values[] = [];
  for (const group of groupsOf(lines))
    for (const line of yield* withDiffs(bookId, version, group)) {
      if (line.kind === 'changed' && table === transactions) former.push(...formerMembers(line));
      if (line.kind !== 'removed' && line.kind !== 'replaced') continue;
      const row = Object.fromEntries(columns.map((name) => [name, line.diff?.[name]]));
      if (columns.some((name) => typeof row[name] === 'number'))
        former.push({ ...row, id: line.firstId });
    }
  return former;
}

/** The transactions of a line that were members of a group before, with it. */
function formerMembers({ kind, firstId, lastId, diff }: NetRecords): Values[] {
  if (kind !== 'changed') return [];
  const [group_parent_id = null] = (diff?.['group_parent_id'] ?? []) as readonly unknown[];
  if (group_parent_id === null) return [];
  const ids = Array.from({ length: lastId - firstId + 1 }, (_, at) => firstId + at);
  return ids.map((id) => ({ id, group_parent_id }));
}
