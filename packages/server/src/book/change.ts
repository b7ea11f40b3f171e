import sql, { join, raw, type Sql } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import { context, dialectOf, insertMany, type Steps } from '../db/engine.ts';
import { rowAs, type Where } from '../db/rows.ts';
import { given, integer, nullable, text } from '../db/table.ts';
import type {
  BookTable,
  NewRow,
  Row,
  RowUpdate,
  Values,
  DerivedChanges,
  DerivedFrom,
} from '../db/table.ts';
import { books } from '../db/tables/tables.ts';
import {
  castValue,
  deleteRows,
  deleteWhere,
  insertRow,
  insertRows,
  updateEachRow,
  updateRows,
  updateWhere,
} from '../db/writes.ts';
import { ChangeLog, openColumns } from './change-log.ts';

/** Who changes which book, and by which operation. */
export interface Cause {
  readonly bookId: number;
  /** Such as `token 12`, `command` or `connector kraken`. */
  readonly actor: string;
  /** The id of the operation, or the name of the command. */
  readonly operation: string;
  /** The version that the change undoes. */
  readonly undoes?: number;
}

/** The book does not exist, or no longer, or its import is under way. */
export class NoSuchBookError extends Error {
  override name = 'NoSuchBookError';
  constructor(bookId: number) {
    super(`There is no book ${bookId}`);
  }
}

/** The versions up to which derived tables are kept. */
const derivedVersions = {
  derived_version: integer,
  hidden_counts_version: integer,
  activity_version: integer,
  account_days_version: integer,
};
const lockedBook = {
  version: integer,
  changed_at: text,
  ...derivedVersions,
  incomplete_until_ms: nullable(integer),
};
const lockedColumns = raw(Object.keys(lockedBook).join(', '));

/**
 * Changes the records of one book as one version, and writes the change log.
 *
 * It locks the book's row first, so that changes of one book run one after another. Then it takes the time, which is at
 * least a millisecond after the previous change, whatever the clocks of other nodes say. So a client that has seen a
 * change finds every later change by its later time. Work that writes nothing leaves the version and the log unchanged.
 *
 * Must run in one write transaction of the engine. Throws {@link NoSuchBookError}.
 */
export function* changing<T>(cause: Cause, work: (change: Change) => Steps<T>): Steps<T> {
  const { bookId, actor, operation, undoes = null } = cause;
  const dialect = yield* dialectOf();
  const book = yield* rowAs(
    lockedBook,
    sql`SELECT ${lockedColumns} FROM books WHERE id = ${bookId} ${dialect.lockingRows}`,
  );
  const isWhole = book?.incomplete_until_ms === null;
  if (!isWhole) throw new NoSuchBookError(bookId);
  // Only after the lock is held: a change must not be older than the one that it waited for.
  const { nowMs } = yield* context();
  const at = laterOf(nowMs, book.changed_at);
  const change = new Change(bookId, book.version + 1, at);
  const result = yield* work(change);
  if (change.isEmpty) return result;
  yield* change.finish();
  const { version } = change;
  // If an older node has changed the book, the derived tables lack its change until they are filled again.
  const derived = Object.keys(derivedVersions).map((name) => {
    const stored = book[name as keyof typeof derivedVersions];
    return [name, stored === book.version ? version : stored];
  });
  const set = { version, changed_at: at, ...(Object.fromEntries(derived) as Values) };
  yield* updateRows(books, { id: bookId }, set);
  yield* insertMany(
    'changes',
    ['book_id', 'version', 'at', 'actor', 'operation', 'undoes'],
    [[bookId, version, at, actor, operation, undoes]],
  );
  return result;
}

/** The current time, but at least a millisecond after the previous change: ISO 8601 in UTC. */
function laterOf(nowMs: number, changedAt: string): string {
  return new Date(Math.max(Math.floor(nowMs), Date.parse(changedAt) + 1)).toISOString();
}

/** Records that one set statement writes: few enough for the time limit of a server. */
export const setSize = 10_000;

/** Options of {@link Change.update}. */
export interface UpdateOptions {
  /** Also writes rows of which no column differs: `updated_at` changes, and the book gets a new version. */
  readonly evenIfEqual?: boolean;
}

/** New values of columns of one record. */
export interface RecordUpdate<T extends BookTable> {
  readonly before: Row<T>;
  readonly values: RowUpdate<T>;
}

/**
 * One change of one book: the only way to write its records.
 *
 * Every write goes to the change log and updates the derived tables. `at` is later than every earlier change, and is
 * the time of everything that this change writes.
 */
export class Change {
  readonly bookId: number;
  /** The version of the book after this change. */
  readonly version: number;
  /** ISO 8601 in UTC with milliseconds. */
  readonly at: string;
  readonly #log: ChangeLog;
  readonly #derived = new Map<BookTable, readonly DerivedChanges[]>();

