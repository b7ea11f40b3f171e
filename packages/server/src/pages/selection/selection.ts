import sql, { join, raw, type Sql } from 'sql-template-tag';
import { padded } from '../../db/blocks.ts';
import { rows, joined, dialectOf, type Steps } from '../../db/engine.ts';
import { derivedVersion } from '../../db/fill-derived.ts';
import { idsOf, rowsAs, rowAs } from '../../db/rows.ts';
import { integer } from '../../db/table.ts';
import { dateRange, filterName, isCounted, type TransactionPage, type RowKey } from '../filter.ts';
import { elementsOf, listTransactions } from '../pages.ts';
import { selectMatches, orderOf, hasMoreFilters, selectAmong, directedBy } from './matches.ts';
import type { AmountKey, Wanted } from './matches.ts';
import { isByAmount, partsOf, plainQuery, withTagList, isByPayee } from './query.ts';
import type { Selection } from './query.ts';
import {
  countOf,
  dayTotals,
  mergedDays,
  mergedMonths,
  monthTotals,
  daysOfPage,
  monthsOfPage,
  monthsOfDays,
  rangeOfPage,
} from './totals.ts';
import type { MonthTotal } from './totals.ts';
import { numbersIn } from '../../db/follow-search.ts';
import { BoundedCache, type RememberedKeys } from '../remembered-keys.ts';
import { amountsOfPage, search, type AmountsOfPage, type DaySum, type Found } from './search.ts';
import { searchedText } from '../../db/derived-tables.ts';
import type { Dialect } from '../../db/dialect.ts';

const nothing = Buffer.alloc(0);

/** A page of selected transactions, and the number of all of them. */
export interface SelectionPage extends TransactionPage {
  readonly total: number;
}

/** Returns a page of the selected transactions. Throws a DerivedOutdatedError, as {@link selectedMonths} does. */
export function* listSelection(
  bookId: number,
  selection: Selection,
  remembered: RememberedKeys,
): Steps<SelectionPage> {
  const categories = yield* categoriesOf(bookId, selection);
  const list = { bookId, selection, categories, remembered };
  if (isByPayee(selection)) return yield* pageByPayee(list);
  if (selection.words.length > 0) return yield* pageOfWords(list);
  return isByAmount(selection) ? yield* pageByAmount(list) : yield* pageByDate(list);
}

/** Returns the months that have selected transactions, with their totals, newest first. */
export function* selectedMonths(
  bookId: number,
  selection: Selection,
  remembered: RememberedKeys,
): Steps<readonly MonthTotal[]> {
  const categories = yield* categoriesOf(bookId, selection);
  const list = { bookId, selection, categories, remembered };
  if (selection.words.length > 0) return monthsOfDays((yield* daysOfWords(list)).days);
  const parts = yield* partsWith(list, monthsOfPart);
  return mergedMonths(parts.map(({ totals }) => totals));
}

/** Places of a list. */
export interface Places {
  readonly offset: number;
  /** All after `offset` without it. */
  readonly limit?: number | undefined;
}

/** Returns the ids of the selected transactions at some places of the list, ascending. */
export function* selectedIds(
  bookId: number,
  selection: Selection,
  { offset, limit = Number.MAX_SAFE_INTEGER }: Places,
  remembered: RememberedKeys,
): Steps<number[]> {
  yield* derivedVersion(bookId);
  const categories = yield* categoriesOf(bookId, selection);
  const list = { bookId, selection: { ...selection, offset, limit }, categories, remembered };
  const ids = selection.words.length > 0 ? yield* idsOfWords(list) : yield* idsOfPlaces(list);
  return [...ids].toSorted((a, b) => a - b);
}

function* idsOfWords(list: List): Steps<readonly number[]> {
  const { selection } = list;
  const found = yield* foundOf(list);
  if (isByAmount(selection)) return found.pageByAmount(selection);
  return found.pageByDate(dateRange(selection), selection, selection.offset);
}

function* idsOfPlaces(list: List): Steps<readonly number[]> {
  const { offset, limit } = list.selection;
  const wanted = { columns: 'date, id, amount', isWhole: true };
  const matches = yield* matchesOf(list, partsOf(list.selection), wanted);
  return yield* idsOf(
    sql`SELECT id FROM (${matches}) matches ORDER BY ${orderOf(list.selection)} LIMIT ${limit} OFFSET ${offset}`,
  );
}

/** The days of the searches that were made last: the pages of a list, and its months, have the same. */
const recentDays = new WeakMap<RememberedKeys, BoundedCache<readonly DaySum[]>>();
/** Days in memory: 5 MB. */
const mostDays = 100_000;

