import sql, { join, raw, type Sql } from 'sql-template-tag';
import { padded, blockSize } from '../../db/blocks.ts';
import { exactSum, sumOf, sumParts } from '../../db/derived-tables.ts';
import type { Steps } from '../../db/engine.ts';
import { derivedVersion } from '../../db/fill-derived.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import { dateRange, filterConditions, filterName, showsListed } from '../filter.ts';
import { BoundedCache, type RememberedKeys } from '../remembered-keys.ts';
import { selectMatches } from './matches.ts';
import type { DaySum } from './search.ts';
import { plainQuery, withTagList, without, type Selection } from './query.ts';

/** The matching transactions of a month. */
export interface MonthTotal {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly count: number;
  /** In ten-thousandths of the primary currency; money out is positive. */
  readonly total: bigint;
}

/** The matching transactions of a day, with the amount of the first in a list by amount. */
export interface DayTotal {
  readonly date: string;
  readonly count: number;
  readonly first: number;
}

/** Returns the totals of the months of some days, which are newest first. */
export function monthsOfDays(days: readonly DaySum[]): readonly MonthTotal[] {
  const byMonth = Map.groupBy(days, ({ date }) => date.slice(0, 7));
  return [...byMonth].map(([month, each]) => ({
    month,
    count: countOf(each),
    total: each.reduce((sum, parts) => sum + sumOf(parts), 0n),
  }));
}

/** The totals that were computed last: pages of a list, and its months, have the same. */
const recent = new WeakMap<RememberedKeys, BoundedCache<readonly MonthTotal[]>>();
const mostRecent = 100;

const addedUp = sql`CAST(sum(listed) AS BIGINT) AS listed, CAST(sum(high) AS BIGINT) AS high,
  CAST(sum(low) AS BIGINT) AS low`;

/** Returns the months that have matching transactions, with their totals, newest first. */
export function* monthTotals(
  bookId: number,
  selection: Selection,
  categories: readonly number[] | null,
  remembered: RememberedKeys,
): Steps<readonly MonthTotal[]> {
  const version = yield* derivedVersion(bookId);
  const name = `${bookId} ${version} ${filterName({ ...selection, sort: '-date' } as Selection)}`;
  const known = recent.get(remembered) ?? new BoundedCache<readonly MonthTotal[]>(mostRecent);
  recent.set(remembered, known);
  const totals = known.find(name) ?? (yield* computeTotals(bookId, selection, categories));
  known.remember(name, totals);
  return totals;
}

/** Returns the totals of months of several selections together, newest first. */
export function mergedMonths(all: readonly (readonly MonthTotal[])[]): readonly MonthTotal[] {
  if (all.length === 1) return all[0]!;
  const byMonth = Map.groupBy(all.flat(), ({ month }) => month);
  const merged = [...byMonth].map(([month, each]) => ({
    month,
    count: countOf(each),
    total: each.reduce((sum, { total }) => sum + total, 0n),
  }));
  return merged.toSorted((a, b) => (a.month < b.month ? 1 : -1));
}

/** Returns the totals of days of several selections together, in no order. */
export function mergedDays(
  all: readonly (readonly DayTotal[])[],
  { sort }: Selection,
): readonly DayTotal[] {
  if (all.length === 1) return all[0]!;
  const firstOf = sort === 'amount' ? Math.min : Math.max;
  const byDate = Map.groupBy(all.flat(), ({ date }) => date);
  return [...byDate].map(([date, each]) => ({
    date,
    count: countOf(each),
    first: firstOf(...each.map(({ first }) => first)),
  }));
}

/** Returns the number of transactions of months or days. */
export function countOf(totals: readonly { readonly count: number }[]): number {
  return totals.reduce((sum, { count }) => sum + count, 0);
}

function* computeTotals(
  bookId: number,
  selection: Selection,
  categories: readonly number[] | null,
): Steps<MonthTotal[]> {
  const statement = isSummed(selection)
    ? totalsFromSums(bookId, selection, categories)
    : yield* totalsFromRows(bookId, selection, categories);
  const found = yield* rowsAs({ month: text, listed: integer, ...sumParts }, statement);
  return found.map(({ month, listed, ...parts }) => ({
    month,
    count: listed,
    total: sumOf(parts),
  }));
}

function* totalsFromRows(
  bookId: number,
  selection: Selection,
  categories: readonly number[] | null,
): Steps<Sql> {
  const wanted = { categories, columns: 'date, to_base', isWhole: true };
  const matches = yield* selectMatches(bookId, withTagList(selection), wanted);
  // By day first, because an index has that order.
  return sql`SELECT substr(date, 1, 7) AS month, ${addedUp}
    FROM (SELECT date, count(*) AS listed, ${exactSum('to_base')} FROM (${matches}) matches GROUP BY date) days
    GROUP BY 1 ORDER BY 1 DESC`;
}

