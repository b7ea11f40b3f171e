import sql, { type Sql } from 'sql-template-tag';
import { dialectOf, Emit, rows, type Engine, type Step, type Steps } from '../../../db/engine.ts';
import { rowAs } from '../../../db/rows.ts';
import { integer } from '../../../db/table.ts';
import { filterName } from '../../../pages/filter.ts';
import type { TransactionPage, TransactionQuery, RowKey } from '../../../pages/filter.ts';
import { selectKeys, usualPath } from '../../../pages/paths.ts';
import { getTransaction, listTransactions } from '../../../pages/pages.ts';
import type { RememberedKeys } from '../../../pages/remembered-keys.ts';
import { openEarlier, rebuildRows, wholeRow, isBefore } from './earlier-book.ts';
import type { EarlierBook, RebuiltRows } from './earlier-book.ts';
import { renderEarlier } from './render.ts';
import type { AsOf } from './version.ts';

/** Present rows that are read at once. */
const mostRead = 10_000;
/** Ranges of newer rows that the engine skips; smaller ones are skipped here. */
const mostRanges = 8;
const smallRange = 1000;

/** A list as it was at a version, ready to be read in pages. */
interface EarlierList extends RebuiltRows {
  readonly book: EarlierBook;
  readonly categories: readonly number[] | null;
}

/** The lists that were read last. A walk through all pages rebuilds rows once. */
const recent = new WeakMap<RememberedKeys, Map<string, EarlierList>>();
const mostRecent = 2;

/** Returns a page of a list as it was at a version, byte for byte. The log must have every later change. */
export function* listEarlier(
  bookId: number,
  query: TransactionQuery,
  { version, current }: AsOf,
  remembered: RememberedKeys,
): Steps<TransactionPage> {
  if (version === current) return yield* listTransactions(bookId, query, remembered);
  const name = nameOf(bookId, query, { version, current });
  const list = yield* findList(bookId, query, version, name, remembered);
  if (isPresent(query, list.book)) return yield* listTransactions(bookId, query, remembered);
  const after = remembered.find(name, query.offset);
  const keys = yield* readKeys(list, query, after);
  const page = keys.slice(0, query.limit);
  const last = page.at(-1);
  if (last !== undefined && page.length === query.limit)
    remembered.remember(name, query.offset + query.limit, last);
  const ids = page.map(({ id }) => id);
  const json = yield* renderEarlier(list.book, ids, query, list.children);
  return { json, hasMore: keys.length > query.limit };
}

/** A read on PostgreSQL has a time limit, which is enough for this many lines of the log. */
const mostLines = 10_000;

/** Reads what the pages of a list need, without the time limit of reads, if very much was changed since. */
export async function prepareEarlier(
  engine: Engine,
  bookId: number,
  query: TransactionQuery,
  { version, current }: AsOf,
  remembered: RememberedKeys,
): Promise<void> {
  const name = nameOf(bookId, query, { version, current });
  if (version === current || recent.get(remembered)?.has(name) === true) return;
  const lines = await engine.readStatement(() => countLines(bookId, version));
  if (lines < mostLines) return;
  const steps = function* (): Generator<Step | Emit<EarlierList>, void, unknown> {
    yield new Emit(yield* findList(bookId, query, version, name, remembered));
  };
  await Array.fromAsync(engine.stream(steps));
}

/** Returns the number of lines of the log after a version, at most {@link mostLines}. */
function* countLines(bookId: number, version: number): Steps<number> {
  const found = yield* rowAs(
    { lines: integer },
    sql`SELECT count(*) AS lines FROM (
      SELECT 1 FROM changed_records WHERE book_id = ${bookId} AND version > ${version} LIMIT ${mostLines}) later`,
  );
  return found!.lines;
}

function nameOf(bookId: number, query: TransactionQuery, { version, current }: AsOf): string {
  return `${bookId} ${version} of ${current} ${filterName(query)}`;
}

/**
 * Returns the JSON of one transaction as it was at a version, with everything that can be included; null if the book
 * did not have it. The log must have every change after the version.
 */
export function* getEarlier(
  bookId: number,
  id: number,
  { version, current }: AsOf,
): Steps<Buffer | null> {
  if (version === current) return yield* getTransaction(bookId, id);
  const book = yield* openEarlier(bookId, version);
  const { changed } = book.transactions;
  if (changed.isEmpty && book.files.changed.isEmpty) return yield* getTransaction(bookId, id);
  const [row] = yield* book.transactions.withIds([id]);
  if (row === undefined) return null;
  const isParent = row.is_split_parent || row.is_group_parent;
  const children = isParent ? (yield* rebuildRows(book, wholeRow, null)).children : [];
  return yield* renderEarlier(book, [id], wholeRow, children);
}

