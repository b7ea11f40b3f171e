import sql, { join, raw, type Sql } from 'sql-template-tag';
import { columnJson } from '../db/dialect.ts';
import { dialectOf, insertMany, run, type Steps } from '../db/engine.ts';
import { rowAs } from '../db/rows.ts';
import { integer, nullable, type BookTable, type Values } from '../db/table.ts';
import { castValue } from '../db/writes.ts';
import type { ChangeKind } from './log.ts';

const columns = [
  'book_id',
  'version',
  'place',
  'record',
  'first_id',
  'last_id',
  'kind',
  'diff',
  'repeats',
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
    this.#note('made', name, firstIdOf(key, row), diff);
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
    this.#note('changed', record, firstIdOf(key, before), `{${diff}}`);
  }

  noteRemoved(table: BookTable, row: Values): void {
    this.#note('removed', table.name, firstIdOf(table.key, row), jsonOf(openColumns(table), row));
  }

  /**
   * Writes the lines about rows that one statement will change: `set` has their new columns. Rows with consecutive ids
   * and the same change share a line.
   */
  *writeChanged(table: BookTable, rows: Sql, set: Values): Steps<void> {
    const { words } = yield* dialectOf();
    const pairs = openColumns(table)
      .filter((name) => name in set)
      .map((name) => {
        const start = sql`CAST(${`,"${name}":[`} AS TEXT)`;
        const end = sql`CAST(${`,${json(set[name])}]`} AS TEXT)`;
        const before = raw(`CAST(${columnJson(words, name, table.columns[name]!)} AS TEXT)`);
        return sql`CASE WHEN ${raw(name)} IS DISTINCT FROM ${castValue(table, name, set[name])}
          THEN ${start} || ${before} || ${end} ELSE '' END`;
      });
    yield* this.#writeSet(
      table,
      'changed',
      sql`SELECT min(id) AS first_id, max(id) AS last_id, diff
      FROM (SELECT id, diff, id - row_number() OVER (PARTITION BY diff ORDER BY id) AS island
        FROM (SELECT id, '{' || substr(${join(pairs, ' || ')}, 2) || '}' AS diff
          FROM ${raw(table.name)} WHERE ${rows}) changed) islands
      GROUP BY diff, island`,
    );
  }

  /** Writes the lines about rows that one statement will remove. */
  *writeRemoved(table: BookTable, rows: Sql): Steps<void> {
    const { words } = yield* dialectOf();
    const pieces = openColumns(table).flatMap((name, index) => [
      `'${index === 0 ? '{' : ','}"${name}":'`,
      columnJson(words, name, table.columns[name]!),
    ]);
    const diff = raw(words.joined([...pieces, `'}'`]));
    yield* this.#writeSet(
      table,
      'removed',
      sql`SELECT id AS first_id, id AS last_id, ${diff} AS diff FROM ${raw(table.name)} WHERE ${rows}`,
    );
  }

  *#writeSet({ name }: BookTable, kind: ChangeKind, lines: Sql): Steps<void> {
    yield* this.finish();
    const [book, version, first] = [this.#bookId, this.#version, this.#written];
    const isFirst = this.#tables.has(name) ? 0 : 1;
    yield* run(sql`
      INSERT INTO changed_records (${raw(columns.join(', '))})
      SELECT CAST(${book} AS BIGINT), CAST(${version} AS BIGINT), CAST(${first} AS BIGINT) + nth - 1, ${name},
        first_id, last_id, ${kind}, diff, CASE WHEN nth <= CAST(${isFirst} AS BIGINT) THEN 0 ELSE 1 END
      FROM (SELECT first_id, last_id, diff, row_number() OVER (ORDER BY first_id) AS nth
        FROM (${lines}) lines) numbered`);
    const found = yield* rowAs(
      { next: nullable(integer) },
      sql`SELECT max(place) + 1 AS next FROM changed_records WHERE book_id = ${book} AND version = ${version}`,
    );
    this.#written = found?.next ?? 0;
    if (this.#written > first) this.#tables.add(name);
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
function firstIdOf([name]: readonly string[], row: Values): number {
  return row[name!] as number;
}
