import sql from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import { context, dialectOf, insertMany } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { rowAs } from '../db/rows.ts';
import type { Where } from '../db/rows.ts';
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
import { deleteRows, insertRow, insertRows, updateEachRow, updateRows } from '../db/writes.ts';
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
function openColumns(table: BookTable): readonly string[] {
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

const lockedBook = {
  version: integer,
  changed_at: text,
  derived_version: integer,
  hidden_counts_version: integer,
  incomplete_until_ms: nullable(integer),
};

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
    sql`SELECT version, changed_at, derived_version, hidden_counts_version, incomplete_until_ms
      FROM books WHERE id = ${bookId} ${dialect.lockingRows}`,
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
  const kept = (stored: number) => (stored === book.version ? version : stored);
  const derived = {
    derived_version: kept(book.derived_version),
    hidden_counts_version: kept(book.hidden_counts_version),
  };
  yield* updateRows(books, { id: bookId }, { version, changed_at: at, ...derived });
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