/** Returns the days that have matching transactions. */
export function* dayTotals(
  bookId: number,
  selection: Selection,
  categories: readonly number[] | null,
): Steps<readonly DayTotal[]> {
  const wanted = { categories, columns: 'date, amount', isWhole: true };
  const matches = yield* selectMatches(bookId, withTagList(selection), wanted);
  return yield* rowsAs(
    { date: text, count: integer, first: integer },
    sql`SELECT date, count(*) AS count, ${raw(selection.sort === 'amount' ? 'min' : 'max')}(amount) AS first
      FROM (${matches}) matches GROUP BY date`,
  );
}

/** The filters that compare columns of `transaction_sums`, besides the dates. */
const summedFilters = [
  ...(['category_id', 'category_ids', 'manual_account_id'] as const),
  ...(['manual_account_ids', 'plaid_account_id', 'plaid_account_ids'] as const),
];

/** Whether `transaction_sums` has the totals: for whole months, by categories and accounts. */
function isSummed(selection: Selection): boolean {
  const { start_date, end_date } = dateRange(selection);
  const query = plainQuery({ ...without(selection, summedFilters), sort: '-date' });
  return (
    start_date.endsWith('-01') &&
    end_date.endsWith('-31') &&
    query !== null &&
    query.tag_id === undefined &&
    showsListed(query) &&
    filterConditions(query).length === 0
  );
}

function totalsFromSums(
  bookId: number,
  selection: Selection,
  categories: readonly number[] | null,
): Sql {
  const { start_date, end_date } = dateRange(selection);
  const filters = [
    ['category_id', categories],
    ['manual_account_id', idsOf(selection, 'manual_account_id')],
    ['plaid_account_id', idsOf(selection, 'plaid_account_id')],
  ] as const;
  const conditions = filters.flatMap(([column, ids]) =>
    ids === null ? [] : [sql`AND ${raw(column)} IN (${join(padded(ids, ids[0]!))})`],
  );
  return sql`SELECT month, ${addedUp} FROM transaction_sums
    WHERE book_id = ${bookId} AND month BETWEEN ${start_date.slice(0, 7)} AND ${end_date.slice(0, 7)}
      ${join(conditions.length === 0 ? [sql``] : conditions, ' ')}
    GROUP BY month ORDER BY month DESC`;
}

function idsOf(
  selection: Selection,
  name: 'manual_account_id' | 'plaid_account_id',
): readonly number[] | null {
  const one = selection[name];
  return selection[`${name}s`] ?? (one === undefined ? null : [one]);
}

/** Returns the range of a page in a list by date, of periods that are newest first. The page must not be empty. */
export function rangeOfPage(
  { limit, offset, sort }: Selection,
  periods: readonly { readonly date: string; readonly count: number }[],
): Place {
  let before = 0;
  let skip = 0;
  const ofPage: string[] = [];
  for (const { date, count } of sort === 'date' ? periods.toReversed() : periods) {
    if (before < offset + limit && before + count > offset) {
      if (ofPage.length === 0) skip = offset - before;
      ofPage.push(date);
    }
    before += count;
  }
  const [oldest, newest] = [ofPage.at(0)!, ofPage.at(-1)!].toSorted();
  return { range: { start_date: oldest!, end_date: newest! }, skip };
}

/** The dates of a part of the matching rows that has a page, and how many of its first rows precede the page. */
interface Place {
  readonly range: { readonly start_date: string; readonly end_date: string };
  readonly skip: number;
}

/** Returns the months of a page in a list by date. The page must not be empty. */
export function monthsOfPage(selection: Selection, months: readonly MonthTotal[]): Place {
  const periods = months.map(({ month, count }) => ({ date: month, count }));
  const { range: of, skip } = rangeOfPage(selection, periods);
  const { start_date, end_date } = dateRange(selection);
  const [start, end] = [`${of.start_date}-01`, `${of.end_date}-31`];
  const range = {
    start_date: start > start_date ? start : start_date,
    end_date: end < end_date ? end : end_date,
  };
  return { range, skip };
}

/**
 * Returns the days that have all rows up to the end of a page in a list by amount; null if they are too many.
 *
 * If a page ends with the 200th row, no row of it is smaller than the largest rows of 200 days. So all are on days
 * whose largest row is not smaller than that.
 */
export function daysOfPage(
  { limit, offset, sort }: Selection,
  days: readonly DayTotal[],
): readonly string[] | null {
  const needed = offset + limit;
  if (needed > blockSize || needed > days.length) return null;
  const sign = sort === 'amount' ? 1 : -1;
  const last = days.map(({ first }) => sign * first).toSorted((a, b) => a - b)[needed - 1]!;
  const found = days.filter(({ first }) => sign * first <= last);
  return found.length > blockSize ? null : found.map(({ date }) => date);
}
