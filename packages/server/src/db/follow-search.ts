import { kindOf } from './derived-counts.ts';
import { isDeepStrictEqual } from 'node:util';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { blocksOf, padded } from './blocks.ts';
import { dialectOf, insertMany, joined, run, type Engine, type Steps } from './engine.ts';
import { DerivedOutdatedError, fillDerived } from './fill-derived.ts';
import { rowAs, rowsAs, type Shaped } from './rows.ts';
import { blockRows, packBlock, rowsOfBlock, searchedWords } from './search-blocks.ts';
import type { SearchedRow } from './search-blocks.ts';
import { bytes, flag, integer, nullable, text } from './table.ts';

/** Changed rows that a search reads itself. */
const mostUnwritten = 2000;
/** Changed rows that are written to the blocks in one transaction; after more, a book is filled again. */
const mostFollowed = 250_000;
/** Rows of a transaction that fills a book. */
const filledAtOnce = 16 * 4096;
/** Rows in memory. */
const readAtOnce = 4 * blockRows;

/** How far the blocks of a book follow its changes. */
interface Progress {
  /** The version of the book. */
  readonly version: number;
  /** The version that the blocks have; 0 if they have none. */
  readonly written: number;
  /** The last id that they have while they are filled; null when they have all. */
  readonly filledId: number | null;
  /** Whether the log has all changes that they lack. */
  readonly isLogged: boolean;
}

/** Returns the progress of a book, undefined if there is no such book. `end` follows the statement. */
function* progressOf(bookId: number, end = empty): Steps<Progress | undefined> {
  const book = yield* rowAs(
    { version: integer, pruned_version: integer },
    sql`SELECT version, pruned_version FROM books WHERE id = ${bookId} ${end}`,
  );
  if (book === undefined) return undefined;
  const { version, pruned_version } = book;
  const progress = yield* rowAs(
    { version: integer, filled_id: nullable(integer) },
    sql`SELECT version, filled_id FROM search_progress WHERE book_id = ${bookId}`,
  );
  const { version: written, filled_id: filledId } = progress ?? { version: 0, filled_id: null };
  return { version, written, filledId, isLogged: pruned_version <= written };
}

/** What the blocks of a book lack. */
export interface Unwritten {
  /** The version of the book. */
  readonly version: number;
  /** The rows that may differ from those in the blocks. */
  readonly ids: ReadonlySet<number>;
  /** Those that still exist. */
  readonly rows: readonly SearchedRow[];
}

/**
 * Returns what the blocks of a book lack, from the change log.
 *
 * Throws a {@link DerivedOutdatedError} if it is much, or no longer in the log.
 */
export function* unwrittenOf(bookId: number): Steps<Unwritten> {
  const progress = yield* progressOf(bookId);
  if (progress === undefined) return { version: 0, ids: new Set(), rows: [] };
  // Every line counts, so that a search reads few of them.
  const ids = yield* unwrittenIds(bookId, progress, mostUnwritten, empty);
  if (ids === null) throw new DerivedOutdatedError(bookId);
  return { version: progress.version, ids: new Set(ids), rows: yield* searchedRows(bookId, ids) };
}

/** Returns the ids that changed since the blocks were written; null if they are too many, or it is unknown. */
function* unwrittenIds(
  bookId: number,
  { version, written, filledId, isLogged }: Progress,
  most: number,
  and = changesBlocks,
): Steps<number[] | null> {
  if (filledId !== null || !isLogged) return null;
  return written === version ? [] : yield* changedIds(bookId, written, most, and);
}

/**
 * Returns the ids of transactions that changed after a version, sorted; null if they are more than `most`. `and` is a
 * further condition on lines of the log.
 */
function* changedIds(
  bookId: number,
  after: number,
  most: number,
  and: Sql,
): Steps<number[] | null> {
  // The expression keeps engines from an index by record, which has the whole log.
  const ranges = yield* rowsAs(
    { first_id: integer, last_id: integer },
    sql`SELECT first_id, last_id FROM changed_records
      WHERE book_id = ${bookId} AND version > ${after} AND record || '' = 'transactions' ${and}
      ORDER BY version, place LIMIT ${most + 1}`,
  );
  const count = ranges.reduce((sum, { first_id, last_id }) => sum + last_id - first_id + 1, 0);
  if (count > most) return null;
  const ids = new Set<number>();
  for (const { first_id, last_id } of ranges)
    for (let id = first_id; id <= last_id; id += 1) ids.add(id);
  return [...ids].sort((a, b) => a - b);
}

