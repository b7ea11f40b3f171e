import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import { insertMany } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { rowsAs } from '../db/rows.ts';
import { integer, nullable, text } from '../db/table.ts';
import type { BookTable, Values } from '../db/table.ts';

/** What happened to records. The log has ids for `made`, columns before and after for `changed`, rows for `removed`. */
export type ChangeKind = 'made' | 'changed' | 'removed';

/** The content of a line: `{column: [before, after]}`, or a row, or the rest of the key. */
export type Diff = Readonly<Record<string, unknown>>;

/** One line of the log: records of one table with ids from `firstId` to `lastId`, both inclusive. */
export interface ChangedRecords {
  readonly record: string;
  readonly firstId: number;
  readonly lastId: number;
  readonly kind: ChangeKind;
  readonly diff: Diff | null;
}

/** A line as it is stored. Within a version, places ascend in the order of the writes. */
export interface LoggedRecords extends ChangedRecords {
  readonly version: number;
  readonly place: number;
}

const columns = [
  ...['book_id', 'version', 'place', 'record', 'first_id', 'last_id'],
  ...['kind', 'diff', 'repeats'],
];
/** The maximum number of lines in memory. A change of many rows writes them earlier. */
const mostKept = 1000;

/** A line that is not written yet. The next record may extend it. */
interface KeptLine {
  readonly record: string;
  readonly firstId: number;
  lastId: number;
  readonly kind: ChangeKind;
  /** JSON. */
  readonly diff: string | null;
  /** 1 if an earlier line of the version is about the same table. */
  readonly repeats: 0 | 1;
}

/** Collects the lines of one version. Records with consecutive ids and the same change share a line. */
export class ChangeLog {
  readonly #bookId: number;
  readonly #version: number;
  #kept: KeptLine[] = [];
  /** The last line about each table, unless it is written. */
  readonly #last = new Map<string, KeptLine>();
  #written = 0;
  /** The tables that the version has lines about. */
  readonly #tables = new Set<string>();

  constructor(bookId: number, version: number) {
    this.#bookId = bookId;
    this.#version = version;
  }

  get isEmpty(): boolean {
    return this.#written === 0 && this.#kept.length === 0;
  }

  noteMade({ name, key }: BookTable, row: Values): void {
    const diff = key.length === 1 ? null : jsonOf(key.slice(1), row);
    this.#note('made', name, idOf(key, row), diff);
  }

  /** `names` are the columns that may differ, in the order of the table. Default: all. */
  noteChanged(table: BookTable, before: Values, after: Values, names = openColumns(table)): void {
    const { name: record, key } = table;
    let diff = '';
    const add = (name: string): void => {
      const pair = `"${name}":[${json(before[name])},${json(after[name])}]`;
      diff += diff === '' ? pair : `,${pair}`;
    };
    if (key.length > 1) key.slice(1).forEach(add);
    for (const name of names) if (before[name] !== after[name]) add(name);
    this.#note('changed', record, idOf(key, before), `{${diff}}`);
  }

  noteRemoved(table: BookTable, row: Values): void {
    this.#note('removed', table.name, idOf(table.key, row), jsonOf(openColumns(table), row));
  }

  /** Writes the lines if there are many. Keeps the last line, because the next record may extend it. */
  *writeWhenMany(): Steps<void> {
    if (this.#kept.length > mostKept) yield* this.#write(this.#kept.splice(0, mostKept));
  }

  *finish(): Steps<void> {
    yield* this.#write(this.#kept.splice(0));
  }

  #note(kind: ChangeKind, record: string, id: number, diff: string | null): void {
    const last = this.#last.get(record);
    if (last?.kind === kind && last.lastId === id - 1 && last.diff === diff) {
      last.lastId = id;
      return;
    }
    const repeats = this.#tables.has(record) ? 1 : 0;
    const line: KeptLine = { record, firstId: id, lastId: id, kind, diff, repeats };
    this.#tables.add(record);
    this.#kept.push(line);
    this.#last.set(record, line);
  }

