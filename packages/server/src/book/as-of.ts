import sql, { raw } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import { dialectOf, type Steps } from '../db/engine.ts';
import { among, rowsAs, select } from '../db/rows.ts';
import type { BookTable, Row, Values } from '../db/table.ts';
import { ChangedIds } from './changed-ids.ts';
import { lineShape, toLogged, type LoggedRecords } from './log.ts';
import { keyOf, pairsOf, restOf, withPlaceholders } from './net.ts';

/** Lines of the log that are read at once. */
const pageSize = 50_000;

/**
 * Reads which records of tables were changed after a version of a book, from all lines of the log after it.
 *
 * Keeps some ten bytes for each changed record; the contents of their lines are read when rows are rebuilt. The log
 * must have every change after the version.
 */
export function* changedSince<T extends BookTable>(
  bookId: number,
  version: number,
  tables: readonly T[],
): Steps<Map<T, ChangedIds>> {
  const found = new Map(tables.map((table) => [table, new ChangedIds(table)]));
  const byName = new Map([...found].map(([{ name }, ids]) => [name, ids]));
  let last = { version, place: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const page: LoggedRecords[] = yield* readPage(bookId, last);
    for (const line of page) byName.get(line.record)?.note(line);
    if (page.length < pageSize) break;
    last = page.at(-1)!;
  }
  for (const ids of found.values()) ids.finish();
  return found;
}

/** Reads lines after a place. Only those about several records have their diff. */
function* readPage(
  bookId: number,
  after: { readonly version: number; readonly place: number },
): Steps<LoggedRecords[]> {
  const found = yield* rowsAs(
    lineShape,
    sql`SELECT version, place, record, first_id, last_id, kind,
        CASE WHEN last_id > first_id THEN diff END AS diff FROM changed_records
      WHERE book_id = ${bookId} AND (version, place) > (${after.version}, ${after.place})
      ORDER BY version, place LIMIT ${pageSize}`,
  );
  return found.map(toLogged);
}

/** Rows of one table of a book as they were at a version. */
export class EarlierRows<T extends BookTable> {
  readonly #table: T;
  readonly #bookId: number;
  readonly #version: number;
  /** Which records were changed since. */
  readonly changed: ChangedIds;

  constructor(table: T, bookId: number, version: number, changed: ChangedIds) {
    this.#table = table;
    this.#bookId = bookId;
    this.#version = version;
    this.changed = changed;
  }

  /**
   * Returns the rows with some ids, in any order: those that existed at the version. Secrets have their placeholders.
   *
   * An id is the first column of the key. `table` may have fewer columns than the table itself; then only those are
   * read, but rows that were removed since have all.
   */
  *withIds(all: readonly number[], table: BookTable = this.#table): Steps<Row<T>[]> {
    const rows: Row<T>[] = [];
    for (const ids of blocksOf(all)) rows.push(...(yield* this.#rebuild(table, ids)));
    return rows;
  }

  /** Returns all rows. Only for tables that have few. */
  *all(): Steps<Row<T>[]> {
    const present = yield* select(this.#table, { book_id: this.#bookId } as Partial<Row<T>>);
    const isSame = (row: Values): boolean => !this.changed.has(row[this.#table.key[0]!] as number);
    const earlier = yield* this.withIds([...this.changed.existing]);
    const rows = [...present.filter(isSame), ...earlier];
    return rows.toSorted((one, other) => compareKeys(this.#table, one, other));
  }

  *#rebuild(table: BookTable, ids: readonly number[]): Steps<Row<T>[]> {
    const [first] = table.key;
    const and = among(raw(first!), ids);
    const present = yield* select(table, { book_id: this.#bookId }, { and });
    const states = new Map<string, RowState>();
    const lines = yield* this.#lines(ids);
    for (const { id, line } of lines) {
      const key = keyOf(table, { ...restOf(table, line), [first!]: id });
      const state = states.get(key) ?? new RowState(this.#bookId);
      states.set(key, state);
      state.note(table, line);
    }
    const rows: Values[] = [];
    for (const row of present) {
      const state = states.get(keyOf(table, row));
      states.delete(keyOf(table, row));
      const earlier = state === undefined ? row : state.rowFrom(row);
      if (earlier !== null) rows.push(earlier);
    }
    for (const state of states.values()) {
      const earlier = state.rowFrom(null);
      if (earlier !== null) rows.push(earlier);
    }
    return rows as Row<T>[];
  }

  /** Returns the later lines about records, oldest first, once for each record. */
  *#lines(ids: readonly number[]): Steps<{ id: number; line: LoggedRecords }[]> {
    const { withIndex } = yield* dialectOf();
    const found = yield* rowsAs(
      lineShape,
      sql`SELECT version, place, record, first_id, last_id, kind, diff
        FROM changed_records ${withIndex('changed_records_by_record')}
        WHERE book_id = ${this.#bookId} AND record = ${this.#table.name} AND version > ${this.#version}
          AND ${among(raw('first_id'), ids)} AND last_id = first_id`,
    );
    const own = found.map(toLogged).map((line) => ({ id: line.firstId, line }));
    const all = [...own, ...this.changed.rangesOver(ids)];
    return all.toSorted((a, b) => a.line.version - b.line.version || a.line.place - b.line.place);
  }
}

/** What the lines after a version say about one row. They are noted oldest first. */
class RowState {
  readonly #bookId: number;
  readonly #before: Record<string, unknown> = {};
  #row: Values | null = null;
  #isKnown = false;

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(table: BookTable, { kind, diff }: LoggedRecords): void {
    // What happened after a row was created or removed says nothing about the version.
    if (this.#isKnown) return;
    if (kind === 'changed')
      for (const [name, [before]] of pairsOf(diff))
        if (!Object.hasOwn(this.#before, name)) this.#before[name] = before;
    if (kind === 'removed')
      this.#row = {
        ...absentColumns(table),
        book_id: this.#bookId,
        ...withPlaceholders(table, diff ?? {}),
      };
    this.#isKnown = kind !== 'changed';
  }

  /** Returns the row at the version, from the present row; null if it did not exist. */
  rowFrom(present: Values | null): Values | null {
    const row = this.#isKnown ? this.#row : present;
    return row === null ? null : { ...row, ...this.#before };
  }
}

/** Values of columns that the log does not have, because they are newer than the line. */
function absentColumns({ columns }: BookTable): Values {
  const empty = { integer: 0, text: '', flag: false, bytes: null } as const;
  return Object.fromEntries(
    Object.entries(columns).map(([name, { type, isNullable }]) => [
      name,
      isNullable ? null : empty[type],
    ]),
  );
}

function compareKeys({ key }: BookTable, one: Values, other: Values): number {
  for (const name of key) {
    const [a, b] = [one[name] as number | string, other[name] as number | string];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