const searchedColumns = {
  id: integer,
  date: text,
  amount: integer,
  to_base: integer,
  is_pending: flag,
  is_split_parent: flag,
  group_parent_id: nullable(integer),
  payee: text,
  notes: nullable(text),
};

const columnNames = raw(Object.keys(searchedColumns).join(', '));

/**
 * Of the log, what changes the blocks: a merge of categories changes nothing that they have. A value with such a name
 * in it is taken for one, which costs time only.
 */
const changesBlocks = sql`AND (kind <> 'changed' OR ${join(
  Object.keys(searchedColumns).map((name) => sql`diff LIKE ${`%"${name}"%`}`),
  ' OR ',
)})`;

/** Returns those of some transactions that exist, as search compares them. */
export function* searchedRows(bookId: number, ids: readonly number[]): Steps<SearchedRow[]> {
  const found: SearchedRow[] = [];
  for (const block of blocksOf(ids)) {
    const rows = yield* rowsAs(
      searchedColumns,
      sql`SELECT ${columnNames} FROM transactions WHERE book_id = ${bookId} AND id IN (${join(padded(block, block[0]!))})`,
    );
    for (const row of rows) {
      const { id, date, amount, to_base, payee, notes } = row;
      const words = searchedWords(payee, notes);
      found.push({ id, day: dayOf(date), kind: kindOf(row), amount, toBase: to_base, words });
    }
  }
  return found;
}

/** Returns a date as a number: 20241231. */
export function dayOf(date: string): number {
  return Number(date.replaceAll('-', ''));
}

/** Returns the books whose blocks lack changes. */
export function* unfollowedBooks(): Steps<number[]> {
  const found = yield* rowsAs(
    { id: integer },
    sql`SELECT b.id FROM books b LEFT JOIN search_progress p ON p.book_id = b.id
      WHERE p.version IS NULL OR p.version <> b.version OR p.filled_id IS NOT NULL ORDER BY b.id`,
  );
  return found.map(({ id }) => id);
}

/**
 * Writes changes of a book to its blocks: all that the log has, or the next part of the book if the log has too much or
 * too little. Returns whether there is more to write.
 */
export function* followBook(bookId: number): Steps<boolean> {
  const { lockingRows } = yield* dialectOf();
  const progress = yield* progressOf(bookId, lockingRows);
  if (progress === undefined) return false;
  const { version, written, filledId } = progress;
  if (filledId !== null) return yield* fillPart(bookId, written, filledId);
  if (written === version) return false;
  const ids = yield* unwrittenIds(bookId, progress, mostFollowed);
  if (ids === null) {
    yield* run(sql`DELETE FROM search_blocks WHERE book_id = ${bookId}`);
    return yield* fillPart(bookId, version, 0);
  }
  yield* writeRows(bookId, ids);
  yield* noteProgress(bookId, version, null);
  return false;
}

/** Writes changes of a book to its blocks until there are none, in one transaction after the other. */
export async function followAll(engine: Engine, bookId: number): Promise<void> {
  while (await engine.write(() => followBook(bookId)));
}

/** Fills the blocks of a book again, in the open transaction. */
export function* fillAgain(bookId: number): Steps<void> {
  yield* run(sql`DELETE FROM search_blocks WHERE book_id = ${bookId}`);
  // Filled from the rows, because the log may lack what the blocks lack.
  const progress = yield* progressOf(bookId);
  yield* noteProgress(bookId, progress?.version ?? 0, 0);
  while (yield* followBook(bookId));
}

/**
 * Returns the ids of transactions that the blocks of a book do not have as they are, besides those that changed since.
 * None for a book whose blocks are not filled yet.
 */
