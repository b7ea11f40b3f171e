import { errorTable, recordNotFound, versionPruned, type ErrorKind } from './errors.ts';
import { CryptoRefreshError } from '../outside/provider-error.ts';

/** An entry of an error body's `errors`: a text for people, and keys that name the place. */
export interface ErrorDetail {
  readonly errMsg: string;
  readonly [key: string]: unknown;
}

/** A hostile request can have thousands of problems; this is more than a caller fixes at once. */
export const maxDetails = 100;

/** What a response says beyond its kind of error. */
export interface ProblemOptions {
  /** One entry for each problem; by default one with the text of the kind. */
  readonly details?: readonly ErrorDetail[];
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The failure of another server that this response reports; for the log and the metrics. */
  readonly cause?: unknown;
}

/** A refusal that is sent to the caller. It is a response, not a defect, so it has no stack. */
export class Problem extends Error {
  override name = 'Problem';
  readonly kind: ErrorKind;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(kind: ErrorKind, { details, headers = {}, cause }: ProblemOptions = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(errorTable[kind].message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.kind = kind;
    this.details = details ?? [{ errMsg: errorTable[kind].errMsg }];
    this.headers = headers;
  }
}

/** An operation's own refusal: a status and a body of its declaration. */
export class OwnRefusal extends Error {
  override name = 'OwnRefusal';
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(`Refused with ${status}`);
    this.status = status;
    this.body = body;
  }
}

const challenge = 'Bearer realm="coffer", error="invalid_token"';

/** Returns the problem of an access token that is unknown, revoked or expired. */
export function invalidToken(): Problem {
  return new Problem('invalidToken', { headers: { 'www-authenticate': challenge } });
}

/** Returns the problem of a cookie whose session was ended or has expired. */
export function endedSession(): Problem {
  return new Problem('sessionEnded', { headers: { 'www-authenticate': 'Bearer realm="coffer"' } });
}

/** Returns the problem of a sign-in that is refused; `errMsg` says what is not valid. */
export function signInRefused(errMsg?: string): Problem {
  const headers = { 'www-authenticate': 'Bearer realm="coffer"' };
  return new Problem('signInRefused', errMsg ? { headers, details: [{ errMsg }] } : { headers });
}

/** Returns the problem of something that a caller may not do. */
export function forbidden(errMsg: string): Problem {
  return new Problem('forbidden', { details: [{ errMsg }] });
}

/** Returns the problem of a request that cannot be parsed. */
export function malformed(errMsg: string): Problem {
  return new Problem('malformedRequest', { details: [{ errMsg }] });
}

/** Returns a problem with the body of a request, found by a rule that no schema can express. */
export function bodyProblem(...details: readonly ErrorDetail[]): Problem {
  return new Problem('invalidBody', { details });
}

/** Returns the problem of a record that the caller's book does not have; `noun` is singular. */
export function notFound(noun: string, id: number): Problem {
  return new Problem('recordNotFound', {
    details: [{ errMsg: recordNotFound(noun, id) }],
  });
}

/**
 * Refuses a version of a book whose change the log no longer has, with 410. `pruned` is the book's `pruned_version`;
 * `oldest_version` of the error is the oldest version that the log still has.
 */
export function refusePruned(version: number, pruned: number): void {
  if (version <= pruned) throw prunedProblem(version, pruned + 1);
}

/**
 * Refuses a version whose state, or whose later changes, the log no longer has, with 410. The state after the last
 * pruned version is still known, so `oldest_version` is `pruned`.
 */
export function refusePrunedState(version: number, pruned: number): void {
  if (version < pruned) throw prunedProblem(version, pruned);
}

function prunedProblem(version: number, oldest: number): Problem {
  const errMsg = versionPruned(version, oldest);
  return new Problem('pruned', { details: [{ errMsg, version, oldest_version: oldest }] });
}

/** Settles like `work`. If a provider failed, not this service, rejects with a Problem that has the reason. */
export function orProviderProblem<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof CryptoRefreshError ? providerProblem(error) : error;
  });
}

function providerProblem(cause: CryptoRefreshError): Problem {
  const { reason, message, retryAfterSeconds } = cause;
  const seconds = String(Math.max(1, retryAfterSeconds ?? 0));
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': seconds };
  const kind = reason === 'timeout' ? 'gatewayTimeout' : 'badGateway';
  return new Problem(kind, { headers, details: [{ errMsg: message, reason }], cause });
}