function* findList(
  bookId: number,
  query: TransactionQuery,
  version: number,
  name: string,
  remembered: RememberedKeys,
): Steps<EarlierList> {
  const lists = recent.get(remembered) ?? new Map<string, EarlierList>();
  recent.set(remembered, lists);
  const list = lists.get(name) ?? (yield* openList(bookId, query, version));
  lists.delete(name);
  lists.set(name, list);
  const [oldest] = lists.keys();
  if (lists.size > mostRecent) lists.delete(oldest!);
  return list;
}

function* openList(bookId: number, query: TransactionQuery, version: number): Steps<EarlierList> {
  const book = yield* openEarlier(bookId, version);
  const categories = yield* categoriesOf(book, query.category_id);
  return { book, categories, ...(yield* rebuildRows(book, query, categories)) };
}

/** As for a present list, with the members that a group had then. */
function* categoriesOf(book: EarlierBook, categoryId?: number): Steps<number[] | null> {
  if (categoryId === undefined || categoryId === 0) return null;
  const all = yield* book.categories.all();
  const members = all.filter(({ group_id }) => group_id === categoryId);
  return [categoryId, ...members.map(({ id }) => id)];
}

/** Whether nothing that a list shows was changed since. */
function isPresent(query: TransactionQuery, { transactions, files, categories }: EarlierBook) {
  return (
    transactions.changed.isEmpty &&
    (files.changed.isEmpty || !query.include_files) &&
    (categories.changed.isEmpty || query.category_id === undefined)
  );
}

/** Returns the keys of a page and of the row after it: present rows that are as they were, and rebuilt rows. */
function* readKeys(
  { book, categories, keys }: EarlierList,
  query: TransactionQuery,
  after: RowKey | null,
): Steps<RowKey[]> {
  const present = new PresentKeys(book, query, categories, after);
  const found: RowKey[] = [];
  let place = after === null ? 0 : keys.placeAfter(after);
  let skip = after === null ? query.offset : 0;
  let next: RowKey | undefined;
  while (found.length <= query.limit) {
    const rebuilt = keys.at(place);
    next ??= yield* present.next(skip + query.limit + 1 - found.length, rebuilt);
    if (next === undefined && rebuilt === undefined) break;
    const isRebuilt = next === undefined || (rebuilt !== undefined && isBefore(rebuilt, next));
    if (skip > 0) skip -= 1;
    else found.push(isRebuilt ? rebuilt! : next!);
    if (isRebuilt) place += 1;
    else next = undefined;
  }
  return found;
}

/** The keys of present rows that a query lists and that were not changed since, in their order. */
class PresentKeys {
  readonly #book: EarlierBook;
  readonly #query: TransactionQuery;
  readonly #categories: readonly number[] | null;
  readonly #newer: readonly Sql[];
  #last: RowKey | null;
  #read: RowKey[] = [];
  #place = 0;
  #isEnd = false;

  constructor(
    book: EarlierBook,
    query: TransactionQuery,
    categories: readonly number[] | null,
    after: RowKey | null,
  ) {
    this.#book = book;
    this.#query = query;
    this.#categories = categories;
    this.#last = after;
    this.#newer = largestRanges(book);
  }

  /** Returns the next key; undefined if there is surely none before `bound`. Reads about `wanted` keys at once. */
  *next(wanted: number, bound: RowKey | undefined): Steps<RowKey | undefined> {
    const { changed } = this.#book.transactions;
    for (;;) {
      for (; this.#place < this.#read.length; this.#place += 1) {
        const key = this.#read[this.#place]!;
        const isChanged = changed.has(key.id);
        if (isChanged && (bound === undefined || isBefore(key, bound))) continue;
        if (isChanged) return undefined;
        this.#place += 1;
        return key;
      }
      if (this.#isEnd) return undefined;
      yield* this.#readMore(Math.min(Math.max(wanted, smallRange), mostRead));
    }
  }

  *#readMore(limit: number): Steps<void> {
    const filter = { query: this.#query, categories: this.#categories };
    const from = { after: this.#last, more: this.#newer };
    const path = usualPath(filter);
    const keys = selectKeys(this.#book.bookId, filter, path, from, yield* dialectOf());
    this.#read = yield* rows<RowKey>(sql`${keys} LIMIT ${limit}`);
    this.#place = 0;
    this.#isEnd = this.#read.length < limit;
    this.#last = this.#read.at(-1) ?? this.#last;
  }
}

/** Conditions for the largest ranges of rows that were created since, such as large imports. */
function largestRanges({ transactions }: EarlierBook): Sql[] {
  const sizeOf = ({ firstId, lastId }: { firstId: number; lastId: number }) => lastId - firstId;
  return transactions.changed.made
    .filter((range) => sizeOf(range) >= smallRange)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .slice(0, mostRanges)
    .map(({ firstId, lastId }) => sql`NOT (t.id BETWEEN ${firstId} AND ${lastId})`);
}