  *#write(lines: readonly KeptLine[]): Steps<void> {
    for (const line of lines)
      if (this.#last.get(line.record) === line) this.#last.delete(line.record);
    const [book, version, first] = [this.#bookId, this.#version, this.#written];
    // One array for each line, without spreads: a change may have many.
    // prettier-ignore
    const values = lines.map(({ record, firstId, lastId, kind, diff, repeats }, index) => [
      book, version, first + index, record, firstId, lastId, kind, diff, repeats,
    ]);
    this.#written += lines.length;
    yield* insertMany('changed_records', columns, values);
  }
}

/** Returns the columns of a table that enter the log: all but its book and secrets, in the order of the table. */
export function openColumns(table: BookTable): readonly string[] {
  let names = openNames.get(table);
  if (names === undefined) {
    names = Object.keys(table.columns).filter(
      (name) => name !== 'book_id' && table.columns[name]!.placeholder === undefined,
    );
    openNames.set(table, names);
  }
  return names;
}

const openNames = new WeakMap<BookTable, readonly string[]>();

/** Returns the columns of a row as a JSON object. Faster than a copy of the row for JSON.stringify. */
function jsonOf(names: readonly string[], row: Values): string {
  let text = '';
  for (const name of names) {
    if (row[name] === undefined) continue;
    const column = `"${name}":${json(row[name])}`;
    text += text === '' ? column : `,${column}`;
  }
  return `{${text}}`;
}

function json(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? 'null' : JSON.stringify(value);
}

/** The first column of the key, an integer. */
function idOf([name]: readonly string[], row: Values): number {
  return row[name!] as number;
}

const shape = {
  version: integer,
  place: integer,
  record: text,
  first_id: integer,
  last_id: integer,
  kind: text,
  diff: nullable(text),
};

/** Lines that {@link readRemovedPage} reads at once. */
const pageSize = 2000;

/** Returns the lines that meet conditions, which may end with an order. `diff` may select less than the column. */
export function* selectLines(where: Sql, diff: Sql = sql`diff`): Steps<LoggedRecords[]> {
  const found = yield* rowsAs(
    shape,
    sql`SELECT version, place, record, first_id, last_id, kind, ${diff} AS diff FROM changed_records WHERE ${where}`,
  );
  return found.map(toLogged);
}

/**
 * Returns the lines of one version of a book, in the order of their places. Those about removed records of the table
 * `withoutRemoved` are left out.
 */
export function* readVersion(
  bookId: number,
  version: number,
  withoutRemoved = '',
): Steps<LoggedRecords[]> {
  return yield* selectLines(sql`book_id = ${bookId} AND version = ${version}
    AND NOT (record = ${withoutRemoved} AND kind = 'removed') ORDER BY place`);
}

/** Returns lines of a version about removed records of a table before a place, the last one first. */
export function* readRemovedPage(
  bookId: number,
  version: number,
  record: string,
  before: number,
): Steps<LoggedRecords[]> {
  return yield* selectLines(sql`book_id = ${bookId} AND version = ${version} AND place < ${before}
    AND record = ${record} AND kind = 'removed' ORDER BY place DESC LIMIT ${pageSize}`);
}

/**
 * Returns the lines after a version about records with ids in a range, oldest first.
 *
 * Removals of transactions that were undone are left out: the undo has restored the rows as they were. There may be
 * millions of them.
 */
export function* readLater(
  bookId: number,
  { record, firstId, lastId }: Pick<ChangedRecords, 'record' | 'firstId' | 'lastId'>,
  after: number,
): Steps<LoggedRecords[]> {
  const found = yield* rowsAs(
    shape,
    sql`SELECT version, place, record, first_id, last_id, kind, diff FROM changed_records
      WHERE book_id = ${bookId} AND record = ${record} AND version > ${after}
        AND ${lasting(bookId, after)} AND first_id BETWEEN ${firstId} AND ${lastId}
      UNION ALL
      SELECT version, place, record, first_id, last_id, kind, diff FROM changed_records
      WHERE book_id = ${bookId} AND record = ${record} AND version > ${after} AND ${lasting(bookId, after)}
        AND last_id > first_id AND first_id < ${firstId} AND last_id >= ${firstId}
      ORDER BY version, place`,
  );
  return found.map(toLogged);
}

/** Ranges of at least this length plus one have an index of their own: see the sixth schema. */
const longRange = 512;

/**
 * Returns the conditions for lines about ranges that contain an id after their first id, one for each index. No line
 * meets two of them.
 */
export function containing(id: number): Sql[] {
  const nearest = id - longRange;
  return [
    sql`last_id > first_id AND first_id BETWEEN ${nearest} AND ${id - 1} AND last_id >= ${id}`,
    sql`last_id - first_id >= ${raw(String(longRange))} AND first_id < ${nearest} AND last_id >= ${id}`,
  ];
}

type Range = Omit<LoggedRecords, 'kind' | 'diff' | 'place'>;

/** Returns the ids of records of a line that were changed or removed after it. */
export function* readChangedSince(bookId: number, line: Range): Steps<number[]> {
  const later = yield* readLater(bookId, line, line.version);
  const own = later.filter(({ kind }) => kind !== 'made');
  const ids = new Set<number>();
  for (const { firstId, lastId } of own)
    for (let id = Math.max(firstId, line.firstId); id <= Math.min(lastId, line.lastId); id += 1)
      ids.add(id);
  return [...ids];
}

/** Returns the ids of records of a line that were removed after it. */
export function* readRemovals(
  bookId: number,
  { record, firstId, lastId, version }: Range,
): Steps<number[]> {
  const found = yield* rowsAs(
    { id: integer },
    sql`SELECT DISTINCT first_id AS id FROM changed_records
      WHERE book_id = ${bookId} AND record = ${record} AND kind = 'removed'
        AND version > ${version} AND first_id BETWEEN ${firstId} AND ${lastId}
        AND ${lasting(bookId, version)}`,
  );
  return found.map(({ id }) => id);
}

/** Returns which of some records a version or a later one has removed. */
export function* readRemovedSince(
  bookId: number,
  record: string,
  ids: readonly number[],
  version: number,
): Steps<Set<number>> {
  const removed = new Set<number>();
  for (const block of blocksOf(ids)) {
    const found = yield* rowsAs(
      { id: integer },
      sql`SELECT DISTINCT first_id AS id FROM changed_records
        WHERE book_id = ${bookId} AND record = ${record} AND kind = 'removed' AND version >= ${version}
          AND first_id IN (${join(block)})`,
    );
    for (const { id } of found) removed.add(id);
  }
  return removed;
}

/**
 * The condition for lines that are no removals of transactions, or removals that were not undone. Other tables have
 * keys that can be used again, so that a record can be removed and created in several ways.
 */
function lasting(bookId: number, after: number): Sql {
  return sql`NOT (record = 'transactions' AND kind = 'removed' AND version IN (
    SELECT undoes FROM changes WHERE book_id = ${bookId} AND undoes > ${after}))`;
}

/** Converts a line from the database. */
export function toLogged(line: {
  version: number;
  place: number;
  record: string;
  first_id: number;
  last_id: number;
  kind: string;
  diff: string | null;
}): LoggedRecords {
  const { version, place, record, first_id: firstId, last_id: lastId } = line;
  const diff = line.diff === null ? null : (JSON.parse(line.diff) as Diff);
  return { version, place, record, firstId, lastId, kind: line.kind as ChangeKind, diff };
}