export function* wrongInSearch(bookId: number): Steps<number[]> {
  const progress = yield* progressOf(bookId);
  if (progress === undefined || progress.written === 0) return [];
  const changed = yield* unwrittenIds(bookId, progress, mostFollowed);
  if (changed === null) return [];
  const ids = yield* idsAfter(bookId, 0, Number.MAX_SAFE_INTEGER);
  const skipped = new Set(changed);
  const wrong: number[] = [];
  for (let [from, after] = [0, -1]; ;) {
    const block = yield* rowAs(
      { ...stored, first_day: integer, last_day: integer },
      sql`SELECT first_id, first_day, last_day, words, block FROM search_blocks
        WHERE book_id = ${bookId} AND first_id > ${after} ORDER BY first_id LIMIT 1`,
    );
    if (block === undefined) break;
    const { next } = yield* blockOf(bookId, block.first_id);
    const end = placeOf(ids, next, from);
    const rows = yield* searchedRows(bookId, ids.slice(from, end));
    wrong.push(...differences(soundRows(block), rows));
    [from, after] = [end, block.first_id];
    if (next === Infinity) return wrong.filter((id) => !skipped.has(id));
  }
  return ids.filter((id) => !skipped.has(id));
}

/** Returns the rows of a block; none if it is damaged, or not where it belongs. */
function soundRows(block: StoredBlock & DayRange): readonly SearchedRow[] {
  try {
    const rows = rowsOfBlock(block);
    const { first_day, last_day } = daysOf(rows);
    const isInPlace = rows.every(({ id }) => id >= block.first_id);
    return isInPlace && first_day === block.first_day && last_day === block.last_day ? rows : [];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** The place, from `from`, of the first of some sorted ids that is at least `id`. */
function placeOf(ids: readonly number[], id: number, from: number): number {
  let place = from;
  while (place < ids.length && ids[place]! < id) place += 1;
  return place;
}

/** Returns the ids of rows that differ in two lists, or are in one only. */
function differences(some: readonly SearchedRow[], others: readonly SearchedRow[]): number[] {
  const [byId, otherById] = [some, others].map(
    (rows) => new Map(rows.map((row) => [row.id, { ...row, words: new Set(row.words) }])),
  );
  return [...new Set([...byId!.keys(), ...otherById!.keys()])].filter(
    (id) => !isDeepStrictEqual(byId!.get(id), otherById!.get(id)),
  );
}

/** Fills the blocks with the rows after an id. They have the version at which this began, and what follows from it. */
function* fillPart(bookId: number, version: number, after: number): Steps<boolean> {
  const ids = yield* idsAfter(bookId, after, filledAtOnce);
  yield* writeRows(bookId, ids);
  const isLast = ids.length < filledAtOnce;
  yield* noteProgress(bookId, version, isLast ? null : ids.at(-1)!);
  return true;
}

/** Returns the first ids of transactions after an id, sorted. */
function* idsAfter(bookId: number, after: number, most: number): Steps<number[]> {
  const { withIndex } = yield* dialectOf();
  const found = yield* joined(sql`SELECT CAST(t.id AS TEXT) AS json
    FROM transactions t ${withIndex('transactions_by_date')}
    WHERE t.book_id = ${bookId} AND t.id > ${after} ORDER BY t.id LIMIT ${most}`);
  return [...numbersIn(found)];
}

/** Returns the whole numbers in a text with commas between them. */
export function numbersIn(text: Buffer): Float64Array {
  const numbers = new Float64Array(text.length === 0 ? 0 : text.length / 2 + 1);
  let [count, number, sign] = [0, 0, 1];
  for (const digit of text) {
    if (digit === comma) {
      numbers[count] = sign * number;
      [count, number, sign] = [count + 1, 0, 1];
    } else if (digit === minus) sign = -1;
    else number = 10 * number + digit - zero;
  }
  numbers[count] = sign * number;
  return numbers.subarray(0, text.length === 0 ? 0 : count + 1);
}

const [comma, minus, zero] = [0x2c, 0x2d, 0x30];

function* noteProgress(bookId: number, version: number, filledId: number | null): Steps<void> {
  yield* run(sql`INSERT INTO search_progress (book_id, version, filled_id) VALUES (${bookId}, ${version}, ${filledId})
    ON CONFLICT (book_id) DO UPDATE SET version = excluded.version, filled_id = excluded.filled_id`);
}

/** Writes rows to the blocks, as they are now. `ids` are sorted. */
function* writeRows(bookId: number, ids: readonly number[]): Steps<void> {
  for (let at = 0; at < ids.length; at += readAtOnce) {
    const part = ids.slice(at, at + readAtOnce);
    const rows = new Map((yield* searchedRows(bookId, part)).map((row) => [row.id, row]));
    for (let first = 0; first < part.length;) {
      const { block, next } = yield* blockOf(bookId, part[first]!);
      const beyond = part.findIndex((id, place) => place > first && id >= next);
      const end = beyond === -1 ? part.length : beyond;
      yield* rewrite(bookId, block, {
        ids: part.slice(first, end),
        rows,
        isLast: next === Infinity,
      });
      first = end;
    }
  }
}

const stored = { first_id: integer, words: bytes, block: bytes };
type StoredBlock = Shaped<typeof stored>;

/** Returns the block that has an id, or gets it, and the first id that a later block has. */
function* blockOf(
  bookId: number,
  id: number,
): Steps<{ readonly block: StoredBlock | undefined; readonly next: number }> {
  const block = yield* rowAs(
    stored,
    sql`SELECT first_id, words, block FROM search_blocks WHERE book_id = ${bookId} AND first_id <= ${id}
      ORDER BY first_id DESC LIMIT 1`,
  );
  const later = yield* rowAs(
    { next: nullable(integer) },
    sql`SELECT min(first_id) AS next FROM search_blocks WHERE book_id = ${bookId} AND first_id > ${id}`,
  );
  return { block, next: later?.next ?? Infinity };
}

/** Rows to write: some ids, and the rows of those that exist. */
interface Written {
  readonly ids: readonly number[];
  readonly rows: ReadonlyMap<number, SearchedRow>;
  /** Whether no block follows. */
  readonly isLast: boolean;
}

function* rewrite(
  bookId: number,
  block: StoredBlock | undefined,
  { ids, rows, isLast }: Written,
): Steps<void> {
  const added = ids.flatMap((id) => rows.get(id) ?? []);
  const old = block === undefined ? [] : rowsOfBlock(block);
  const isAppended = old.length === blockRows && old.at(-1)!.id < ids[0]!;
  if (isAppended) return yield* insertBlocks(bookId, null, added, blockRows);
  const changed = new Set(ids);
  const { kept = [], replaced = [] } = Object.groupBy(old, ({ id }) =>
    changed.has(id) ? 'replaced' : 'kept',
  );
  // An undo brings rows back as they were.
  if (differences(replaced, added).length === 0) return;
  const all = [...kept, ...added].sort((a, b) => a.id - b.id);
  if (block !== undefined)
    yield* run(
      sql`DELETE FROM search_blocks WHERE book_id = ${bookId} AND first_id = ${block.first_id}`,
    );
  // In the middle, parts of equal size have room for more.
  const size = isLast ? blockRows : Math.ceil(all.length / Math.ceil(all.length / blockRows));
  yield* insertBlocks(bookId, block?.first_id ?? null, all, size);
}

const blockColumns = ['book_id', 'first_id', 'first_day', 'last_day', 'words', 'block'];

/** Inserts rows in blocks of some size. The first block begins with a given id, or with that of its first row. */
function* insertBlocks(
  bookId: number,
  firstId: number | null,
  rows: readonly SearchedRow[],
  size: number,
): Steps<void> {
  const blocks: unknown[][] = [];
  for (let at = 0; at < rows.length; at += size) {
    const part = rows.slice(at, at + size);
    const { first_day, last_day } = daysOf(part);
    const key = at === 0 ? (firstId ?? part[0]!.id) : part[0]!.id;
    const { words, block } = packBlock(part);
    blocks.push([bookId, key, first_day, last_day, words, block]);
  }
  yield* insertMany('search_blocks', blockColumns, blocks);
}

/** Attempts to fill the tables, in case others write in between. */
const attempts = 5;

/** Runs work that may throw a {@link DerivedOutdatedError}, and fills the tables first when it does. */
export async function withDerived<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DerivedOutdatedError) || attempt === attempts) throw error;
      await engine.write(() => fillDerived(error.bookId));
      await followAll(engine, error.bookId);
    }
  }
}

/** The first and the last day of the rows of a block. */
interface DayRange {
  readonly first_day: number;
  readonly last_day: number;
}

function daysOf(rows: readonly SearchedRow[]): DayRange {
  let [first_day, last_day] = [Infinity, -Infinity];
  for (const { day } of rows) {
    if (day < first_day) first_day = day;
    if (day > last_day) last_day = day;
  }
  return { first_day, last_day };
}
