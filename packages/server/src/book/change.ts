import { blocksOf } from '../db/blocks.ts';
import type { DerivedChanges, DerivedFrom } from '../db/derived.ts';
import type { Steps } from '../db/engine.ts';
import { given } from '../db/table.ts';
import type { BookTable, NewRow, Row, RowUpdate, Values } from '../db/table.ts';
import { deleteRows, insertRow, insertRows, updateEachRow, updateRows } from '../db/writes.ts';
import type { Where } from '../db/rows.ts';
import { ChangeLog, openColumns } from './log-writer.ts';

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
    yield* this.settle();
    yield* this.#inBlocks(table, all, (where, ids) => deleteRows(table, where, ids));
  }

  /** Writes the log and the derived tables. */
  *finish(): Steps<void> {
    yield* this.settle();
    yield* this.#log.finish();
  }

  /** Updates the derived tables now, for statements that read them. */
  *settle(): Steps<void> {
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
    let derived = this.#derived.get(table);
    if (derived === undefined) {
      derived = table.derived.map((each) => each.begin(this.bookId));
      this.#derived.set(table, derived);
    }
    for (const each of derived) each.note(before, after);
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
