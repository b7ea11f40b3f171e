import type { CallOptions } from '../../sending/options.ts';
import { objectShape, recordShape } from '../resource.ts';
import type { Call, QueryOf, Schema } from '../resource.ts';
import { makeTransactionLists } from '../transactions/lists.ts';
import type { Transaction, TransactionLists } from '../transactions/lists.ts';

/**
 * The filters of a list, `limit` and `offset`; and either `as_of`, a version, a date or a date-time, or the filters
 * that only this list has, such as `q`.
 */
export type EarlierTransactionQuery = QueryOf<'getTransactionsAsOf'>;
/** A page of transactions, and the number of all that match. */
export type TransactionSelection = Schema<'TransactionSelection'>;
/** The filters of the months. */
export type MonthsQuery = QueryOf<'getTransactionMonths'>;
/** How many transactions match in each month, and their sums. */
export type TransactionMonths = Schema<'TransactionMonths'>;
/** As of when to read a transaction. */
export type EarlierQuery = QueryOf<'getTransactionAsOf'>;

/**
 * Methods that search transactions, or read them as they were, with `as_of` in their queries. ApiError 400: the book
 * does not have that version yet. ApiError 410: its changes since were pruned.
 */
export interface EarlierTransactions extends TransactionLists<EarlierTransactionQuery> {
  /** One transaction, also one that was deleted since. ApiError 404: the book did not have it. */
  get(id: number, query?: EarlierQuery, options?: CallOptions): Promise<Transaction>;
  /** One page with its `total`, which is absent with `as_of`. */
  search(query?: EarlierTransactionQuery, options?: CallOptions): Promise<TransactionSelection>;
  /** The months with matching transactions, newest first, with their totals. */
  months(query?: MonthsQuery, options?: CallOptions): Promise<TransactionMonths>;
}

const selection = objectShape<TransactionSelection>('a page of transactions');
const months = objectShape<TransactionMonths>('months of transactions');
const transaction = recordShape<Transaction>('a transaction');

/** The searches and earlier transactions of a client; `call` is that of Coffer's own API. */
export function makeEarlierTransactions(call: Call): EarlierTransactions {
  return {
    ...makeTransactionLists<EarlierTransactionQuery>(call),
    search: (query, options) => call(selection, ['transactions'], { ...options, query }),
    months: (query, options) => call(months, ['transactions', 'months'], { ...options, query }),
    get: (id, query, options) => call(transaction, ['transactions', { id }], { ...options, query }),
  };
}
