import { ArgumentError, EndlessListError, TooManyRowsError } from '../../sending/errors.ts';
import type { components } from '../../sending/openapi-types.ts';
import { quote } from '../../sending/options.ts';
import type { CallOptions } from '../../sending/options.ts';
import { isObject } from '../../sending/transport.ts';
import { listShape } from '../resource.ts';
import type { Call, QueryOf, Shape } from '../resource.ts';

/** A transaction. Money is text with four decimals, positive for money out. */
export type Transaction = components['schemas']['Transaction'];
/** The filters of a list, and `limit` and `offset`. */
export type TransactionQuery = QueryOf<'getAllTransactions'>;

/** Position of a page. */
export interface Place {
  /** Maximum number of rows on the page. */
  readonly limit: number;
  /** Rows that are skipped before the first. */
  readonly offset: number;
}

/** One page, its position, and where the next one begins. */
export interface TransactionPage extends Place {
  /** Newest first. */
  readonly transactions: readonly Transaction[];
  /** Whether more transactions match after this page. */
  readonly has_more: boolean;
  /** Always `offset` plus `limit`, however many rows the page has; null on the last page. */
  readonly next_offset: number | null;
}

/** How a list becomes an array. */
export interface ArrayOptions extends CallOptions {
  /** Maximum number of transactions in the array: an integer of at least 0. */
  readonly max: number;
}

/** Methods that read many transactions. */
export interface TransactionLists<Query extends TransactionQuery = TransactionQuery> {
  /**
   * Every transaction that matches, one by one, newest first; requests the next page when it is needed.
   *
   * `limit` is the page size (default 1000, at most 2000) and `offset` the number of rows to skip. If the book changes
   * between two pages, a transaction can appear twice or not at all. To avoid this, set `end_date` to a past day.
   */
  list(query?: Query, options?: CallOptions): AsyncGenerator<Transaction, void, undefined>;
  /** Like `list`, page by page. */
  pages(query?: Query, options?: CallOptions): AsyncGenerator<TransactionPage, void, undefined>;
  /** One page. More transactions match unless its `has_more` is false. */
  page(query?: Query, options?: CallOptions): Promise<TransactionPage>;
  /** All matching transactions, as an array. Rejects with TooManyRowsError when there are more than `max`. */
  toArray(query: Query, options: ArrayOptions): Promise<Transaction[]>;
}

/** The page size of the service when `limit` is absent. */
const defaultLimit = 1000;
/** After this many pages in a row with `has_more` and without a new row, a list counts as endless. */
const maxIdlePages = 10;

const transactions = listShape<Transaction>('transactions');

/** The {@link TransactionLists} of a client. */
export function makeTransactionLists<Query extends TransactionQuery = TransactionQuery>(
  call: Call,
): TransactionLists<Query> {
  const page = async (
    query: Partial<TransactionQuery> = {},
    options: CallOptions = {},
  ): Promise<TransactionPage> => {
    const place = placeOf(query);
    return await call(pageShape(place), ['transactions'], {
      ...options,
      query: { ...query, ...place },
    });
  };
  const pages = (query: Partial<TransactionQuery> = {}, options: CallOptions = {}) =>
    walk((place) => page({ ...query, ...place }, options), query);
  return {
    page,
    pages,
    async *list(query, options) {
      for await (const { transactions: rows } of pages(query, options)) yield* rows;
    },
    toArray: async (query, { max, ...options }) => {
      if (!Number.isSafeInteger(max) || max < 0) {
        throw new ArgumentError([`max must be an integer of at least 0, not ${quote(max)}`]);
      }
      // One more than `max` shows that there are too many.
      const limit = query.limit ?? Math.min(defaultLimit, max + 1);
      return await collect(pages({ ...query, limit }, options), max);
    },
  };
}

/** A page of at most `limit` rows: any more would appear again on the next page. */
function pageShape(place: Place): Shape<TransactionPage> {
  return {
    name: `{ transactions, has_more } with at most ${place.limit} transactions`,
    read: (body) => {
      const rows = transactions.read(body);
      const has_more = isObject(body) ? body['has_more'] : null;
      if (rows === null || typeof has_more !== 'boolean' || rows.length > place.limit) return null;
      const next_offset = has_more ? place.offset + place.limit : null;
      return { transactions: rows, has_more, ...place, next_offset };
    },
  };
}

/**
 * The position of a page; default: limit 1000, offset 0.
 *
 * Throws {@link ArgumentError} when either is not an integer, `limit` is below 1 or `offset` is below 0.
 */
function placeOf(query: Partial<Place>): Place {
  const { limit = defaultLimit, offset = 0 } = query;
  const problems: string[] = [];
  if (!Number.isSafeInteger(limit) || limit < 1) {
    problems.push(`limit must be an integer of at least 1, not ${quote(limit)}`);
  }
  if (!Number.isSafeInteger(offset) || offset < 0) {
    problems.push(`offset must be an integer of at least 0, not ${quote(offset)}`);
  }
  if (problems.length > 0) throw new ArgumentError(problems);
  return { limit, offset };
}

/**
 * Walks a list page by page: from `offset` in steps of `limit`, however many rows a page has, as long as `has_more` is
 * true (the specification, 4.3 and 4.4).
 *
 * Continues after an empty page with `has_more`. Throws {@link EndlessListError} after ten pages in a row that
 * are empty or repeat the rows of the previous page.
 */
async function* walk(
  readPage: (place: Place) => Promise<TransactionPage>,
  query: Partial<Place>,
): AsyncGenerator<TransactionPage, void, undefined> {
  const first = placeOf(query);
  let idlePages = 0;
  let before = '';
  for (let next: number | null = first.offset; next !== null;) {
    const page: TransactionPage = await readPage({ ...first, offset: next });
    yield page;
    const ids = page.transactions.map(({ id }) => id).join();
    idlePages = ids === '' || ids === before ? idlePages + 1 : 0;
    before = ids;
    next = page.next_offset;
    if (next !== null && idlePages === maxIdlePages) {
      throw new EndlessListError(idlePages, page.offset);
    }
  }
}

/** All transactions of a walk. Throws {@link TooManyRowsError} as soon as there are more than `max`. */
async function collect(pages: AsyncIterable<TransactionPage>, max: number): Promise<Transaction[]> {
  const rows: Transaction[] = [];
  for await (const page of pages) {
    for (const row of page.transactions) rows.push(row);
    if (rows.length > max) throw new TooManyRowsError(max);
  }
  return rows;
}
