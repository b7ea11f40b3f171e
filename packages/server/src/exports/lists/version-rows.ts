import sql, { raw } from 'sql-template-tag';
import { changedSince, EarlierRows } from '../../book/as-of.ts';
import { placeOf, type ChangedIds } from '../../book/changed-ids.ts';
import { prunedVersion } from '../../book/log.ts';
import { Emit, type Engine, type Step, type Steps } from '../../db/engine.ts';
import { find, rowAs, select } from '../../db/rows.ts';
import { integer, type BookTable, type Values } from '../../db/table.ts';
import { bookSettings } from '../../db/tables/tables.ts';
import type { Book } from '../../operations/caller.ts';
import { refusePrunedState } from '../../operations/problem.ts';
import { bookOf } from '../../identity/users/actions.ts';

/** Keys that are read at once. */
const keysAtOnce = 1000;
/** No id is greater. */
const noEnd = Number.MAX_SAFE_INTEGER;

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

  /** Yields what `read` returns for each stretch of a table, in the order of its first key. */
  async *batchesOf<T>(
    table: BookTable,
    read: (stretch: Stretch, at: RowsOf) => Steps<T>,
  ): AsyncGenerator<T, void, undefined> {
    for (let after = 0; after !== noEnd;) {
      const from = after;
      const { upTo, batch } = await this.#engine.read(() => this.#next(table, from, read));
      after = upTo;
      yield batch;
    }
  }

  *#next<T>(
    table: BookTable,
    after: number,
    read: (stretch: Stretch, at: RowsOf) => Steps<T>,
  ): Steps<{ readonly upTo: number; readonly batch: T }> {
    const { bookId, version } = this.#start;
    const { ids } = (this.#known = yield* this.#since(this.#known));
    const at: RowsOf = (each) => new EarlierRows(each, bookId, version, ids.get(each)!);
    const stretch = yield* nextStretch(table, bookId, ids.get(table)!, after);
    return { upTo: stretch.upTo, batch: yield* read(stretch, at) };
  }

  /** Adds what was changed since the reading began, of which the log is read again after every change. */
  *#since(known: Changed): Steps<Changed> {
    const { bookId, version, begun } = this.#start;
    const { version: current } = yield* bookOf(bookId);
    const pruned = yield* prunedVersion(bookId);
    if ([...known.ids.values()].some((ids) => !ids.isEmpty)) refusePrunedState(version, pruned);
    if (current === known.upTo) return known;
    refusePrunedState(begun.upTo, pruned);
    const tables = [...begun.ids.keys()];
    const later = yield* changedSince(bookId, begun.upTo, tables);
    const both = tables.map(
      (table) => [table, begun.ids.get(table)!.and(later.get(table)!)] as const,
    );
    return { upTo: current, ids: new Map(both) };
  }
}

/** Returns the rows of a table at the version. */
export type RowsOf = <T extends BookTable>(table: T) => EarlierRows<T>;

/** Returns a book as it was at a version, but for its name. */
export function* bookAt(bookId: number, rowsAt: RowsOf): Steps<Book> {
  const book = yield* bookOf(bookId);
  const [earlier] = yield* rowsAt(bookSettings).all();
  const present = yield* find(bookSettings, { book_id: bookId, number: 1 });
  const primaryCurrency = earlier?.primary_currency ?? present?.first_currency;
  return { ...book, primaryCurrency: primaryCurrency ?? book.primaryCurrency };
}

/** Rows of a table by the first column of their key. */
export interface Stretch {
  /** Of the stretch before. */
  readonly after: number;
  /** {@link noEnd} for the last stretch. */
  readonly upTo: number;
  /** The rows that existed at the version, and were changed or removed since. */
  readonly changed: readonly number[];
}

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

/** Returns the next stretch of a table: few enough rows for one short transaction. */
function* nextStretch(
  { name, key }: BookTable,
  bookId: number,
  { existing }: ChangedIds,
  after: number,
): Steps<Stretch> {
  const id = raw(key[0]!);
  const last = yield* rowAs(
    { id: integer },
    sql`SELECT DISTINCT ${id} AS id FROM ${raw(name)} WHERE book_id = ${bookId} AND ${id} > ${after}
      ORDER BY 1 LIMIT 1 OFFSET ${keysAtOnce - 1}`,
  );
  const start = placeOf(existing.length, (place) => existing[place]! <= after);
  const changed = [...existing.subarray(start, start + keysAtOnce)];
  // Both lists are complete up to this key.
  const upTo = Math.min(last?.id ?? noEnd, changed[keysAtOnce - 1] ?? noEnd);
  return { after, upTo, changed: changed.filter((each) => each <= upTo) };
}

/** Reads the rows of a stretch as they were at the version, in the order of their keys. */
export function* rowsOf(
  table: BookTable,
  bookId: number,
  { after, upTo, changed }: Stretch,
  at: RowsOf,
): Steps<readonly Values[]> {
  const id = raw(table.key[0]!);
  const earlier = at(table);
  const and = sql`${id} > ${after} AND ${id} <= ${upTo}`;
  const present = yield* select(table, { book_id: bookId }, { and });
  const isSame = (row: Values): boolean => !earlier.changed.has(row[table.key[0]!] as number);
  const rows: Values[] = [...present.filter(isSame), ...(yield* earlier.withIds(changed))];
  return rows.toSorted((one, other) => compareKeys(table, one, other));
}

/** Reads without the time limit of a read, because very much may have been changed since a version. */
export async function readLong<T>(engine: Engine, steps: () => Steps<T>): Promise<T> {
  const stream = engine.stream(function* (): Generator<Step | Emit<T>, void, unknown> {
    yield new Emit(yield* steps());
  });
  const [begun] = await Array.fromAsync(stream);
  return begun!;
}

function compareKeys({ key }: BookTable, one: Values, other: Values): number {
  for (const name of key) {
    const [a, b] = [one[name] as number | string, other[name] as number | string];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
