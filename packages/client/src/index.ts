/*
 * A client for Coffer and for every service with the same API.
 */
import { readOptions, type ClientOptions } from './sending/options.ts';
import { makeBalanceHistory, type BalanceHistory } from './resources/balance-history.ts';
import { makeChanges, type Changes } from './resources/changes.ts';
import { makeCofferApi, type CofferApi } from './resources/coffer.ts';
import { makeMethods, type ClientMethods } from './resources/openapi-methods.ts';
import { callerOf } from './resources/resource.ts';
import { makeTransactions, type Transactions } from './resources/transactions.ts';
import { makeRequests, type RequestOptions } from './sending/requests.ts';

/** The method `summary` of a client. */
export type Summary = ClientMethods['summary'];

/**
 * A client of one service with one token.
 *
 * All its calls share one view of the rate limit, so create one client and keep it. There is nothing to close.
 */
export interface Client extends ClientMethods {
  /** Transactions, their groups, parts and files. */
  readonly transactions: Transactions;
  /** Balances of accounts at the ends of months. */
  readonly balanceHistory: BalanceHistory;
  /** What only Coffer has: rules, recurring items, imports, webhooks, settings of budgets, merges. */
  readonly coffer: CofferApi;
  /** Budgets and activity in a range of days. */
  readonly summary: Summary;
  /** Follows the changes of a book of Coffer, without end. */
  readonly changes: Changes;
  /**
   * Sends a request to any other operation, with the same pacing, retries and time limits.
   *
   * Resolves to the JSON value of a 2xx response, unchecked, and to undefined when there is no body. GET and HEAD
   * requests, and those with an `idempotencyKey`, are retried after every failure that may be temporary. All others are
   * retried only after 429.
   */
  request(options: RequestOptions): Promise<unknown>;
}

/**
 * Creates a client. Sends nothing yet.
 *
 * ```ts
 * const coffer = createClient({ baseUrl: 'http://127.0.0.1:8080/v2', token });
 * for await (const transaction of coffer.transactions.list({ start_date: '2026-01-01' })) {
 *   console.log(transaction.date, transaction.payee, transaction.amount);
 * }
 * ```
 *
 * Throws ArgumentError when an option is not valid.
 */
export function createClient(options: ClientOptions): Client {
  const setup = readOptions(options);
  const requests = makeRequests(setup);
  const v2 = callerOf(requests, 'v2', setup.hasKeys);
  const coffer = callerOf(requests, 'coffer', setup.hasKeys);
  const sent = makeMethods(v2, coffer);
  return {
    ...sent,
    transactions: makeTransactions(v2, sent.transactions),
    balanceHistory: makeBalanceHistory(v2, sent.balanceHistory),
    coffer: makeCofferApi(coffer, sent.coffer),
    changes: makeChanges(setup),
    request: async (requestOptions) => (await requests(requestOptions)).value,
  };
}

export type * from './resources/balance-history.ts';
export type * from './resources/changes.ts';
export type * from './resources/coffer.ts';
export type * from './resources/openapi-methods.ts';
export type * from './resources/transactions.ts';
export {
  ApiError,
  ArgumentError,
  CofferError,
  DependentsError,
  EndlessListError,
  GoneError,
  IncompleteError,
  MalformedResponseError,
  NetworkError,
  RateLimitError,
  RequestError,
  TimeoutError,
  TooManyRowsError,
} from './sending/errors.ts';
export type { ApiErrorDetail, Dependents, RequestSummary } from './sending/errors.ts';
export type { CallOptions, ClientOptions } from './sending/options.ts';
export type { QueryValue, RequestOptions } from './sending/requests.ts';
export type { RetryNotice } from './sending/retry.ts';
export type { Clock } from './sending/timing.ts';
export type { Fetch, FetchInit } from './sending/transport.ts';
