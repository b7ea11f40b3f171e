/*
 * A client for Coffer and for every service with the same API.
 */
export { createClient } from './client.ts';
export type * from './client.ts';
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
