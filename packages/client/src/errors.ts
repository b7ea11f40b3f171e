/** Every error that this library makes is one of these; an aborted call rejects with the signal's reason instead. */
export class CofferError extends Error {
  override name = 'CofferError';
}

/** What was handed in cannot be used; nothing was sent. Names every problem, and never the token. */
export class ArgumentError extends CofferError {
  override name = 'ArgumentError';
  /** A sentence for each. */
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** What was asked, without the token. */
export interface RequestSummary {
  /** `GET`, `POST` and so on. */
  readonly method: string;
  /** The whole address with its query. */
  readonly url: string;
}

/** A request and how often it has been sent. */
export interface Sent {
  /** What was asked. */
  readonly request: RequestSummary;
  /** How often it was sent: 0 when it was not sent at all. */
  readonly attempts: number;
}

/** A request did not succeed. */
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

/** An entry of an error body: a sentence in `errMsg`, and what else the service says of it. */
export interface ApiErrorDetail {
  /** A sentence for people. */
  readonly errMsg: string;
  readonly [key: string]: unknown;
}

/** What an error body said. */
export interface ApiErrorBody {
  /** The body's `message`; null when the body is not in the standard form. */
  readonly reason: string | null;
  /** The body's `errors`; empty when it is not in the standard form. */
  readonly errors: readonly ApiErrorDetail[];
}

/** The service answered with a status other than 2xx. */
export class ApiError extends RequestError implements ApiErrorBody {
  override name = 'ApiError';
  /** The HTTP status; 0 in a browser that hides a redirect. */
  readonly status: number;
  readonly reason: string | null;
  readonly errors: readonly ApiErrorDetail[];
  /** What `Retry-After` asked for, in milliseconds; null when it was not there or not readable. */
  readonly retryAfterMs: number | null;
  constructor(
    answer: { status: number; body: ApiErrorBody; retryAfterMs: number | null },
    sent: Sent,
  ) {
    super(describe(answer.status, answer.body), sent);
    this.status = answer.status;
    this.reason = answer.body.reason;
    this.errors = answer.body.errors;
    this.retryAfterMs = answer.retryAfterMs;
  }
}

function describe(status: number, { reason, errors }: ApiErrorBody): string {
  const details = errors.map(({ errMsg }) => errMsg).join('; ');
  return [`answered ${status}`, reason, details].filter(Boolean).join(': ');
}

/**
 * The rate limit is used up for longer than the call may last: the service went on to answer 429, or `attempts` is 0
 * and the client knew beforehand. `retryAfterMs` says when it makes sense to try again.
 */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}

/** No answer came: no connection, or one that broke before the answer began. `cause` has what `fetch` said. */
export class NetworkError extends RequestError {
  override name = 'NetworkError';
}

/** No answer came in time. */
export class TimeoutError extends RequestError {
  override name = 'TimeoutError';
  /** The time that was over, in milliseconds: `timeoutMs` of one attempt, or `maxElapsedMs` of the whole call. */
  readonly timeoutMs: number;
  constructor(timeoutMs: number, sent: Sent, options?: ErrorOptions) {
    super(`no answer within ${timeoutMs} ms`, sent, options);
    this.timeoutMs = timeoutMs;
  }
}

/** An answer came, but it was cut, is not JSON, or is not what the API document says. */
export class MalformedResponseError extends RequestError {
  override name = 'MalformedResponseError';
  readonly status: number;
  constructor(
    what: string,
    { status }: { readonly status: number },
    sent: Sent,
    options?: ErrorOptions,
  ) {
    super(`answered ${status}, but ${what}`, sent, options);
    this.status = status;
  }
}

/** A list does not end: page after page said that there is more, and brought nothing new. */
export class EndlessListError extends CofferError {
  override name = 'EndlessListError';
  /** The offset of the last page that was read. */
  readonly offset: number;
  constructor(pages: number, offset: number) {
    super(`${pages} pages in a row said has_more and brought nothing new, up to offset ${offset}`);
    this.offset = offset;
  }
}

/** There are more rows than the caller is prepared to hold. */
export class TooManyRowsError extends CofferError {
  override name = 'TooManyRowsError';
  /** The bound that was given. */
  readonly max: number;
  constructor(max: number) {
    super(`There are more than ${max} rows: narrow the filter, raise max, or use list()`);
    this.max = max;
  }
}