/** Returns the days of the rows that a search finds, newest first, and these rows if they are not remembered. */
function* daysOfWords(
  list: List,
): Steps<{ readonly days: readonly DaySum[]; readonly found: Found | null }> {
  const { bookId, selection, remembered } = list;
  const version = yield* bookVersion(bookId);
  const name = `${bookId} ${version} ${filterName({ ...selection, sort: '-date' } as Selection)}`;
  const known =
    recentDays.get(remembered) ??
    new BoundedCache<readonly DaySum[]>(mostDays, (days) => days.length + 1);
  recentDays.set(remembered, known);
  const days = known.find(name);
  if (days !== undefined) return { days, found: null };
  const found = yield* foundOf(list);
  const sums = found.daySums();
  known.remember(name, sums);
  return { days: sums, found };
}

function* bookVersion(bookId: number): Steps<number> {
  const book = yield* rowAs(
    { version: integer },
    sql`SELECT version FROM books WHERE id = ${bookId}`,
  );
  return book?.version ?? 0;
}

/** Reads only the days of the page if the others are remembered. */
function* pageOfWords(list: List): Steps<SelectionPage> {
  const { bookId, selection } = list;
  const { limit, offset } = selection;
  const { days, found } = yield* daysOfWords(list);
  const total = countOf(days);
  if (offset >= total) return { json: nothing, hasMore: false, total };
  const ids = isByAmount(selection)
    ? (found ?? (yield* foundOf(list))).pageByAmount(selection)
    : yield* pageOfDays(list, days, found);
  const json = yield* elementsOf(bookId, ids, selection);
  return { json, hasMore: offset + limit < total, total };
}

function* pageOfDays(
  list: List,
  days: readonly DaySum[],
  found: Found | null,
): Steps<readonly number[]> {
  const { range, skip } = rangeOfPage(list.selection, days);
  const selection = { ...list.selection, ...range };
  const rows = found ?? (yield* foundOf({ ...list, selection }));
  return rows.pageByDate(range, selection, skip);
}

/** Rows that are compared one by one; if a search finds more, the rows that pass the other filters are found, too. */
const mostCompared = 5000;

/** Returns the rows that a search finds and that pass all filters. */
function* foundOf(list: List): Steps<Found> {
  const { bookId, selection, categories } = list;
  const found = yield* search(bookId, selection);
  if (found.size === 0 || !hasMoreFilters(selection, categories)) return found;
  if (found.size > mostCompared) return found.among(yield* idsWithoutWords(list));
  const among = yield* selectAmong(bookId, withTagList(selection), categories, found.keys());
  return found.among(yield* sortedIds(among));
}

function* idsWithoutWords(list: List): Steps<Float64Array> {
  const parts = partsOf({ ...list.selection, words: [] });
  return yield* sortedIds(yield* matchesOf(list, parts, { columns: 'id', isWhole: true }));
}

function* sortedIds(matches: Sql): Steps<Float64Array> {
  const found = yield* joined(sql`SELECT CAST(id AS TEXT) AS json FROM (${matches}) matches`);
  return numbersIn(found).sort();
}

/** What a page is read from. */
interface List {
  readonly bookId: number;
  readonly selection: Selection;
  /** The categories of a filter, with the members of groups; 0 is none. Null without a filter. */
  readonly categories: readonly number[] | null;
  readonly remembered: RememberedKeys;
}

/** A part of a list, with the totals of its rows. */
interface Part<T> {
  readonly selection: Selection;
  readonly totals: readonly T[];
}

/** Returns the parts of a list that have rows. */
function* partsWith<T>(
  list: List,
  totalsOf: (list: List) => Steps<readonly T[]>,
): Steps<readonly Part<T>[]> {
  const parts: Part<T>[] = [];
  for (const selection of partsOf(list.selection))
    parts.push({ selection, totals: yield* totalsOf({ ...list, selection }) });
  const some = parts.filter(({ totals }) => totals.length > 0);
  return some.length === 0 ? parts.slice(0, 1) : some;
}

function monthsOfPart({ bookId, selection, categories, remembered }: List) {
  return monthTotals(bookId, selection, categories, remembered);
}

function daysOfPart({ bookId, selection, categories }: List) {
  return dayTotals(bookId, selection, categories);
}

/** Reads only the months of the page. */
function* pageByDate(list: List): Steps<SelectionPage> {
  const { bookId, selection, remembered } = list;
  const { limit, offset } = selection;
  const parts = yield* partsWith(list, monthsOfPart);
  const months = mergedMonths(parts.map(({ totals }) => totals));
  const total = countOf(months);
  if (offset >= total) return { json: nothing, hasMore: false, total };
  const plain = parts.length === 1 ? plainQuery(parts[0]!.selection) : null;
  if (plain !== null && isCounted(plain))
    return { ...(yield* listTransactions(bookId, plain, remembered)), total };
  const { range, skip } = monthsOfPage(selection, months);
  const within = parts.map((part) => ({ ...part.selection, ...range }));
  const matches = yield* matchesOf(list, within, { columns: 'date, id', isWhole: false });
  const keys = yield* rows<RowKey>(
    sql`${matches} ORDER BY ${orderOf(selection)} LIMIT ${limit} OFFSET ${skip}`,
  );
  const json = yield* elementsOf(bookId, idsIn(keys), selection);
  return { json, hasMore: offset + limit < total, total };
}