  /** The tables that it has written. */
  get tables(): readonly BookTable[] {
    return [...this.#derived.keys()];
  }

  constructor(bookId: number, version: number, at: string) {
    this.bookId = bookId;
    this.version = version;
    this.at = at;
    this.#log = new ChangeLog(bookId, version);
  }

  /** True while nothing was written. */
  get isEmpty(): boolean {
    return this.#log.isEmpty;
  }

  /** Inserts a record and returns it. Fills in its book, and its times if they are omitted. */
  *insert<T extends BookTable>(table: T, values: NewRow<T>): Steps<Row<T>> {
    const inserted = yield* insertRow(table, this.#filledIn(table, values));
    this.#noteMade(table, inserted);
    return inserted;
  }

  /** Inserts many records. All must have their keys and the same columns. */
  *insertAll<T extends BookTable>(table: T, all: readonly NewRow<T>[]): Steps<void> {
    const whole = all.map((values) => this.#filledIn(table, values));
    yield* insertRows(table, whole);
    for (const each of whole) this.#noteMade(table, each);
  }

  /**
   * Sets columns of a record, and its `updated_at`. Returns the updated record.
   *
   * By default nothing is written if no column differs.
   */
  *update<T extends BookTable>(
    table: T,
    before: Row<T>,
    values: RowUpdate<T>,
    options: UpdateOptions = {},
  ): Steps<Row<T>> {
    const [after] = yield* this.updateAll(table, [before], values, options);
    return after ?? before;
  }

  /** Sets the same columns of many records. Returns the updated records, without those that were not written. */
  *updateAll<T extends BookTable>(
    table: T,
    all: readonly Row<T>[],
    values: RowUpdate<T>,
    { evenIfEqual = false }: UpdateOptions = {},
  ): Steps<Row<T>[]> {
    const set: Record<string, unknown> = given(values);
    const changed = all.filter((row) => evenIfEqual || differs(row, set));
    if ('updated_at' in table.columns && !('updated_at' in set)) set['updated_at'] = this.at;
    yield* this.#inBlocks(table, changed, (where, ids) => updateRows(table, where, set, ids));
    const written = changed.map((row) => ({ ...row, ...set }));
    yield* this.#noteAllChanged(table, changed, written, set);
    return written;
  }

  /**
   * Sets columns of many records of a table with the key `id`, each record to its own values.
   *
   * All updates have the same columns. Writes records of which no column differs, too. Returns the updated records in
   * the order of the updates.
   */
  *updateEach<T extends BookTable>(table: T, updates: readonly RecordUpdate<T>[]): Steps<Row<T>[]> {
    const own = 'updated_at' in table.columns ? { updated_at: this.at } : {};
    const all = updates.map(({ before, values }) => ({
      before,
      set: { ...given(values), ...own },
    }));
    for (const block of blocksOf(all)) {
      const rows = block.map(({ before, set }) => ({ id: idOf(table, before), values: set }));
      yield* updateEachRow(table, this.bookId, rows);
    }
    const written = all.map(({ before, set }) => ({ ...before, ...set }));
    const befores = updates.map(({ before }) => before);
    yield* this.#noteAllChanged(table, befores, written, all[0]?.set ?? {});
    return written;
  }

  *remove<T extends BookTable>(table: T, row: Row<T>): Steps<void> {
    yield* this.removeAll(table, [row]);
  }

  /** Removes records. The log keeps their rows. */
  *removeAll<T extends BookTable>(table: T, all: readonly Row<T>[]): Steps<void> {
    for (const row of all) {
      this.#log.noteRemoved(table, row);
      this.#noteDerived(table, row, null);
      yield* this.#log.writeWhenMany();
    }
    // Derived tables may refer to the rows.
    yield* this.updateDerived();
    yield* this.#inBlocks(table, all, (where, ids) => deleteRows(table, where, ids));
  }

  /**
   * Sets the same columns of records of a table with the key `id`, and their `updated_at`, without reading them: as
   * {@link updateAll}, by set statements. The ids are ascending.
   */
  *updateSet<T extends BookTable>(
    table: T,
    ids: readonly number[],
    values: RowUpdate<T>,
  ): Steps<void> {
    const set: Record<string, unknown> = given(values);
    const differing = Object.entries(set).map(
      ([name, value]) => sql`${raw(name)} IS DISTINCT FROM ${castValue(table, name, value)}`,
    );
    if ('updated_at' in table.columns) set['updated_at'] ??= this.at;
    const changes = sql`AND (${join(differing, ' OR ')})`;
    yield* this.updateDerived();
    for (const some of blocksOf(ids, setSize)) {
      const rows = sql`${yield* this.#among(some)} ${changes}`;
      yield* this.#log.writeChanged(table, rows, set);
      yield* this.#noteSet(table, rows, -1, set);
      yield* this.#noteSet(table, rows, 1, set);
      yield* updateWhere(table, rows, set);
    }
  }

  /** Removes records of a table with the key `id`, as {@link removeAll}, by set statements. The ids are ascending. */
  *removeSet(table: BookTable, ids: readonly number[]): Steps<void> {
    yield* this.updateDerived();
    for (const some of blocksOf(ids, setSize)) {
      const rows = yield* this.#among(some);
      yield* this.#log.writeRemoved(table, rows);
      yield* this.#noteSet(table, rows, -1);
      yield* deleteWhere(table, rows);
    }
  }

  /** Writes the log and the derived tables. */
  *finish(): Steps<void> {
    yield* this.updateDerived();
    yield* this.#log.finish();
  }

  /** Updates the derived tables now, for statements that read them. */
  *updateDerived(): Steps<void> {
    for (const derived of this.#derived.values()) for (const each of derived) yield* each.apply();
  }

  #filledIn(table: BookTable, values: Values): Values {
    const filled: Record<string, unknown> = { ...values, book_id: this.bookId };
    if ('created_at' in table.columns) filled['created_at'] ??= this.at;
    if ('updated_at' in table.columns) filled['updated_at'] ??= this.at;
    return filled;
  }

  #noteMade(table: BookTable, row: Values): void {
    this.#log.noteMade(table, row);
    this.#noteDerived(table, null, row);
  }

  /** Notes rows of which only the columns of `set` may differ. */
  *#noteAllChanged(
    table: BookTable,
    befores: readonly Values[],
    afters: readonly Values[],
    set: Values,
  ): Steps<void> {
    const names = openColumns(table).filter((name) => name in set);
    for (const [index, before] of befores.entries()) {
      this.#log.noteChanged(table, before, afters[index]!, names);
      this.#noteDerived(table, before, afters[index]!);
      yield* this.#log.writeWhenMany();
    }
  }

  #noteDerived(table: BookTable, before: DerivedFrom, after: DerivedFrom): void {
    for (const each of this.#derivedOf(table)) each.note(before, after);
  }

  /** Notes rows of a set, with the columns of `set` if they are created. Without `set` all columns differ. */
  *#noteSet(table: BookTable, rows: Sql, sign: 1 | -1, set?: Values): Steps<void> {
    for (const [index, each] of this.#derivedOf(table).entries()) {
      const { reads } = table.derived[index]!;
      if (set !== undefined && !reads.some((name) => name in set)) continue;
      const columns = reads.map((name) =>
        set !== undefined && sign > 0 && name in set
          ? sql`${castValue(table, name, set[name])} AS ${raw(name)}`
          : raw(name),
      );
      yield* each.noteSet(
        sql`SELECT id, book_id, ${join(columns)} FROM ${raw(table.name)} WHERE ${rows}`,
        sign,
      );
    }
  }

