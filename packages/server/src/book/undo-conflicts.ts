import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { nameKey } from '@coffer/core/text';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import type { BookTable, Row, Values } from '../db/table.ts';
import { bookTables } from '../db/tables/tables.ts';
import { readLater } from './log.ts';
import type { NetRecords } from './net.ts';
import {
  byKey,
  excludedBy,
  inRange,
  isMoved,
  isSameRest,
  keyFrom,
  keyOf,
  noteFormer,
  recordKey,
  valuesOf,
} from './record-keys.ts';
import type { RecordKey } from './record-keys.ts';
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
  readonly reason: 'changed since' | 'removed since' | 'used since' | 'taken since';
  /** The records of the version that cannot be undone because of it. */
  readonly blocked: readonly RecordKey[];
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
  constructor(bookId: number, version: number, lines: readonly NetRecords[], most: number) {
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
