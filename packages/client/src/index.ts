/*
 * A client for Coffer and for every service that speaks the same API.
 */
export { createClient } from './client.ts';
export type { Client } from './client.ts';
export type { CallOptions, ClientOptions } from './options.ts';
export type { QueryValue, RequestOptions } from './requests.ts';
export type { ArrayOptions, TransactionQuery, Transactions } from './transactions.ts';
export type { Place, TransactionPage } from './paging.ts';
export type { Categories, CategoryQuery } from './categories.ts';
export type { Crypto, SyncedCrypto, SyncedCryptoBalance, SyncedCryptos } from './crypto.ts';
export type { Category, Me, Transaction } from './shapes.ts';
export type { RetryNotice } from './retry.ts';
export type { Clock } from './clock.ts';
export type { Fetch, FetchInit } from './transport.ts';
export {
  ApiError,
  ArgumentError,
  CofferError,
  EndlessListError,
  MalformedResponseError,
  NetworkError,
  RateLimitError,
  RequestError,
  TimeoutError,
  TooManyRowsError,
} from './errors.ts';
export type { ApiErrorDetail, RequestSummary } from './errors.ts';