  #derivedOf(table: BookTable): readonly DerivedChanges[] {
    let derived = this.#derived.get(table);
    if (derived === undefined) {
      derived = table.derived.map((each) => each.begin(this.bookId));
      this.#derived.set(table, derived);
    }
    return derived;
  }

  /** The condition that a row is one of some records of the book. */
  *#among(ids: readonly number[]): Steps<Sql> {
    const { isAmong } = yield* dialectOf();
    return sql`book_id = ${this.bookId} AND ${isAmong(sql`id`, ids)}`;
  }

  /** Writes rows in blocks, highest ids first. Tables whose key has more columns are written row by row. */
  *#inBlocks<T extends BookTable>(
    table: T,
    all: readonly Row<T>[],
    write: (where: Where<T>, ids?: readonly number[]) => Steps<void>,
  ): Steps<void> {
    const book = { book_id: this.bookId } as Where<T>;
    if (table.key.length > 1 || all.length === 1) {
      for (const row of all) yield* write({ ...book, ...keyOf(table, row) });
      return;
    }
    const ids = all.map((row) => idOf(table, row)).toSorted((a, b) => b - a);
    for (const block of blocksOf(ids)) yield* write(book, block);
  }
}

function differs(row: Values, set: Values): boolean {
  return Object.entries(set).some(([name, value]) => !isEqual(row[name], value));
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array)
    return Buffer.compare(one, other) === 0;
  return one === other;
}

/** The first column of the key, an integer. */
function idOf(table: BookTable, row: Values): number {
  return row[table.key[0]!] as number;
}

function keyOf<T extends BookTable>(table: T, row: Values): Where<T> {
  return Object.fromEntries(table.key.map((name) => [name, row[name]])) as Where<T>;
}
