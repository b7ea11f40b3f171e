/*
 * A client for Coffer and for every service with the same API.
 */
export { createClient } from './client.ts';
export type { Client } from './client.ts';
export type { CallOptions, ClientOptions } from './options.ts';
export type { QueryValue, RequestOptions } from './sending/requests.ts';
export type {
  ArrayOptions,
  Place,
  Transaction,
  TransactionPage,
} from './resources/transactions.ts';
export type { TransactionQuery, Transactions } from './resources/transactions.ts';
export type { Categories, Category, CategoryDeletion } from './resources/categories.ts';
export type { CategoryInsert, CategoryQuery, CategoryUpdate } from './resources/categories.ts';
export type { Crypto, SyncedCrypto, SyncedCryptoBalance } from './resources/crypto.ts';
export type { SyncedCryptos } from './resources/crypto.ts';
export type { Tag, TagDeletion, TagInsert, Tags, TagUpdate } from './resources/tags.ts';
export type { Me } from './resources/me.ts';
export type { RetryNotice } from './sending/retry.ts';
export type { Clock } from './sending/timing.ts';
export type { Fetch, FetchInit } from './sending/transport.ts';
export {
  ApiError,
  ArgumentError,
  CofferError,
  DependentsError,
  EndlessListError,
  MalformedResponseError,
  NetworkError,
  RateLimitError,
  RequestError,
  TimeoutError,
  TooManyRowsError,
} from './errors.ts';
export type { ApiErrorDetail, Dependents, RequestSummary } from './errors.ts';
