import sql, { raw } from 'sql-template-tag';
import { changedSince, EarlierRows } from '../../book/as-of.ts';
import { placeOf, type ChangedIds } from '../../book/changed-ids.ts';
import { prunedVersion } from '../../book/log.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { rowsAs, select } from '../../db/rows.ts';
import { integer, type BookTable, type Values } from '../../db/table.ts';
import { refusePrunedState } from '../../operations/problem.ts';
import { bookOf } from '../../identity/users/actions.ts';

/** Keys that are read at once. */
const keysAtOnce = 1000;

/** What was changed after a version, up to another one. */
interface Changed {
  readonly upTo: number;
  readonly ids: ReadonlyMap<BookTable, ChangedIds>;
}

/**
 * Reads all records of a book as they were at one version, table by table in short transactions: see decision 048.
 *
 * Create it with {@link beginVersion}. Throws a Problem if the changes since the version are pruned meanwhile.
 */
export class VersionRows {
  readonly #engine: Engine;
  readonly #start: Start;
  #known: Changed;

  constructor(engine: Engine, start: Start) {
    this.#engine = engine;
    this.#start = start;
    this.#known = start.begun;
  }

  /** Yields the rows of a table in the order of its key, in batches. `complete` may filter and extend a batch. */
  async *batchesOf(
    table: BookTable,
    complete?: (rows: readonly Values[], at: RowsOf) => Steps<readonly Values[]>,
  ): AsyncGenerator<readonly Values[], void, undefined> {
    let after: number | null = 0;
    while (after !== null) {
      const from: number = after;
      const known = this.#known;
      const next = await this.#engine.read(() => this.#next(table, { from, known, complete }));
      this.#known = next.changed;
      after = next.last;
      yield next.rows;
    }
  }

  *#next(
    table: BookTable,
    {
      from,
      known,
      complete,
    }: {
      readonly from: number;
      readonly known: Changed;
      readonly complete:
        ((rows: readonly Values[], at: RowsOf) => Steps<readonly Values[]>) | undefined;
    },
  ): Steps<{ rows: readonly Values[]; last: number | null; changed: Changed }> {
    const { bookId, version } = this.#start;
    const changed = yield* this.#since(known);
    const at: RowsOf = (each) => new EarlierRows(each, bookId, version, changed.ids.get(each)!);
    const { rows, last } = yield* nextRows(table, { bookId, at: at(table), after: from });
    return { rows: complete === undefined ? rows : yield* complete(rows, at), last, changed };
  }

  /** Adds what was changed since the reading began, of which the log is read again after every change. */
  *#since(known: Changed): Steps<Changed> {
    const { bookId, version, begun } = this.#start;
    const { version: current } = yield* bookOf(bookId);
    refusePrunedState(version, yield* prunedVersion(bookId));
    if (current === known.upTo) return known;
    const tables = [...begun.ids.keys()];
    const later = yield* changedSince(bookId, begun.upTo, tables);
    const both = tables.map(
      (table) => [table, begun.ids.get(table)!.and(later.get(table)!)] as const,
    );
    return { upTo: current, ids: new Map(both) };
  }
}

/** Returns the rows of a table at the version. */
export type RowsOf = (table: BookTable) => EarlierRows<BookTable>;

/** What is known before the first batch. */
export interface Start {
  readonly bookId: number;
  readonly version: number;
  readonly begun: Changed;
}

/** Begins to read the records of a book at a version that it had, or has. */
export function* beginVersion(
  bookId: number,
  { version, current }: { readonly version: number; readonly current: number },
  tables: readonly BookTable[],
): Steps<Start> {
  const ids = yield* changedSince(bookId, version, tables);
  return { bookId, version, begun: { upTo: current, ids } };
}

/** Reads the rows whose first key column has one of the next values. `last` is the last of them; null at the end. */
function* nextRows(
  table: BookTable,
  {
    bookId,
    at,
    after,
  }: {
    readonly bookId: number;
    readonly at: EarlierRows<BookTable>;
    readonly after: number;
  },
): Steps<{ rows: Values[]; last: number | null }> {
  const id = raw(table.key[0]!);
  const present = yield* rowsAs(
    { id: integer },
    sql`SELECT DISTINCT ${id} AS id FROM ${raw(table.name)} WHERE book_id = ${bookId} AND ${id} > ${after}
      ORDER BY 1 LIMIT ${keysAtOnce}`,
  );
  const { existing } = at.changed;
  const start = placeOf(existing.length, (place) => existing[place]! <= after);
  const changed = [...existing.subarray(start, start + keysAtOnce)];
  // Both lists are complete up to this key.
  const last = Math.min(
    present.length < keysAtOnce ? Infinity : present.at(-1)!.id,
    changed.length < keysAtOnce ? Infinity : changed.at(-1)!,
  );
  const greatest = Math.min(last, present.at(-1)?.id ?? 0);
  const same =
    greatest <= after
      ? []
      : yield* select(
          table,
          { book_id: bookId },
          { and: sql`${id} > ${after} AND ${id} <= ${greatest}` },
        );
  const earlier = yield* at.withIds(changed.filter((each) => each <= last));
  const isSame = (row: Values): boolean => !at.changed.has(row[table.key[0]!] as number);
  const rows: Values[] = [...same.filter(isSame), ...earlier];
  return {
    rows: rows.toSorted((one, other) => compareKeys(table, one, other)),
    last: last === Infinity ? null : last,
  };
}

function compareKeys({ key }: BookTable, one: Values, other: Values): number {
  for (const name of key) {
    const [a, b] = [one[name] as number | string, other[name] as number | string];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