/** Sorts all matching rows for each page. */
function* pageByPayee(list: List): Steps<SelectionPage> {
  const { bookId, selection } = list;
  const { limit, offset, words } = selection;
  const isWhole = true;
  const dialect = yield* dialectOf();
  const found = words.length > 0 ? yield* foundOf(list) : null;
  const matches =
    found === null
      ? yield* matchesOf(list, partsOf(selection), { columns: 'id', isWhole })
      : dialect.rowsOfJson(JSON.stringify(found.keys()), { id: integer });
  const total =
    found?.size ?? countOf(mergedMonths((yield* partsWith(list, monthsOfPart)).map(totalsIn)));
  const each = dialect.transactionsOfEach({
    of: sql`(${matches}) k`,
    index: null,
    columns: 'id, date, payee',
    where: sql`t.book_id = ${bookId} AND t.id = k.id`,
  });
  const keys = yield* rows<RowKey>(
    sql`SELECT t.id AS id, ${foldedPayee(bookId, dialect)} AS folded, t.date AS date ${each}
      ORDER BY ${raw(directedBy(selection, ['folded', 'date', 'id']))} LIMIT ${limit} OFFSET ${offset}`,
  );
  const json = yield* elementsOf(bookId, idsIn(keys), selection);
  return { json, hasMore: offset + limit < total, total };
}

function totalsIn<T>({ totals }: Part<T>): readonly T[] {
  return totals;
}

/** The form in which search compares the payee of row `t`. */
function foldedPayee(bookId: number, { byBytes }: Dialect): Sql {
  return sql`coalesce((SELECT p.folded FROM transaction_texts p
    WHERE p.book_id = ${bookId} AND p.text = ${byBytes(searchedText('t.payee'))}), '')`;
}

/** Rows before a page that an engine sorts along with it. It takes much longer for more of them. */
const mostSorted = 1000;

/** Reads only the days of the page, if they are few; else what follows the page before, or the amounts of the page. */
function* pageByAmount(list: List): Steps<SelectionPage> {
  const { bookId, selection, remembered } = list;
  const { limit, offset } = selection;
  const name = `${bookId} ${yield* derivedVersion(bookId)} ${filterName(selection)}`;
  const parts = yield* partsWith(list, daysOfPart);
  const totals = mergedDays(
    parts.map((part) => part.totals),
    selection,
  );
  const total = countOf(totals);
  if (offset >= total) return { json: nothing, hasMore: false, total };
  const days = daysOfPage(selection, totals);
  const after = days === null ? (remembered.find(name, offset) as AmountKey | null) : null;
  const within = parts.map((part) => part.selection);
  const isDeep = days === null && after === null && offset > mostSorted;
  const amounts = isDeep ? yield* readAmounts(list, within) : null;
  const skip = amounts?.skip ?? (after === null ? offset : 0);
  const wanted = { after, days, amounts, columns: 'date, id, amount', isWhole: true };
  const matches = yield* matchesOf(list, within, wanted);
  const keys = yield* rows<AmountKey>(
    sql`${matches} ORDER BY ${orderOf(selection)} LIMIT ${limit} OFFSET ${skip}`,
  );
  if (keys.length === limit) remembered.remember(name, offset + limit, keys.at(-1)!);
  const json = yield* elementsOf(bookId, idsIn(keys), selection);
  return { json, hasMore: offset + limit < total, total };
}

/** Reads the amounts of all rows, and returns those of a page. */
function* readAmounts(list: List, parts: readonly Selection[]): Steps<AmountsOfPage> {
  const matches = yield* matchesOf(list, parts, { columns: 'amount', isWhole: true });
  const all = yield* joined(sql`SELECT CAST(amount AS TEXT) AS json FROM (${matches}) matches`);
  return amountsOfPage(numbersIn(all), list.selection);
}

/** Returns a SELECT of the rows of all parts. Only that of the first may begin with WITH: pending rows need none. */
function* matchesOf(
  { bookId, categories }: List,
  parts: readonly Selection[],
  wanted: Omit<Wanted, 'categories'>,
): Steps<Sql> {
  const selects: Sql[] = [];
  for (const part of parts)
    selects.push(yield* selectMatches(bookId, withTagList(part), { ...wanted, categories }));
  return join(selects, ' UNION ALL ');
}

/** Returns the categories of a filter, with the members of groups; 0 is none. Null without a filter. */
function* categoriesOf(
  bookId: number,
  { category_id, category_ids }: Selection,
): Steps<readonly number[] | null> {
  const ids = category_ids ?? (category_id === undefined ? null : [category_id]);
  if (ids === null) return null;
  const members = yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM categories WHERE book_id = ${bookId} AND group_id IN (${join(padded(ids, ids[0]!))})
      ORDER BY id`,
  );
  return [...new Set([...ids, ...members.map(({ id }) => id)])];
}

function idsIn(keys: readonly { readonly id: number }[]): number[] {
  return keys.map(({ id }) => id);
}
