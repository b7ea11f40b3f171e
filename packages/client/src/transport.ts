import { linkSignals, untilAborted } from './abort.ts';
import type { Clock } from './clock.ts';
import {
  ApiError,
  MalformedResponseError,
  NetworkError,
  RateLimitError,
  TimeoutError,
} from './errors.ts';
import type { ApiErrorBody, ApiErrorDetail, Sent } from './errors.ts';
import { readRetryAfter } from './rate-limit-headers.ts';
import { isObject } from './shapes.ts';
import type { AnswerHead } from './window.ts';

/** The platform's `fetch`, or anything of its form. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** What a {@link Fetch} is given. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Always `manual`: a redirect could lead the token to a place that it is not meant for. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** A request, ready to be sent any number of times. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  /** Without `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What sends requests, and how long each may take. */
export interface Transport {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly token: string;
  /** For one attempt, to the last byte of its answer. */
  readonly timeoutMs: number;
}

/** One attempt of a call. */
export interface Attempt extends Sent {
  readonly signal: AbortSignal;
  /** Called when the head of the answer is there, before its body is read. */
  readonly onHead: (head: AnswerHead) => void;
}

/** A 2xx answer. */
export interface Success {
  readonly status: number;
  /** The JSON value of the body; undefined when there is none. */
  readonly value: unknown;
}

const timeIsOver = Symbol('timeoutMs is over');

/**
 * Sends a request once and resolves when its 2xx answer has been read.
 *
 * Everything else is one of the errors of this library, or the signal's reason.
 */
export async function attemptOnce(
  transport: Transport,
  outgoing: Outgoing,
  attempt: Attempt,
): Promise<Success> {
  const { clock, timeoutMs } = transport;
  const expiry = { clock, afterMs: timeoutMs, reason: timeIsOver };
  const { signal, release } = linkSignals([attempt.signal], expiry);
  try {
    return await exchange(transport, outgoing, { ...attempt, signal });
  } catch (error) {
    if (signal.reason === timeIsOver) throw new TimeoutError(timeoutMs, attempt);
    attempt.signal.throwIfAborted();
    throw error;
  } finally {
    release();
  }
}

async function exchange(
  transport: Transport,
  outgoing: Outgoing,
  attempt: Attempt,
): Promise<Success> {
  const response = await receiveHead(transport, outgoing, attempt);
  const text = await readBody(response, attempt);
  if (!response.ok)
    throw apiErrorOf(response, text.replaceAll(transport.token, '[token]'), attempt);
  const { status } = response;
  if (text === '') return { status, value: undefined };
  const value = parse(text);
  if (value !== undefined) return { status, value };
  const type = response.headers.get('content-type') ?? 'no type';
  throw new MalformedResponseError(`the body (${type}) is not JSON`, response, attempt);
}

async function receiveHead(
  { fetch, clock, token }: Transport,
  { method, url, headers, body }: Outgoing,
  attempt: Attempt,
): Promise<Response> {
  const init: FetchInit = {
    method,
    headers: { ...headers, Authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    signal: attempt.signal,
  };
  const sentAtMs = clock.nowMs();
  const asked = (async () => await fetch(url, init))();
  const response = await untilAborted(attempt.signal, asked).catch((cause: unknown) => {
    attempt.signal.throwIfAborted();
    throw new NetworkError('no answer came', attempt, { cause });
  });
  const { status, headers: answered } = response;
  attempt.onHead({ status, headers: answered, sentAtMs, receivedAtMs: clock.nowMs() });
  return response;
}

/** Reads the whole body, also of errors: a connection is free again only when all of it has been read. */
async function readBody(response: Response, attempt: Attempt): Promise<string> {
  return await untilAborted(attempt.signal, response.text()).catch((cause: unknown) => {
    attempt.signal.throwIfAborted();
    throw new MalformedResponseError('the body was cut', response, attempt, { cause });
  });
}

function apiErrorOf({ status, type, headers }: Response, text: string, sent: Sent): ApiError {
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400);
  const body = isRedirect ? redirectBody(headers) : errorBodyOf(text);
  const answer = { status, body, retryAfterMs: readRetryAfter(headers) };
  return status === 429 ? new RateLimitError(answer, sent) : new ApiError(answer, sent);
}

function redirectBody(headers: Headers): ApiErrorBody {
  const to = headers.get('location') ?? 'an unknown place';
  return { reason: `a redirect to ${to}, which is not followed: see to baseUrl`, errors: [] };
}

/** Reads a standard error body, as far as it is one. */
function errorBodyOf(text: string): ApiErrorBody {
  const value = parse(text);
  if (!isObject(value)) return { reason: null, errors: [] };
  const { message, errors } = value;
  return {
    reason: typeof message === 'string' ? message : null,
    errors: Array.isArray(errors) ? errors.filter(isDetail) : [],
  };
}

function isDetail(value: unknown): value is ApiErrorDetail {
  return isObject(value) && typeof value['errMsg'] === 'string';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
