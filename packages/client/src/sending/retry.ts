import { ApiError, RateLimitError, RequestError, TimeoutError } from './errors.ts';
import type { RequestSummary, Sent } from './errors.ts';
import type { Pacer, Turn } from './pacing.ts';
import { linkSignals, sleep } from './timing.ts';
import { attemptOnce, type Outgoing, type Success, type Transport } from './transport.ts';
import type { ResponseHead } from './window.ts';

const firstBackoffMs = 500;
const longestBackoffMs = 30_000;
/** Statuses that may be temporary. 501 and 505 are not. */
const temporary = [408, 500, 502, 503, 504];

/** Argument of `onRetry`. */
export interface RetryNotice {
  readonly request: RequestSummary;
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** How long until the next attempt; the rate limit may make it longer. */
  readonly delayMs: number;
  /** Why the attempt failed. */
  readonly error: RequestError;
}

/** A transport with retries, at the pace of the rate limit. */
export interface Sender extends Transport {
  readonly pacer: Pacer;
  readonly maxAttempts: number;
  /** Time limit of the whole call: attempts, waits between them, and waits for permission to send. */
  readonly maxElapsedMs: number;
  readonly onRetry: (notice: RetryNotice) => void;
}

/** A 2xx response, its request and the number of attempts. */
export type Received = Success & Sent;

const timeIsOver = Symbol('maxElapsedMs is over');

/**
 * Sends a request until it succeeds, cannot succeed, or a limit is reached.
 *
 * Waits as long as `Retry-After` says, else by exponential backoff with full jitter. 429 is always retried, because
 * the service did nothing. Other temporary failures are retried only when the request is safe or has a key.
 */
export async function send(
  sender: Sender,
  outgoing: Outgoing,
  signals: readonly (AbortSignal | undefined)[],
): Promise<Received> {
  const { clock, maxElapsedMs } = sender;
  const call: Call = {
    outgoing,
    deadlineMs: clock.nowMs() + maxElapsedMs,
    request: { method: outgoing.method, url: outgoing.url },
    ...linkSignals(signals, clock, maxElapsedMs, timeIsOver),
    attempts: 0,
    failure: undefined,
  };
  try {
    return { ...(await tryUntilDone(sender, call)), ...sentOf(call) };
  } catch (error) {
    if (error !== timeIsOver) throw error;
    throw new TimeoutError(maxElapsedMs, sentOf(call), { cause: call.failure });
  } finally {
    call.release();
  }
}

interface Call {
  readonly outgoing: Outgoing;
  readonly request: RequestSummary;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly release: () => void;
  attempts: number;
  failure: RequestError | undefined;
}

function sentOf({ request, attempts }: Call): Sent {
  return { request, attempts };
}

async function tryUntilDone(sender: Sender, call: Call): Promise<Success> {
  const { clock } = sender;
  for (;;) {
    const turn = await sender.pacer.turn(call.signal, call.deadlineMs);
    if ('waitMs' in turn) throw refused(call, turn.waitMs);
    call.attempts += 1;
    try {
      return await useTurn(sender, call, turn);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      call.failure = error;
    }
    const { failure: error, attempts: attempt, request } = call;
    const delayMs = retryDelay(error, call.outgoing, attempt, clock.random());
    const isInTime = clock.nowMs() + delayMs <= call.deadlineMs;
    if (attempt >= sender.maxAttempts || !isInTime) throw error;
    sender.onRetry({ request, attempt, delayMs, error });
    await sleep(clock, delayMs, call.signal);
  }
}

/** The turn ends with the head of the response, so that other requests need not wait for its body. */
async function useTurn(sender: Sender, call: Call, turn: Turn): Promise<Success> {
  let isEnded = false;
  const end = (head: ResponseHead | null): void => {
    if (!isEnded) turn.end(head);
    isEnded = true;
  };
  try {
    const attempt = { ...sentOf(call), signal: call.signal, onHead: end };
    return await attemptOnce(sender, call.outgoing, attempt);
  } finally {
    end(null);
  }
}

function refused(call: Call, waitMs: number): RequestError {
  if (call.failure !== undefined) return call.failure;
  const reason = 'the rate limit is used up for longer than the call may last, so nothing was sent';
  const body = { reason, errors: [] };
  return new RateLimitError({ status: 429, body, retryAfterMs: waitMs }, sentOf(call));
}

/** The wait before the next attempt; Infinity for no further attempt. */
function retryDelay(
  error: RequestError,
  outgoing: Outgoing,
  attempt: number,
  random: number,
): number {
  const isRefusal = error instanceof RateLimitError;
  if (!isRefusal && !(isRepeatable(outgoing) && mayBeTemporary(error))) return Infinity;
  const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : null;
  return retryAfterMs ?? random * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}

/** Whether sending the request twice has the same effect as sending it once. */
function isRepeatable({ method, headers }: Outgoing): boolean {
  return method === 'GET' || method === 'HEAD' || 'Idempotency-Key' in headers;
}

/**
 * A body that was cut off counts too. The form of a body is checked later, and never leads to a retry. 409 with
 * `Retry-After`: an equal request with the same key is still under way.
 */
function mayBeTemporary(error: RequestError): boolean {
  if (!(error instanceof ApiError)) return true;
  return temporary.includes(error.status) || (error.status === 409 && error.retryAfterMs !== null);
}
