import type { CallOptions } from '../../options.ts';
import { recordShape } from '../resource.ts';
import type { Call, QueryOf } from '../resource.ts';
import { makeTransactionLists } from '../transactions/lists.ts';
import type { Transaction, TransactionLists } from '../transactions/lists.ts';

/** The filters of a list, `limit` and `offset`, and `as_of`: a version, a date or a date-time. */
export type EarlierTransactionQuery = QueryOf<'getTransactionsAsOf'>;
/** As of when to read a transaction. */
export type EarlierQuery = QueryOf<'getTransactionAsOf'>;

/**
 * Methods that read transactions as they were, with `as_of` in their queries. ApiError 400: the book does not have that
 * version yet. ApiError 410: its changes since were pruned.
 */
export interface EarlierTransactions extends TransactionLists<EarlierTransactionQuery> {
  /** One transaction, also one that was deleted since. ApiError 404: the book did not have it. */
  get(id: number, query?: EarlierQuery, options?: CallOptions): Promise<Transaction>;
}

const transaction = recordShape<Transaction>('a transaction');

/** The earlier transactions of a client; `call` is that of Coffer's own API. */
export function makeEarlierTransactions(call: Call): EarlierTransactions {
  return {
    ...makeTransactionLists<EarlierTransactionQuery>(call),
    get: (id, query, options) => call(transaction, ['transactions', { id }], { ...options, query }),
  };
}
