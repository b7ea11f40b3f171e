import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { blocksOf, padded } from '../db/blocks.ts';
import { dialectOf, joined, row, rows, type Steps, type Engine } from '../db/engine.ts';
import { findPageStart, isAlwaysCounted, startInCategories } from './counts.ts';
import type { CountedList, PageStart, PeriodRanks, Counts } from './counts.ts';
import {
  dateRange,
  filterName,
  isCounted,
  showsListed,
  shownKinds,
  visibilityConditions,
} from './filter.ts';
import { selectKeys, bestPath, type FilterOf } from './paths.ts';
import type { RowKey, TransactionPage, TransactionQuery } from './filter.ts';
import type { BoundedCache, RememberedKeys } from './remembered-keys.ts';

const comma = Buffer.from(',');

/**
 * Returns the JSON of transactions of a book with everything that can be included, in the order of the ids: elements
 * with commas between them, in pieces. An id may be repeated; all must exist.
 */
export function* getTransactions(bookId: number, ids: readonly number[]): Steps<Buffer[]> {
  const pieces: Buffer[] = [];
  for (const block of blocksOf(ids)) {
    const json = yield* elementsOf(bookId, block, whole);
    pieces.push(...(pieces.length > 0 ? [comma] : []), json);
  }
  return pieces;
}

/** Returns the JSON of transactions in the order of the ids, with commas between them, by one statement. */
export function* elementsOf(
  bookId: number,
  ids: readonly number[],
  included: Included,
): Steps<Buffer> {
  const wanted = padded(ids, 0).map(
    (id, place) => sql`(CAST(${place} AS BIGINT), CAST(${id} AS BIGINT))`,
  );
  const { valueOfEach } = yield* dialectOf();
  const ofEach = { of: sql`wanted w`, value: element(included), where: withId(bookId) };
  return yield* joined(sql`WITH wanted (place, id) AS (VALUES ${join(wanted)})
    ${valueOfEach(ofEach)} WHERE w.place < ${ids.length} ORDER BY w.place`);
}

/** A list of ids, or a join, would read the whole book where PostgreSQL has no statistics yet. */
function withId(bookId: number): Sql {
  return sql`t.book_id = ${bookId} AND t.id = w.id`;
}

/** Returns the JSON of at most a block of transactions, those that exist, with metadata but no files and children. */
export function* ownTransactions(
  bookId: number,
  ids: readonly number[],
): Steps<{ readonly id: number; readonly json: string }[]> {
  const wanted = padded(ids, 0).map((id) => sql`(CAST(${id} AS BIGINT))`);
  const { valueOfEach } = yield* dialectOf();
  const ofEach = { of: sql`wanted w`, value: ownElement(), where: withId(bookId) };
  const found = yield* rows<{ readonly json: string | null }>(
    sql`WITH wanted (id) AS (VALUES ${join(wanted)}) ${valueOfEach(ofEach)}`,
  );
  return found.flatMap(({ json }) => (json === null ? [] : [joinedParts(json)]));
}

/** Returns the lines of {@link ownElement} as one object: the closing brace comes last. No line has line breaks. */
function joinedParts(json: string): { readonly id: number; readonly json: string } {
  const end = json.indexOf('\n');
  const next = json.indexOf('\n', end + 1);
  const id = Number(json.slice(0, end));
  return { id, json: `${json.slice(end + 1, next - 1)}${json.slice(next + 1)}}` };
}

const nothing = Buffer.alloc(0);

/** What identifies one state of a book: its version, in a database with this random id. */
export interface BookState {
  readonly databaseId: string;
  readonly bookId: number;
  readonly version: number;
}

/** Reads one page in a transaction: by the counts if they cover the query, otherwise by an index of the filter. */
export function* listTransactions(
  bookId: number,
  query: TransactionQuery,
  remembered: RememberedKeys,
): Steps<TransactionPage> {
  if (isCounted(query)) {
    const list = countedList(bookId, query);
    const start = yield* findPageStart(list, query.offset, new Map());
    if (start !== null) return yield* countedPage(bookId, query, start);
    if (isAlwaysCounted(list))
      throw new Error(
        `The day counts of book ${bookId} do not add up to the month counts: run "coffer doctor --repair"`,
      );
  }
  const { remember, ...page } = yield* filteredPage(yield* stateOf(bookId), query, remembered);
  remember();
  return page;
}

/** Returns what a query that {@link isCounted} lists. */
function countedList(bookId: number, query: TransactionQuery): CountedList {
  const { status } = query;
  return { bookId, kinds: shownKinds(query), status, range: dateRange(query) };
}

