import type { components } from './openapi-types.ts';

/** Base class of every error of this library. An aborted call rejects with the signal's reason instead. */
export class CofferError extends Error {
  override name = 'CofferError';
}

/** An argument is not valid; nothing was sent. Names every problem, never the token. */
export class ArgumentError extends CofferError {
  override name = 'ArgumentError';
  /** One sentence each. */
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** A request, without the token. */
export interface RequestSummary {
  /** `GET`, `POST` and so on. */
  readonly method: string;
  /** The whole URL with its query. */
  readonly url: string;
}

/** A request and its number of attempts. */
export interface Sent {
  readonly request: RequestSummary;
  /** 0 when the request was never sent. */
  readonly attempts: number;
}

/** A request failed. */
export class RequestError extends CofferError implements Sent {
  override name = 'RequestError';
  readonly request: RequestSummary;
  readonly attempts: number;
  constructor(what: string, { request, attempts }: Sent, options?: ErrorOptions) {
    const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
    super(`${request.method} ${request.url}: ${what} (${times})`, options);
    this.request = request;
    this.attempts = attempts;
  }
}

/** An entry of an error body: a sentence in `errMsg`, and further details. */
export interface ApiErrorDetail {
  /** A sentence for people. */
  readonly errMsg: string;
  readonly [key: string]: unknown;
}

/** The content of an error body. */
export interface ApiErrorBody {
  /** The body's `message`; null when the body is not in the standard form. */
  readonly reason: string | null;
  /** The body's `errors`; empty when it is not in the standard form. */
  readonly errors: readonly ApiErrorDetail[];
}

/** The service responded with a status other than 2xx. */
export class ApiError extends RequestError implements ApiErrorBody {
  override name = 'ApiError';
  /** The HTTP status; 0 in a browser that hides a redirect. */
  readonly status: number;
  readonly reason: string | null;
  readonly errors: readonly ApiErrorDetail[];
  /** The wait that `Retry-After` requests, in milliseconds; null when it is missing or not valid. */
  readonly retryAfterMs: number | null;
  constructor(
    response: { status: number; body: ApiErrorBody; retryAfterMs: number | null },
    sent: Sent,
  ) {
    super(describe(response.status, response.body), sent);
    this.status = response.status;
    this.reason = response.body.reason;
    this.errors = response.body.errors;
    this.retryAfterMs = response.retryAfterMs;
  }
}

function describe(status: number, { reason, errors }: ApiErrorBody): string {
  const details = errors.map(({ errMsg }) => errMsg).join('; ');
  return [`status ${status}`, reason, details].filter(Boolean).join(': ');
}

/** The name of a category or tag or the id of a recurring item, and how many records of each kind depend on it. */
export type Dependents = components['schemas'][
  'CategoryDependents' | 'TagDependents' | 'RecurringItemDependents'];

/** 422: a category, a tag or a recurring item was not deleted, because other records depend on it. */
export class DependentsError extends ApiError {
  override name = 'DependentsError';
  /** The body of the response, with `category_name`, `tag_name` or `recurring_item_id`. */
  readonly body: Dependents;
  constructor(body: Dependents, sent: Sent) {
    const counts = Object.entries(body.dependents).filter(([, count]) => count > 0);
    const reason = `records depend on it (${counts.map((pair) => pair.join(': ')).join(', ')})`;
    super({ status: 422, body: { reason, errors: [] }, retryAfterMs: null }, sent);
    this.body = body;
  }
}

/** 410: the changes that a request needs no longer exist, because they were pruned, or the database was restored. */
export class GoneError extends ApiError {
  override name = 'GoneError';
  /** The oldest version of the book that still works; null when the service did not say. */
  readonly oldestVersion: number | null;
  constructor(response: ConstructorParameters<typeof ApiError>[0], sent: Sent) {
    super(response, sent);
    const oldest = response.body.errors[0]?.['oldest_version'];
    this.oldestVersion = typeof oldest === 'number' ? oldest : null;
  }
}

/**
 * The rate limit is used up for longer than the call may last: every attempt ended with 429, or `attempts` is 0 because
 * the client knew it before sending. `retryAfterMs` is the time until the next attempt can succeed.
 */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}

/** No response: the connection failed, or broke before the response began. `cause` is the error of `fetch`. */
export class NetworkError extends RequestError {
  override name = 'NetworkError';
}

/** No response within the time limit. */
export class TimeoutError extends RequestError {
  override name = 'TimeoutError';
  /** The time limit, in milliseconds: `timeoutMs` of one attempt, or `maxElapsedMs` of the whole call. */
  readonly timeoutMs: number;
  constructor(timeoutMs: number, sent: Sent, options?: ErrorOptions) {
    super(`no response within ${timeoutMs} ms`, sent, options);
    this.timeoutMs = timeoutMs;
  }
}

/** A response was cut off, is not JSON, or does not match the API document. */
export class MalformedResponseError extends RequestError {
  override name = 'MalformedResponseError';
  readonly status: number;
  constructor(
    what: string,
    { status }: { readonly status: number },
    sent: Sent,
    options?: ErrorOptions,
  ) {
    super(`status ${status}, but ${what}`, sent, options);
    this.status = status;
  }
}

/** A call that is divided into several requests failed after the first. `cause` is the error of the one that failed. */
export class IncompleteError extends CofferError {
  override name = 'IncompleteError';
  /** How many items, from the first, were sent in requests that succeeded. Those of the failed request are next. */
  readonly completed: number;
  constructor(completed: number, cause: unknown) {
    super(`Only the first ${completed} items were written: ${String(cause)}`, { cause });
    this.completed = completed;
  }
}

/** A list does not end: every page has `has_more`, and none has a new row. */
export class EndlessListError extends CofferError {
  override name = 'EndlessListError';
  /** The offset of the last page. */
  readonly offset: number;
  constructor(pages: number, offset: number) {
    super(
      `The list does not end: ${pages} pages up to offset ${offset} had has_more but no new row`,
    );
    this.offset = offset;
  }
}

/** There are more rows than `max`. */
export class TooManyRowsError extends CofferError {
  override name = 'TooManyRowsError';
  /** Maximum number of rows. */
  readonly max: number;
  constructor(max: number) {
    super(`There are more than ${max} rows: narrow the filter, raise max, or use list()`);
    this.max = max;
  }
}
