import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { errorTable, type ErrorKind } from '../operations/errors.ts';
import { maxDetails, OwnRefusal, Problem } from '../operations/problem.ts';
import { problemInV1 } from '../v1/refusals.ts';
import { isDatabaseError } from '../db/errors.ts';
import { tokensInText } from '../identity/users/actions.ts';
import { authority, firstSegment, prefixOf, routeOf, runInOrder } from './routes.ts';
import { sendPieces } from './send.ts';

const retryAfterSeconds = '1';
const jsonType = 'application/json; charset=utf-8';

/**
 * Returns the response body of a problem: UTF-8 JSON in the standard error format.
 *
 * Details quote what was sent. A token in the wrong place is not quoted, because clients log such bodies.
 */
export function problemBody({ kind, details }: Problem): Buffer {
  const { message } = errorTable[kind];
  const text = JSON.stringify({ message, errors: details.slice(0, maxDetails) });
  return Buffer.from(text.replaceAll(tokensInText, '[token]'));
}

/** Responds with a problem in the standard error format. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  const { status } = errorTable[problem.kind];
  sendPieces(reply.headers(problem.headers), status, jsonType, [problemBody(problem)]);
}

/**
 * Responds to every error that is thrown while a request is handled.
 *
 * Only internal errors and errors of providers are logged, with the id of the request. Details of internal errors are
 * not sent to the caller. Operations of v1 have their own forms; `prefix` is that of the version.
 */
export function handleError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  prefix = prefixOf(request),
): void {
  if (error instanceof OwnRefusal) {
    sendRefusal(reply, error);
    return;
  }
  const problem = toProblem(error);
  const refusal = prefix === '/v1/' ? problemInV1(problem, routeOf(request)?.v1) : null;
  if (refusal !== null) {
    sendRefusal(reply.headers(problem.headers), refusal);
    return;
  }
  const { status } = errorTable[problem.kind];
  if (problem.kind === 'fileLost') request.log.error({ ...problem.details[0] }, 'file lost');
  else if (error instanceof Problem && status >= 500) {
    // Without a cause the service is only busy.
    if (problem.kind !== 'unavailable' || problem.cause !== undefined)
      request.log.warn({ ...problem.details[0] }, 'provider failed');
  } else if (status >= 500) request.log.error({ err: error }, 'request failed');
  sendProblem(reply, problem);
}

function sendRefusal(reply: FastifyReply, { status, body }: OwnRefusal): void {
  const text = JSON.stringify(body).replaceAll(tokensInText, '[token]');
  sendPieces(reply, status, jsonType, [Buffer.from(text)]);
}

/** Returns the problem that the caller receives for an error. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode } = Object(error) as Readonly<Record<string, unknown>>;
  // A write that the database refuses is an internal error, because requests are validated before.
  if (isDatabaseError(error) && error.kind !== 'refused') return unavailable();
  if (typeof code === 'string') {
    const kind = frameworkKinds.get(code);
    if (kind !== undefined) return new Problem(kind);
    // Other errors of the framework are caused by the caller if their status says so.
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

function unavailable(): Problem {
  return new Problem('unavailable', { headers: { 'retry-after': retryAfterSeconds } });
}

function isClientError(statusCode: unknown): boolean {
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}

/**
 * Responds with 400 to a request whose path cannot be decoded, such as `/v2/%zz`.
 *
 * The router refuses it before any hook runs, so the hooks of every request are run here: `begin`, and under one of the
 * prefixes, such as `/v2/`, also those of `hooksOf` for it.
 */
export function answerMalformedPath(
  begin: onRequestHookHandler,
  prefixes: readonly string[],
  hooksOf: (prefix: string) => readonly onRequestHookHandler[],
) {
  return (_error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const prefix = firstSegment((request.raw.url ?? '').replace(authority, ''));
    const hooks = prefixes.includes(prefix) ? hooksOf(prefix) : [];
    const applied = [begin, ...hooks];
    runInOrder(applied, request, reply, (problem = new Problem('malformedRequest')) => {
      handleError(problem, request, reply, prefix);
    });
  };
}