/** Reads a page from its start. `guard`: conditions without which it is empty. */
function* countedPage(
  bookId: number,
  query: TransactionQuery,
  start: PageStart,
  guard: Sql = empty,
): Steps<TransactionPage> {
  if (start.date === null) return { json: nothing, hasMore: false };
  const { limit, offset } = query;
  // Otherwise the last page would also read the hidden rows before it.
  const left = Math.min(limit, start.total - offset);
  const since = { ...query, end_date: start.date };
  const json = yield* joined(
    sql`${selectRows(bookId, since, guard)} LIMIT ${left} OFFSET ${start.skip}`,
  );
  return { json, hasMore: offset + limit < start.total };
}

/** Returns a SELECT of the JSON of the rows that a query lists which {@link isCounted}, newest first. */
export function selectRows(bookId: number, query: TransactionQuery, guard: Sql = empty): Sql {
  const { start_date, end_date } = dateRange(query);
  const conditions = [
    sql`t.book_id = ${bookId}`,
    ...(query.status === undefined ? [] : [sql`t.status = ${query.status}`]),
    ...shownConditions(query),
    sql`t.date <= ${end_date}`,
    sql`t.date >= ${start_date}`,
  ];
  return sql`SELECT ${element(query)} AS json FROM transactions t WHERE ${join(conditions, ' AND ')} ${guard}
    ORDER BY t.date DESC, t.id DESC`;
}

/** Conditions for the rows to show. `listed` is in the index, so SQLite does not read the listed rows that it skips. */
function shownConditions(query: TransactionQuery): Sql[] {
  const shown = visibilityConditions(query);
  if (shown.length === 0 || showsListed(query) || query.is_pending === true) return shown;
  return [sql`(t.listed = 1 OR (${join(shown, ' AND ')}))`];
}

/** A page of a filtered list. `remember` makes the next page faster; only if the page is of the state. */
interface FilteredPage extends TransactionPage {
  readonly remember: () => void;
}

/** Rows that are skipped in one statement of their own, so that the statements after it need not skip them again. */
const longSkip = 1000;

/** Reads a page by an index of the filter. `guard`: conditions without which it is empty. */
function* filteredPage(
  state: BookState,
  query: TransactionQuery,
  remembered: RememberedKeys,
  guard: readonly Sql[] = [],
): Steps<FilteredPage> {
  const { databaseId, bookId, version } = state;
  const { offset, limit } = query;
  const filter = { query, categories: yield* categoriesOf(bookId, query.category_id) };
  const list = `${databaseId} ${bookId} ${version} ${filterName(query)}`;
  const path = remembered.paths.find(list) ?? (yield* bestPath(bookId, filter));
  const empty = { json: nothing, hasMore: false };
  if (path.isEmpty) return { ...empty, remember: () => remembered.paths.remember(list, path) };
  const dialect = yield* dialectOf();
  let after = remembered.find(list, offset);
  const start = after === null ? yield* startOf(bookId, filter, offset) : { query, skip: 0 };
  const from = { ...filter, query: start.query };
  const keysAfter = (after: RowKey | null): Sql =>
    selectKeys(bookId, from, path, { after, more: guard }, dialect);
  let { skip } = start;
  if (skip >= longSkip && path.isInOrder) {
    after = (yield* row<RowKey>(sql`${keysAfter(null)} LIMIT 1 OFFSET ${skip - 1}`)) ?? null;
    if (after === null) return { ...empty, remember: () => undefined };
    skip = 0;
  }
  const keys = keysAfter(after);
  const [last, next] = yield* rows<RowKey>(sql`${keys} LIMIT 2 OFFSET ${skip + limit - 1}`);
  const json = yield* joined(sql`
    SELECT (SELECT ${element(query)} FROM transactions t WHERE t.book_id = ${bookId} AND t.id = p.id) AS json
    FROM (${keys} LIMIT ${limit} OFFSET ${skip}) p`);
  const remember = (): void => {
    remembered.paths.remember(list, path);
    if (last !== undefined) remembered.remember(list, offset + limit, last);
  };
  return { json, hasMore: next !== undefined, remember };
}

/** Returns a query that begins near its page, and how many of its rows precede the page. */
function* startOf(
  bookId: number,
  { query, categories }: FilterOf,
  offset: number,
): Steps<{ readonly query: TransactionQuery; readonly skip: number }> {
  const { end_date } = dateRange(query);
  const isByMonth = offset >= longSkip && isOfCategory(query) && end_date.endsWith('-31');
  const start = isByMonth
    ? yield* startInCategories(bookId, categories ?? [0], end_date.slice(0, 7), offset)
    : null;
  return start === null
    ? { query, skip: offset }
    : { query: { ...query, end_date: start.end_date }, skip: start.skip };
}

