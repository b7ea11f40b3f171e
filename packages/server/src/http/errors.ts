import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorTable, type ErrorKind } from '@coffer/contract/errors';
import type { CryptoRefreshError } from '../records/crypto.ts';
import { tokensInText } from '../records/token.ts';

/** One entry of an error body's `errors`: words for a person, and keys that name the place. */
export interface ErrorDetail {
  readonly errMsg: string;
  readonly [key: string]: unknown;
}

/** What an answer says beyond its kind of error. */
export interface ProblemOptions {
  /** What is wrong, one entry a problem; the kind's own words unless given. */
  readonly details?: readonly ErrorDetail[];
  /** Headers that the answer carries besides. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A hostile request can have thousands of problems; nobody mends more than these at once. */
const maxDetails = 100;
const retryAfterSeconds = '1';
const jsonType = 'application/json; charset=utf-8';

/** A refusal on its way to the caller. It is an answer, not a fault, so it carries no stack. */
export class Problem extends Error {
  override name = 'Problem';
  readonly kind: ErrorKind;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(kind: ErrorKind, { details, headers = {} }: ProblemOptions = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(errorTable[kind].message);
    Error.stackTraceLimit = stackTraceLimit;
    this.kind = kind;
    this.details = details ?? [{ errMsg: errorTable[kind].errMsg }];
    this.headers = headers;
  }
}

/**
 * The body of a problem's answer: UTF-8 JSON in the standard error format.
 *
 * Details quote what was sent. A token that was put in the wrong place is not said again: clients log such bodies.
 */
export function problemBody({ kind, details }: Problem): Buffer {
  const { message } = errorTable[kind];
  const text = JSON.stringify({ message, errors: details.slice(0, maxDetails) });
  return Buffer.from(text.replaceAll(tokensInText, '[token]'));
}

/** Answers with a problem, in the one error format. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  void reply
    .code(errorTable[problem.kind].status)
    .headers(problem.headers)
    .header('content-type', jsonType)
    .send(problemBody(problem));
}

/**
 * Answers whatever was thrown on the way of a request.
 *
 * Only faults of the service and of providers are logged, with the id of the request, and not told to the caller.
 */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = toProblem(error);
  if (isRefreshError(error)) request.log.warn(refreshDetails(error), 'refresh failed');
  else if (errorTable[problem.kind].status >= 500)
    request.log.error({ err: error }, 'request failed');
  sendProblem(reply, problem);
}

/** What the caller is told about anything thrown. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { name, code, statusCode } = Object(error) as Readonly<Record<string, unknown>>;
  if (name === 'StoreUnavailableError') return unavailable();
  if (isRefreshError(error)) return refreshProblem(error);
  if (typeof code === 'string') {
    if (isPassing(code)) return unavailable();
    const kind = frameworkKinds.get(code);
    if (kind !== undefined) return new Problem(kind);
    // Whatever else the framework refuses is the caller's doing if it says so.
    if (code.startsWith('FST_') && isClientError(statusCode))
      return new Problem('malformedRequest');
  }
  return new Problem('internal');
}

const frameworkKinds = new Map<string, ErrorKind>([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'bodyTooLarge'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupportedMediaType'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'uriTooLong'],
  ['FST_ERR_NOT_FOUND', 'pathNotFound'],
]);

/**
 * The store cannot do it now, but may a moment later: locked, out of space, a disk that fails or takes no writes.
 *
 * A page that the disk cannot read counts as damage to SQLite (SQLITE_IOERR_CORRUPTFS in its source), so that damage
 * may pass, too.
 */
function isPassing(code: string): boolean {
  return /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL|CORRUPT|NOTADB)/.test(code);
}

function unavailable(): Problem {
  return new Problem('unavailable', { headers: { 'retry-after': retryAfterSeconds } });
}

/** By name, as a copy of the class may have been loaded. */
function isRefreshError(error: unknown): error is CryptoRefreshError {
  return error instanceof Error && error.name === 'CryptoRefreshError';
}

/** A provider of a synced account failed, not this service; what it says of that is for the caller. */
function refreshProblem({ reason, message, retryAfterSeconds }: CryptoRefreshError): Problem {
  const seconds = String(Math.max(1, retryAfterSeconds ?? 0));
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': seconds };
  const kind = reason === 'timeout' ? 'gatewayTimeout' : 'badGateway';
  return new Problem(kind, { headers, details: [{ errMsg: message, reason }] });
}

function refreshDetails({ reason, message, retryAfterSeconds }: CryptoRefreshError) {
  return { reason, detail: message, retryAfterSeconds };
}

function isClientError(statusCode: unknown): boolean {
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}
