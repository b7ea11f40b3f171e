import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { Emit, row, rows } from './engine.ts';
import type { Operation, Step } from './engine.ts';
import { MoveError } from './move-catalog.ts';
import type { Catalog, NextIds, Row, Table } from './move-catalog.ts';

/** Rows that are held in memory at once, twice over: those that are written while the next are read. */
const chunkRows = 1000;

/** What a database holds in all, by the engine's own arithmetic. */
export interface Totals {
  /** Rows by table. */
  readonly counts: ReadonlyMap<string, number>;
  /** For each book the count and the sums of its amounts, a line each, by book id. */
  readonly books: readonly string[];
  readonly nextIds: NextIds;
}

/** What is read of a database, in this order: its totals, all rows to copy, a pause, all rows to compare, the end. */
export type Piece =
  | { readonly step: 'totals'; readonly totals: Totals }
  | { readonly step: 'copy' | 'compare'; readonly table: Table; readonly rows: readonly Row[] }
  | { readonly step: 'complete' | 'end' };

/** Reads a database from one snapshot, every row twice. Nobody writes to it until this ends, behind the last piece. */
export function* readAll(
  catalog: Catalog,
  tables: readonly Table[],
): Generator<Step | Emit<Piece>, void, unknown> {
  yield* catalog.keepWritersOut(tables);
  yield new Emit<Piece>({ step: 'totals', totals: yield* readTotals(catalog, tables) });
  for (const table of tables) yield* readTable('copy', table);
  yield new Emit<Piece>({ step: 'complete' });
  for (const table of tables) yield* readTable('compare', table);
  yield new Emit<Piece>({ step: 'end' });
}

function* readTable(
  step: 'copy' | 'compare',
  table: Table,
): Generator<Step | Emit<Piece>, void, unknown> {
  let last: Row | undefined;
  for (let isMore = true; isMore;) {
    const found = yield* rows<Row>(rowsAfter(table, last));
    for (const each of found) refuseUnsafe(table, each);
    if (found.length > 0) yield new Emit<Piece>({ step, table, rows: found });
    last = found.at(-1);
    isMore = found.length === chunkRows;
  }
}

/** The next rows in the order of the key. */
function rowsAfter({ name, key, stored, generated }: Table, last: Row | undefined): Sql {
  const columns = raw([...stored, ...generated].join(', '));
  const order = raw(key.join(', '));
  const after =
    last === undefined
      ? sql``
      : sql`WHERE (${order}) > (${join(key.map((column) => last[column]))})`;
  return sql`SELECT ${columns} FROM ${raw(name)} ${after} ORDER BY ${order} LIMIT ${chunkRows}`;
}

/** SQLite hands out integers beyond 2^53 as whatever is near. */
function refuseUnsafe(table: Table, each: Row): void {
  for (const [column, value] of Object.entries(each)) {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) continue;
    throw new MoveError(
      `${nameRow(table, each)} cannot be moved: its ${column} is an integer beyond 2^53`,
    );
  }
}

/** A row by its key, such as `transactions (book_id 1, id 7)`; nothing else of it is said to anybody. */
export function nameRow({ name, key }: Table, each: Row): string {
  return `${name} (${key.map((column) => `${column} ${String(each[column])}`).join(', ')})`;
}

/** Counts and adds up in the engine, so that it does not depend on how the rows are read. */
export function* readTotals(catalog: Catalog, tables: readonly Table[]): Operation<Totals> {
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const found = yield* row<{ count: number }>(sql`SELECT count(*) AS count FROM ${raw(name)}`);
    counts.set(name, found?.count ?? 0);
  }
  // Ten thousands and the rest apart: the sum of a million amounts may not fit into 64 bits.
  const books = yield* rows<Record<string, string | number>>(sql`
    SELECT book_id, count(*) AS count,
      CAST(sum(amount / 10000) AS TEXT) AS units, CAST(sum(amount % 10000) AS TEXT) AS rest,
      CAST(sum(to_base / 10000) AS TEXT) AS base_units, CAST(sum(to_base % 10000) AS TEXT) AS base_rest
    FROM transactions GROUP BY book_id ORDER BY book_id`);
  return { counts, books: books.map(sumsOf), nextIds: yield* catalog.readNextIds() };
}

function sumsOf(found: Readonly<Record<string, string | number>>): string {
  const whole = (units = '', rest = ''): bigint => BigInt(units) * 10_000n + BigInt(rest);
  const { book_id: id, count, units, rest, base_units: baseUnits, base_rest: baseRest } = found;
  const amount = whole(String(units), String(rest));
  return `Book ${id}: ${count} amounts, ${amount} in all, ${whole(String(baseUnits), String(baseRest))} to base`;
}