/** Whether a query lists all usual rows of a category, in a range of dates. */
function isOfCategory({ category_id, ...query }: TransactionQuery): boolean {
  return (
    category_id !== undefined &&
    query.status === undefined &&
    isCounted(query) &&
    showsListed(query)
  );
}

/** Returns the present state of a book. */
export function* stateOf(bookId: number): Steps<BookState> {
  const found = yield* row<{ version: number; id: string }>(sql`
    SELECT version, (SELECT value FROM database_identity WHERE name = 'id') AS id FROM books WHERE id = ${bookId}`);
  return { databaseId: found?.id ?? '', bookId, version: found?.version ?? 0 };
}

/** Returns the categories of a category filter: a group includes its members. Null if there is no such filter. */
function* categoriesOf(bookId: number, categoryId?: number): Steps<number[] | null> {
  if (categoryId === undefined || categoryId === 0) return null;
  const members = yield* rows<{ id: number }>(sql`
    SELECT id FROM categories WHERE book_id = ${bookId} AND group_id = ${categoryId} ORDER BY id`);
  return [categoryId, ...members.map((member) => member.id)];
}

/** Returns the JSON of one transaction with everything that can be included, or null. */
export function* getTransaction(bookId: number, id: number): Steps<Buffer | null> {
  const dialect = yield* dialectOf();
  const found = yield* row<{ json: Buffer }>(sql`
    SELECT ${dialect.bytes(wholeElement())} AS json FROM transactions t
    WHERE t.id = ${id} AND t.book_id = ${bookId}`);
  return found?.json ?? null;
}

const whole: Included = { include_metadata: true, include_files: true, include_children: true };

/** Returns the expression for the JSON of row `t` with everything that can be included. */
function wholeElement(): Sql {
  return element(whole);
}

/** Returns the expression for three lines about row `t`: its id, and those of {@link withMetadataBehind}. */
function ownElement(): Sql {
  return sql`t.id || '\n' || ${withMetadataBehind()}`;
}

/**
 * Returns the expression for two lines about row `t`: the stored JSON, and the keys of its metadata that belong before
 * its closing brace. To insert them here, PostgreSQL would count the characters of the JSON twice.
 */
export function withMetadataBehind(): Sql {
  return sql`t.json || '\n' || ${metadata('t')}`;
}

/** What a list includes besides the columns of each row. */
export interface Included {
  readonly include_metadata: boolean;
  readonly include_files: boolean;
  readonly include_children: boolean;
}

/** The relations that rows come from: tables, or others of a statement. */
export interface PageSource {
  readonly transactions: string;
  readonly files: string;
}

const tables: PageSource = { transactions: 'transactions', files: 'transaction_files' };

/** The JSON of row `t`: the stored JSON, with the requested keys inserted before its closing brace. */
export function element(included: Included, source: PageSource = tables): Sql {
  const extra = [...own('t', included, source)];
  if (included.include_children) extra.push(children(included, source));
  return withKeys('t', extra);
}

function withKeys(alias: string, extra: readonly Sql[]): Sql {
  const json = raw(`${alias}.json`);
  if (extra.length === 0) return json;
  return sql`substr(${json}, 1, length(${json}) - 1) || ${join(extra, ' || ')} || '}'`;
}

function own(alias: string, included: Included, source: PageSource): Sql[] {
  const extra: Sql[] = [];
  if (included.include_metadata) extra.push(metadata(alias));
  if (included.include_files) extra.push(files(alias, source));
  return extra;
}

function metadata(alias: string): Sql {
  return raw(`',"plaid_metadata":' || coalesce(${alias}.plaid_metadata, 'null') ||
    ',"custom_metadata":' || coalesce(${alias}.custom_metadata, 'null')`);
}

function files(alias: string, source: PageSource): Sql {
  return raw(`',"files":[' || coalesce((SELECT string_agg(json, ',') FROM (
    SELECT '{"id":' || id || ',"uploaded_by":' || uploaded_by || ',"name":' || json_quote(name)
      || ',"type":' || json_quote(type) || ',"size":' || size || ',"notes":' || json_quote(notes)
      || ',"created_at":' || json_quote(created_at) || '}' AS json
    FROM ${source.files} WHERE book_id = ${alias}.book_id AND transaction_id = ${alias}.id
    ORDER BY id) files), '') || ']'`);
}

