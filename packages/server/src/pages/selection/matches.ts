import sql, { join, raw, type Sql } from 'sql-template-tag';
import { padded } from '../../db/blocks.ts';
import { searchedText } from '../../db/derived-tables.ts';
import type { Dialect } from '../../db/dialect.ts';
import { integer, text } from '../../db/table.ts';
import { dialectOf, type Steps } from '../../db/engine.ts';
import { searchedLength } from '@coffer/core/fold';
import { dateRange, showsListed, visibilityConditions, filterConditions } from '../filter.ts';
import type { RowKey } from '../filter.ts';
import { without, type Selection } from './query.ts';
import { countsAs } from '../sides.ts';
import type { AmountsOfPage } from './search.ts';

/** Most categories that are read one by one in the order of the list; more are compared row by row. */
const mostBranches = 20;

/** What to select. */
export interface Wanted {
  /** The categories of a filter, with the members of groups; 0 is none. Null without a filter. */
  readonly categories: readonly number[] | null;
  /** Names of columns, with commas between them. */
  readonly columns: string;
  /** Only rows after this one, in a list by amount. */
  readonly after?: AmountKey | null;
  /** Only rows of these days, at most a block. */
  readonly days?: readonly string[] | null;
  /** Only rows with an amount of a page. */
  readonly amounts?: AmountsOfPage | null;
  /** All matching rows are read, not only the first ones. */
  readonly isWhole: boolean;
}

/** What a SELECT of matches needs. */
interface Scope {
  readonly bookId: number;
  readonly selection: Selection;
  readonly dialect: Dialect;
  /** The columns of `t` to select. */
  readonly columns: string;
  /** Conditions on the date. */
  readonly dates: readonly Sql[];
  /** Conditions for everything but dates, payee, and the rows that a plain list hides. */
  readonly conditions: readonly Sql[];
  /** Conditions for these rows. */
  readonly shown: readonly Sql[];
}

/**
 * Returns a SELECT of columns of the matching rows, each once, in no order. It may begin with WITH.
 *
 * It starts with what is probably rarest, by an index that the statement names: only pending rows, payee, tags;
 * categories if only the first rows are read. Else it reads all of the book in the range of dates, by the index that
 * has most of the filtered columns. It does not compare words.
 */
export function* selectMatches(bookId: number, selection: Selection, wanted: Wanted): Steps<Sql> {
  const { categories, columns, after = null, days = null, amounts = null, isWhole } = wanted;
  const dialect = yield* dialectOf();
  const { payee, tag_ids: tagIds } = selection;
  const isTagged = tagIds?.includes(0) === false;
  const isPending = selection.is_pending === true;
  const byKeys = !isPending && payee === undefined && isTagged;
  // An index by dates and ids is not sought by categories, too: once for each of them.
  const conditions = rowConditions(selection, categories, byKeys ? '+t' : 't');
  conditions.push(...countingConditions(bookId, selection));
  if (after !== null) conditions.push(isAfter(after, selection));
  if (amounts !== null) conditions.push(sql`t.amount BETWEEN ${amounts.least} AND ${amounts.most}`);
  if (tagIds !== undefined && !byKeys) conditions.push(hasTag(tagIds, dialect));
  const isInBook = !byKeys && !isPending && payee === undefined;
  const dates = days === null ? dateConditions(selection) : [isOfDay(days, isInBook)];
  const shown = visibilityConditions(selection);
  const scope = { bookId, selection, columns, dialect, dates, conditions, shown };
  if (isPending) return matchesOfPending(scope);
  if (payee !== undefined) return matchesOfPayee(scope, payee);
  if (byKeys) return matchesOfTags(scope, tagIds);
  if (!isWhole && categories !== null && categories.length <= mostBranches)
    return matchesOfCategories(scope, categories);
  return matchesInBook(scope);
}

/** The selected columns of `t`. */
function selected({ columns }: Pick<Scope, 'columns'>): Sql {
  return raw(columns.replaceAll(/\w+/g, 't.$& AS $&'));
}

function matchesOfPending(scope: Scope): Sql {
  const { bookId, selection, dialect, dates, conditions, shown } = scope;
  const { payee } = selection;
  const ofText = payee === undefined ? [] : isOfPayee(payee, dialect);
  return sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex('transactions_pending')}
    WHERE t.book_id = ${bookId} AND ${join([...dates, ...shown, ...conditions, ...ofText], ' AND ')}`;
}

function matchesOfPayee(scope: Scope, payee: string): Sql {
  const { bookId, dialect, dates, conditions, shown } = scope;
  const all = [...isOfPayee(payee, dialect), ...dates, ...conditions, ...shown];
  return sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex('transactions_by_payee')}
    WHERE t.book_id = ${bookId} AND ${join(all, ' AND ')}`;
}

