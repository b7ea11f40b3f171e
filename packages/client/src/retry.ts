import { linkSignals, sleep } from './abort.ts';
import { ApiError, RateLimitError, RequestError, TimeoutError } from './errors.ts';
import type { RequestSummary, Sent } from './errors.ts';
import type { Pacer, Turn } from './pacing.ts';
import { attemptOnce } from './transport.ts';
import type { Outgoing, Success, Transport } from './transport.ts';
import type { AnswerHead } from './window.ts';

const firstBackoffMs = 500;
const longestBackoffMs = 30_000;
/** What another attempt may mend. 501 and 505 say that it will not. */
const passing = [408, 500, 502, 503, 504];

/** What `onRetry` is told. */
export interface RetryNotice {
  /** What is asked. */
  readonly request: RequestSummary;
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** How long until the next one; the rate limit may make it longer. */
  readonly delayMs: number;
  /** Why it failed. */
  readonly error: RequestError;
}

/** How often and how long a call is tried. */
export interface RetryLimits {
  readonly maxAttempts: number;
  /** For the whole call: waits, attempts, and waits for leave to send. */
  readonly maxElapsedMs: number;
  readonly onRetry: (notice: RetryNotice) => void;
}

/** All that sending takes. */
export interface Sender extends RetryLimits {
  readonly transport: Transport;
  readonly pacer: Pacer;
}

/** A 2xx answer and what it took. */
export type Received = Success & Sent;

const timeIsOver = Symbol('maxElapsedMs is over');

/**
 * Sends a request until it succeeds, cannot, or has been tried enough.
 *
 * After 429 it waits as long as `Retry-After` says, else by exponential backoff with full jitter. 429 is always tried
 * again, because nothing has happened; what else may pass only when the request is safe or has a key.
 */
export async function send(
  sender: Sender,
  outgoing: Outgoing,
  signals: readonly (AbortSignal | undefined)[],
): Promise<Received> {
  const { clock } = sender.transport;
  const { maxElapsedMs } = sender;
  const call: Call = {
    outgoing,
    deadlineMs: clock.nowMs() + maxElapsedMs,
    request: { method: outgoing.method, url: outgoing.url },
    ...linkSignals(signals, { clock, afterMs: maxElapsedMs, reason: timeIsOver }),
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
  const { clock } = sender.transport;
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

/** The turn ends with the head of the answer, so that others need not wait for its body. */
async function useTurn({ transport }: Sender, call: Call, turn: Turn): Promise<Success> {
  let isEnded = false;
  const end = (head: AnswerHead | null): void => {
    if (!isEnded) turn.end(head);
    isEnded = true;
  };
  try {
    const attempt = { ...sentOf(call), signal: call.signal, onHead: end };
    return await attemptOnce(transport, call.outgoing, attempt);
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

/** How long to wait before the next attempt; Infinity when there is to be none. */
function retryDelay(
  error: RequestError,
  outgoing: Outgoing,
  attempt: number,
  random: number,
): number {
  const isRefusal = error instanceof RateLimitError;
  if (!isRefusal && !(isRepeatable(outgoing) && mayPass(error))) return Infinity;
  const asked = error instanceof ApiError ? error.retryAfterMs : null;
  return asked ?? random * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}

/** Whether sending the request twice does what sending it once does. */
function isRepeatable({ method, headers }: Outgoing): boolean {
  return method === 'GET' || method === 'HEAD' || 'Idempotency-Key' in headers;
}

/** A body that could not be read is one; whether it has the right form is looked at later. */
function mayPass(error: RequestError): boolean {
  return !(error instanceof ApiError) || passing.includes(error.status);
}