/** The key `children` of group and split parents, ordered by id. Other rows do not get it. */
function children(included: Included, source: PageSource): Sql {
  const child = withKeys('c', own('c', included, source));
  const from = raw(source.transactions);
  return sql`CASE WHEN t.is_group_parent = 1 OR t.is_split_parent = 1 THEN ',"children":[' || coalesce(
    (SELECT string_agg(json, ',') FROM (
      SELECT id, ${child} AS json FROM ${from} c
        WHERE t.is_group_parent = 1 AND c.book_id = t.book_id AND c.group_parent_id = t.id
      UNION ALL
      SELECT id, ${child} AS json FROM ${from} c
        WHERE t.is_split_parent = 1 AND c.book_id = t.book_id AND c.split_parent_id = t.id
      ORDER BY id) children), '') || ']' ELSE '' END`;
}

/**
 * Reads one page of a book whose state a caller has just seen, such as authentication. The page is of that state or of
 * a later one.
 *
 * It first reads without a transaction, often with one statement. The last statement proves that the book still has the
 * version that was seen. Versions only grow, so the statements before it saw the same state. If the book has changed,
 * the page is read again, in one transaction.
 */
export async function readPage(
  engine: Engine,
  state: BookState,
  query: TransactionQuery,
  remembered: RememberedKeys,
): Promise<TransactionPage> {
  const page = await engine.read(() => pageOfState(state, query, remembered), {
    onSnapshot: false,
  });
  return page ?? engine.read(() => listTransactions(state.bookId, query, remembered));
}

/** Reads a page of a state, and remembers what was read of it. Null if the book has changed. */
function pageOfState(
  state: BookState,
  query: TransactionQuery,
  remembered: RememberedKeys,
): Steps<TransactionPage | null> {
  return isCounted(query) ? byCounts(state, query, remembered) : byFilter(state, query, remembered);
}

function* byCounts(
  state: BookState,
  query: TransactionQuery,
  remembered: RememberedKeys,
): Steps<TransactionPage | null> {
  const list = countedList(state.bookId, query);
  const known = new CountsOfState(state, list, remembered.counts);
  const start = yield* findPageStart(list, query.offset, known);
  if (start === null)
    return isAlwaysCounted(list) ? null : yield* byFilter(state, query, remembered);
  const page = yield* countedPage(state.bookId, query, start, sql`AND ${isUnchanged(state)}`);
  // Counts that were remembered need no proof: they are of the state.
  const isProven =
    start.date === null ? known.isRemembered || (yield* holds(state)) : page.json.length > 0;
  if (!isProven) return null;
  known.remember();
  return page;
}

function* byFilter(
  state: BookState,
  query: TransactionQuery,
  remembered: RememberedKeys,
): Steps<TransactionPage | null> {
  const guard = [isUnchanged(state)];
  const { remember, ...page } = yield* filteredPage(state, query, remembered, guard);
  if (page.json.length === 0 && !(yield* holds(state))) return null;
  remember();
  return page;
}

/** A condition that is the same for all rows: the book has the state. */
function isUnchanged({ databaseId, bookId, version }: BookState): Sql {
  return join(
    [
      sql`(SELECT version FROM books WHERE id = ${bookId}) = ${version}`,
      sql`(SELECT value FROM database_identity WHERE name = 'id') = ${databaseId}`,
    ],
    ' AND ',
  );
}

function* holds(state: BookState): Steps<boolean> {
  const found = yield* row(sql`SELECT 1 AS holds WHERE ${isUnchanged(state)}`);
  return found !== undefined;
}

/** The counts of the rows of a list, of a state: those remembered, and those that were just read. */
class CountsOfState implements Counts {
  readonly #state: string;
  readonly #remembered: BoundedCache<PeriodRanks>;
  readonly #read = new Map<number, PeriodRanks>();

  constructor(
    { databaseId, bookId, version }: BookState,
    { kinds: { mask, bits }, status = '' }: CountedList,
    remembered: BoundedCache<PeriodRanks>,
  ) {
    this.#state = `${databaseId} ${bookId} ${version} ${mask} ${bits} ${status}`;
    this.#remembered = remembered;
  }

  get(month: number): PeriodRanks | undefined {
    return this.#read.get(month) ?? this.#remembered.find(`${this.#state} ${month}`);
  }

  set(month: number, ranks: PeriodRanks): void {
    this.#read.set(month, ranks);
  }

  get isRemembered(): boolean {
    return this.#read.size === 0;
  }

  /** Remembers what was read. It must be of the state. */
  remember(): void {
    for (const [month, ranks] of this.#read)
      this.#remembered.remember(`${this.#state} ${month}`, ranks);
  }
}