function matchesOfTags(scope: Scope, tagIds: readonly number[]): Sql {
  const { bookId, dialect, selection, dates, conditions, shown, columns } = scope;
  const { start_date, end_date } = dateRange(selection);
  const tagged = sql`SELECT DISTINCT k.date AS date, k.transaction_id AS id FROM transaction_tags k
    WHERE k.book_id = ${bookId} AND k.tag_id IN (${join(padded(tagIds, tagIds[0]!))})
      AND k.date BETWEEN ${start_date} AND ${end_date}`;
  if (comparesInIndex(scope)) return sql`WITH ${comparedInIndex(scope, tagged)}`;
  const where = sql`t.book_id = ${bookId} AND t.id = k.id
    AND ${join([...shown, ...dates, ...conditions], ' AND ')}`;
  const each = dialect.transactionsOfEach({ of: sql`(${tagged}) k`, index: null, columns, where });
  return sql`SELECT ${selected(scope)} ${each}`;
}

/** Conditions as `transactions_to_sum` has them: only rows that a plain list shows are in it. */
export const listed = [
  sql`t.is_pending = 0`,
  sql`t.is_split_parent = 0`,
  sql`t.group_parent_id IS NULL`,
];

function comparesInIndex({ dialect, selection }: Scope): boolean {
  return dialect.comparesInIndex && showsListed(selection);
}

/** Returns the end of a statement with WITH: the rows of some keys (`date`, `id`), near ones together, that match. */
function comparedInIndex(scope: Scope, keys: Sql): Sql {
  const { bookId, dialect, dates, conditions } = scope;
  return sql`found (date, id) AS MATERIALIZED (SELECT date, id FROM (${keys}) unsorted ORDER BY id)
    SELECT ${selected(scope)} ${dialect.transactionsOfEach({
      of: raw('found k'),
      index: 'transactions_to_sum',
      columns: scope.columns,
      where: sql`t.book_id = ${bookId} AND t.date = k.date AND t.id = k.id
        AND ${join([...listed, ...dates, ...conditions], ' AND ')}`,
    })}`;
}

/** Returns whether a search must compare more than {@link search} does: words, dates, amounts, and hidden rows. */
export function hasMoreFilters(
  selection: Selection,
  categories: readonly number[] | null,
): boolean {
  const { payee, tag_ids, counts_as } = selection;
  return (
    payee !== undefined ||
    counts_as !== undefined ||
    tag_ids !== undefined ||
    rowConditions(without(selection, comparedBySearch), categories, 't').length > 0
  );
}

const comparedBySearch = ['min_amount', 'max_amount'] as const;

/** Returns a SELECT of the ids of those of some rows that pass the filters besides words, dates and hidden rows. */
export function* selectAmong(
  bookId: number,
  selection: Selection,
  categories: readonly number[] | null,
  keys: readonly RowKey[],
): Steps<Sql> {
  const dialect = yield* dialectOf();
  const { payee, tag_ids: tagIds } = selection;
  const conditions = rowConditions(selection, categories, '+t');
  conditions.push(...countingConditions(bookId, selection));
  if (tagIds !== undefined) conditions.push(hasTag(tagIds, dialect));
  if (payee !== undefined) conditions.push(...isOfPayee(payee, dialect));
  const columns = 'id';
  const scope = { bookId, selection, columns, dialect, dates: [], conditions, shown: [] };
  const known = dialect.rowsOfJson(JSON.stringify(keys), { date: text, id: integer });
  if (comparesInIndex(scope)) return sql`WITH ${comparedInIndex(scope, known)}`;
  const where = sql`t.book_id = ${bookId} AND t.id = k.id AND ${join(conditions, ' AND ')}`;
  return sql`SELECT t.id AS id ${dialect.transactionsOfEach({ of: sql`(${known}) k`, index: null, columns, where })}`;
}

function matchesOfCategories(scope: Scope, categories: readonly number[]): Sql {
  const { bookId, dialect, dates, conditions, shown } = scope;
  const branches = [...new Set(categories)].map(
    (
      id,
    ) => sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex('transactions_by_category')}
      WHERE t.book_id = ${bookId} AND ${id === 0 ? sql`t.category_id IS NULL` : sql`t.category_id = ${id}`}
        AND ${join([...shown, ...dates, ...conditions], ' AND ')}`,
  );
  return join(branches, ' UNION ALL ');
}

function matchesInBook(scope: Scope): Sql {
  const { bookId, dialect, dates, conditions, selection, shown } = scope;
  const isListed = showsListed(selection);
  const index = isListed ? 'transactions_to_sum' : 'transactions_by_date';
  return sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex(index)}
    WHERE t.book_id = ${bookId} AND ${join([...(isListed ? listed : shown), ...dates, ...conditions], ' AND ')}`;
}

