import { ArgumentError } from './errors.ts';
import type { components, operations } from './openapi-types.ts';
import { quote } from './options.ts';
import type { CallOptions } from './options.ts';
import { collect, defaultLimit, placeOf, walk } from './paging.ts';
import type { TransactionPage } from './paging.ts';
import { idPart } from './requests.ts';
import type { Requests } from './requests.ts';
import { isTransaction, isTransactionList } from './shapes.ts';
import type { Transaction } from './shapes.ts';

/** The filters of a list, and `limit` and `offset`, as the API document has them. */
export type TransactionQuery = NonNullable<operations['getAllTransactions']['parameters']['query']>;

/** How a list becomes an array. */
export interface ArrayOptions extends CallOptions {
  /** Most transactions that the caller is prepared to hold: an integer from 0 on. */
  readonly max: number;
}

/** Reads transactions. Everything rejects with an error of this library, or with the reason of an aborted signal. */
export interface Transactions {
  /**
   * Every transaction that matches, one by one, newest first; the next page is asked for when it is needed.
   *
   * `limit` is the size of a page (1000 unless given, 2000 at most) and `offset` where to begin. A book that changes
   * between two pages can show a transaction twice or not at all: use `end_date` for days that are past.
   */
  list(
    query?: TransactionQuery,
    options?: CallOptions,
  ): AsyncGenerator<Transaction, void, undefined>;
  /** As `list`, page by page. */
  pages(
    query?: TransactionQuery,
    options?: CallOptions,
  ): AsyncGenerator<TransactionPage, void, undefined>;
  /** One page alone. It is not all that matches unless its `has_more` is false. */
  page(query?: TransactionQuery, options?: CallOptions): Promise<TransactionPage>;
  /** All that match, as an array. Rejects with TooManyRowsError when they are more than `max`. */
  toArray(query: TransactionQuery, options: ArrayOptions): Promise<Transaction[]>;
  /** One transaction, with metadata and files, and with children where there are any. ApiError 404: there is none. */
  get(id: number, options?: CallOptions): Promise<Transaction>;
}

/** The transactions of a client. */
export function makeTransactions(requests: Requests): Transactions {
  const pages: Transactions['pages'] = (query = {}, options = {}) =>
    walk((place) => readPage(requests, { ...query, ...place }, options), query);
  return {
    pages,
    async *list(query, options) {
      for await (const page of pages(query, options)) yield* page.transactions;
    },
    page: async (query = {}, options = {}) => await readPage(requests, query, options),
    toArray: async (query, { max, ...options }) => {
      if (!Number.isSafeInteger(max) || max < 0) {
        throw new ArgumentError([`max must be an integer from 0 on, not ${quote(max)}`]);
      }
      // One more than is wanted tells that there are too many.
      const limit = query.limit ?? Math.min(defaultLimit, max + 1);
      return await collect(pages({ ...query, limit }, options), max);
    },
    get: async (id, options = {}) => {
      const path = `/transactions/${idPart('id', id)}`;
      return await requests.ask({ ...options, path }, isTransaction, 'a transaction');
    },
  };
}

type ListBody = components['schemas']['TransactionListResponse'];

async function readPage(
  requests: Requests,
  query: TransactionQuery,
  options: CallOptions,
): Promise<TransactionPage> {
  const place = placeOf(query);
  const { transactions, has_more } = await requests.ask(
    { ...options, path: '/transactions', query: { ...query, ...place } },
    // More than was asked for would come again on the next page.
    (value): value is ListBody =>
      isTransactionList(value) && value.transactions.length <= place.limit,
    `{ transactions, has_more } with at most ${place.limit} transactions`,
  );
  const next_offset = has_more ? place.offset + place.limit : null;
  return { transactions, has_more, ...place, next_offset };
}
