import sql, { join, raw } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import type { BookTable, Values } from '../db/table.ts';
import { containing, selectLines, type LoggedRecords } from '../book/log.ts';
import { pairsOf, restOf, recordKey, type RecordKey } from '../book/net.ts';

/** A record: its table, the first part of its key, and its whole key by column. */
export interface KeyedRecord {
  readonly table: BookTable;
  readonly id: number;
  readonly key: Values;
}

/** Most lines that are in memory at once. */
const pageSize = 2000;
/** Records whose ids are no farther apart are looked up together. */
const nearby = 100;

/**
 * Returns rows as they were after a version, by record; without those of which nothing is known.
 *
 * The present row is changed back by all later lines of the log: each column has the value before the first of them. If
 * the record was removed since, the log has the whole row. The cost grows with the number of lines about the records.
 */
export function* rowsAfter(
  bookId: number,
  version: number,
  records: readonly KeyedRecord[],
): Steps<ReadonlyMap<RecordKey, Values>> {
  const rows = new Map<RecordKey, Values>();
  for (const own of Map.groupBy(records, ({ table }) => table).values()) {
    const table = own[0]!.table;
    const earlier = new EarlierValues(table, own);
    for (const { first, last } of spansOf(own.map(({ id }) => id)))
      yield* readSpan(bookId, version, { table, first, last }, earlier);
    const present = new Map<RecordKey, Values>();
    for (const block of blocksOf([...new Set(own.map(({ id }) => id))])) {
      const and = sql`${raw(table.key[0]!)} IN (${join(block)})`;
      for (const row of yield* select(table, { book_id: bookId }, { and }))
        present.set(recordKey(table, row), row);
    }
    for (const { key } of own) {
      const name = recordKey(table, key);
      const row = earlier.rowOf(name, present.get(name));
      if (row !== undefined) rows.set(name, row);
    }
  }
  return rows;
}

/** A range of ids of one table, both ends inclusive. */
interface Span {
  readonly first: number;
  readonly last: number;
}

function spansOf(ids: readonly number[]): Span[] {
  const spans: { first: number; last: number }[] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const open = spans.at(-1);
    if (open !== undefined && id - open.last <= nearby) open.last = id;
    else spans.push({ first: id, last: id });
  }
  return spans;
}

/** Notes the values in all lines after a version about ids in a span. */
function* readSpan(
  bookId: number,
  version: number,
  { table, first, last }: Span & { readonly table: BookTable },
  earlier: EarlierValues,
): Steps<void> {
  // The sum keeps SQLite from reading all later lines by their key.
  const own = sql`book_id = ${bookId} AND record = ${table.name} AND version + 0 > ${version}`;
  for (const and of containing(first))
    for (const line of yield* selectLines(sql`${own} AND ${and}`)) earlier.note(line);
  let [id, after, place] = [first, version, -1];
  for (;;) {
    const page = yield* selectLines(sql`${own} AND first_id BETWEEN ${id} AND ${last}
      AND (first_id, version, place) > (${id}, ${after}, ${place})
      ORDER BY first_id, version, place LIMIT ${pageSize}`);
    for (const line of page) earlier.note(line);
    const end = page.at(-1);
    if (end === undefined || page.length < pageSize) return;
    [id, after, place] = [end.firstId, end.version, end.place];
  }
}

/** A value that a record had before a line. */
interface EarlierValue {
  readonly line: LoggedRecords;
  readonly value: unknown;
}

/** Collects the values of records before the first line that has them. */
class EarlierValues {
  readonly #table: BookTable;
  readonly #ids: ReadonlyMap<number, readonly KeyedRecord[]>;
  readonly #values = new Map<RecordKey, Map<string, EarlierValue>>();
  readonly #removed = new Set<RecordKey>();

  constructor(table: BookTable, records: readonly KeyedRecord[]) {
    this.#table = table;
    this.#ids = Map.groupBy(records, ({ id }) => id);
  }

  note(line: LoggedRecords): void {
    if (line.kind === 'made') return;
    const rest = restOf(this.#table, line);
    for (const own of this.#ownIn(line))
      for (const { key } of own) {
        const isSame = this.#table.key.slice(1).every((name) => key[name] === rest[name]);
        if (isSame) this.#noteRecord(recordKey(this.#table, key), line);
      }
  }

  *#ownIn({ firstId, lastId }: LoggedRecords): Generator<readonly KeyedRecord[]> {
    if (firstId === lastId) yield this.#ids.get(firstId) ?? [];
    else for (const [id, own] of this.#ids) if (firstId <= id && id <= lastId) yield own;
  }

  #noteRecord(key: RecordKey, line: LoggedRecords): void {
    const values = this.#values.get(key) ?? new Map<string, EarlierValue>();
    this.#values.set(key, values);
    if (line.kind === 'removed') this.#removed.add(key);
    const before: readonly (readonly [string, unknown])[] =
      line.kind === 'removed'
        ? Object.entries(line.diff ?? {})
        : pairsOf(line.diff).map(([name, [value]]) => [name, value]);
    for (const [name, value] of before) {
      const known = values.get(name);
      if (known === undefined || isEarlier(line, known.line)) values.set(name, { line, value });
    }
  }

  /** Returns a row of the time before the lines; undefined if the record does not exist and no line has its row. */
  rowOf(key: RecordKey, present: Values | undefined): Values | undefined {
    if (present === undefined && !this.#removed.has(key)) return undefined;
    const earlier = [...(this.#values.get(key) ?? [])];
    const columns: Values = Object.fromEntries(earlier.map(([name, { value }]) => [name, value]));
    return { ...present, ...columns };
  }
}

function isEarlier(line: LoggedRecords, than: LoggedRecords): boolean {
  return line.version < than.version || (line.version === than.version && line.place < than.place);
}