/** Returns conditions on row `t`: its payee is this one. */
function isOfPayee(payee: string, { byBytes }: Dialect): Sql[] {
  const characters = [...payee].slice(0, searchedLength);
  const head = sql`${byBytes(searchedText('t.payee'))} = ${characters.join('')}`;
  // The searched text may be only the start of a payee.
  return characters.length === searchedLength ? [head, sql`t.payee = ${payee}`] : [head];
}

/** The last row of a page in a list by amount. */
export interface AmountKey extends RowKey {
  readonly amount: number;
}

/** Returns conditions on row `t` for everything but dates, payee, tags, and the rows that a plain list hides. */
function rowConditions(
  selection: Selection,
  categories: readonly number[] | null,
  row: string,
): Sql[] {
  const conditions = filterConditions(selection);
  const { min_amount: min, max_amount: max, import_id, is_split_part: isPart } = selection;
  if (min !== undefined) conditions.push(sql`abs(t.amount) >= ${min}`);
  if (max !== undefined) conditions.push(sql`abs(t.amount) <= ${max}`);
  if (import_id !== undefined) conditions.push(sql`t.import_id = ${import_id}`);
  if (isPart !== undefined)
    conditions.push(isPart ? sql`t.split_parent_id IS NOT NULL` : sql`t.split_parent_id IS NULL`);
  if (categories !== null) conditions.push(isAmong(`${row}.category_id`, categories));
  for (const name of ['manual_account_id', 'plaid_account_id'] as const) {
    const ids = selection[`${name}s`];
    if (ids !== undefined) conditions.push(isAmong(`t.${name}`, ids));
  }
  return conditions;
}

function countingConditions(bookId: number, { counts_as: counting }: Selection): Sql[] {
  return counting === undefined ? [] : [countsAs(counting, bookId)];
}

/** Returns a condition: the column is one of the ids, of which 0 is null. */
function isAmong(column: string, ids: readonly number[]): Sql {
  const some = ids.filter((id) => id !== 0);
  const isNull = sql`${raw(column)} IS NULL`;
  if (some.length === 0) return isNull;
  const isSome = sql`${raw(column)} IN (${join(padded(some, some[0]!))})`;
  return some.length === ids.length ? isSome : sql`(${isSome} OR ${isNull})`;
}

/** Returns a condition on row `t`: it has one of the tags, or none for 0. */
function hasTag(ids: readonly number[], { withIndex }: Dialect): Sql {
  if (ids.includes(0)) return sql`t.tag_ids = '[]'`;
  return sql`EXISTS (SELECT 1 FROM transaction_tags k ${withIndex('transaction_tags_by_transaction')}
    WHERE k.book_id = t.book_id AND k.transaction_id = t.id AND k.tag_id IN (${join(padded(ids, ids[0]!))}))`;
}

/** Returns a condition on row `t`: it is after the key in a list by amount. */
function isAfter({ amount, date, id }: AmountKey, { sort }: Selection): Sql {
  const sign = raw(sort === 'amount' ? '>' : '<');
  return sql`(t.amount, t.date, t.id) ${sign} (${amount}, ${date}, ${id})`;
}

/** Returns conditions on row `t`: it is in the range of dates. */
function dateConditions(selection: Selection): Sql[] {
  const { start_date, end_date } = dateRange(selection);
  return [sql`t.date >= ${start_date}`, sql`t.date <= ${end_date}`];
}

/**
 * Returns a condition on row `t`: it is of one of the days, at most a block. An index is only sought by them if that is
 * wanted: an index of texts would be sought once for each text and day.
 */
function isOfDay(days: readonly string[], isSought: boolean): Sql {
  const date = raw(isSought ? 't.date' : "t.date || ''");
  return sql`${date} IN (${join(padded(days, days[0]!))})`;
}

const directions = { '-': 'DESC', '': 'ASC' } as const;

/** Returns the ORDER BY of a selection, without the keyword. Rows with equal amounts are ordered by their dates. */
export function orderOf(selection: Selection): Sql {
  const isByAmount = selection.sort.endsWith('amount');
  return raw(directedBy(selection, isByAmount ? ['amount', 'date', 'id'] : ['date', 'id']));
}

/** Returns columns of an ORDER BY, all in the direction of a selection. */
export function directedBy({ sort }: Selection, columns: readonly string[]): string {
  const direction = directions[sort.startsWith('-') ? '-' : ''];
  return columns.map((column) => `${column} ${direction}`).join(', ');
}
