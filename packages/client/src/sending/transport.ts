import {
  ApiError,
  DependentsError,
  GoneError,
  MalformedResponseError,
  NetworkError,
  RateLimitError,
  TimeoutError,
} from './errors.ts';
import type { ApiErrorBody, ApiErrorDetail, Dependents, Sent } from './errors.ts';
import { readRetryAfter } from './headers.ts';
import { linkSignals, untilAborted, type Clock } from './timing.ts';
import type { ResponseHead } from './window.ts';

/** The platform's `fetch`, or a function of the same form. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** Second argument of a {@link Fetch}. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  /** JSON; bytes for a form. */
  readonly body?: string | ArrayBuffer;
  /** Always `manual`: a redirect could send the token to another host. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** A request that can be sent any number of times. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  /** Without `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | ArrayBuffer;
  /** The body of a 2xx response is a file. */
  readonly isFile?: boolean;
}

/** Sends requests, each within a time limit. */
export interface Transport {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly token: string;
  /** Time limit of one attempt, to the last byte of its response. */
  readonly timeoutMs: number;
}

/** One attempt of a call. */
export interface Attempt extends Sent {
  readonly signal: AbortSignal;
  /** Called when the head of the response has arrived, before its body is read. */
  readonly onHead: (head: ResponseHead) => void;
}

/** A 2xx response. */
export interface Success {
  readonly status: number;
  /** The JSON value of the body, or a File; undefined when there is none. */
  readonly value: unknown;
}

const timeIsOver = Symbol('timeoutMs is over');

/**
 * Sends a request once and resolves when its 2xx response has been read.
 *
 * Rejects with an error of this library, or with the signal's reason.
 */
export async function attemptOnce(
  transport: Transport,
  outgoing: Outgoing,
  attempt: Attempt,
): Promise<Success> {
  const { clock, timeoutMs } = transport;
  const { signal, release } = linkSignals([attempt.signal], clock, timeoutMs, timeIsOver);
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
  if (response.ok && outgoing.isFile === true) {
    const bytes = await readBody(response, attempt, response.blob());
    return { status: response.status, value: fileOf(response.headers, bytes) };
  }
  const text = await readBody(response, attempt, response.text());
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
  const sending = (async () => await fetch(url, init))();
  const response = await untilAborted(attempt.signal, sending).catch((cause: unknown) => {
    attempt.signal.throwIfAborted();
    throw new NetworkError('no response', attempt, { cause });
  });
  const { status, headers: fields } = response;
  attempt.onHead({ status, headers: fields, sentAtMs, receivedAtMs: clock.nowMs() });
  return response;
}

/** Reads the whole body, also of errors, because only then is the connection free again. */
async function readBody<T>(response: Response, attempt: Attempt, body: Promise<T>): Promise<T> {
  return await untilAborted(attempt.signal, body).catch((cause: unknown) => {
    attempt.signal.throwIfAborted();
    throw new MalformedResponseError('the body was cut off', response, attempt, { cause });
  });
}

/** A file with the name that the service gives it (RFC 6266, RFC 8187), which is never a path. */
function fileOf(headers: Headers, bytes: Blob): File {
  const disposition = headers.get('content-disposition') ?? '';
  const [, name = 'file'] = /filename\*=UTF-8''((?:[\w.~-]|%[\da-f]{2})+)/i.exec(disposition) ?? [];
  // Unlike decodeURIComponent, it throws nothing for bytes that are not UTF-8.
  const plain = new URLSearchParams(`name=${name}`).get('name') ?? '';
  const type = headers.get('content-type') ?? '';
  return new File([bytes], plain.replaceAll(/[/\\\0]/g, '-'), { type });
}

function apiErrorOf({ status, type, headers }: Response, text: string, sent: Sent): ApiError {
  const value = parse(text);
  if (status === 422 && isDependents(value)) return new DependentsError(value, sent);
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400);
  const body = isRedirect ? redirectBody(headers) : errorBodyOf(value);
  const parts = { status, body, retryAfterMs: readRetryAfter(headers) };
  if (status === 410) return new GoneError(parts, sent);
  return status === 429 ? new RateLimitError(parts, sent) : new ApiError(parts, sent);
}

function redirectBody(headers: Headers): ApiErrorBody {
  const to = headers.get('location') ?? 'an unknown location';
  return { reason: `a redirect to ${to}, which is not followed: check baseUrl`, errors: [] };
}

/** Reads an error body; parts that are not in the standard form are left out. */
function errorBodyOf(value: unknown): ApiErrorBody {
  if (!isObject(value)) return { reason: null, errors: [] };
  const { message, errors } = value;
  return {
    reason: typeof message === 'string' ? message : null,
    errors: Array.isArray(errors) ? errors.filter(isDetail) : [],
  };
}

function isDependents(value: unknown): value is Dependents {
  return isObject(value) && isObject(value['dependents']);
}

function isDetail(value: unknown): value is ApiErrorDetail {
  return isObject(value) && typeof value['errMsg'] === 'string';
}

/** Whether a JSON value is an object, neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
