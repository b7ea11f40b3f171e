import { readHttpDate, readRetryAfter, readWindow, type WindowReading } from './headers.ts';

/** This last part of the limit is spread over the time that is left. */
const spreadPart = 0.2;
/** Clients that wait for the same reset send again spread over this time, not at once. */
const jitterMs = 250;
/** A later reset is not plausible: the longest window of the service is a day. */
const longestWindowMs = 25 * 3_600_000;
/** A service may cache its `Date` header, which is then a little late. */
const slackMs = 1000;
/** Two good clocks drift apart by less than this: 0.2 seconds in 1,000. */
const drift = 200e-6;

/** When a request was sent and its response began, by the client's clock. */
interface Moments {
  readonly sentAtMs: number;
  /** When the head of the response arrived. */
  readonly receivedAtMs: number;
}

/** The head of a response. */
export interface ResponseHead extends Moments {
  /** The HTTP status. */
  readonly status: number;
  /** Its header fields. */
  readonly headers: Headers;
}

/**
 * The client's view of its rate limit window: decides when the next request may be sent.
 *
 * While the window is not known, one request is sent and the others wait for its response. Each response without rate
 * limit headers doubles how many may be sent. A service without these headers is not paced. Once the window is known,
 * requests are sent at once until a fifth of the limit is left. That fifth is spread over the rest of the window,
 * thinner when other clients share the window, and the last requests are left to them. Then nothing is sent until the
 * reset, and after it one request first.
 */
export class RequestWindow {
  readonly #random: () => number;
  readonly #serverClock = new ServerClock();
  #reading: WindowReading | null = null;
  /** When the head with the reading arrived. */
  #readAtMs = -Infinity;
  #allowance = 1;
  #inFlight = 0;
  #blockedUntilMs = -Infinity;
  #lastSentAtMs = -Infinity;
  #jitter = 0;
  /** Requests of all clients that share the window, per request of this client; 1 when it is alone. */
  #share = 1;
  #firstRemaining = 0;
  #sentInWindow = 0;

  /** `random` returns a number from 0 up to but not including 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** How long the next request must wait; Infinity: until a pending request has ended. */
  delayMs(nowMs: number): number {
    if (nowMs < this.#blockedUntilMs) return this.#blockedUntilMs - nowMs;
    const endsAtMs = this.#endsAtMs(nowMs);
    if (endsAtMs !== null && nowMs >= endsAtMs) this.#forget();
    if (this.#reading === null) return this.#inFlight < this.#allowance ? 0 : Infinity;
    const available = this.#reading.remaining - this.#inFlight;
    if (endsAtMs === null) return available > 0 || this.#inFlight === 0 ? 0 : Infinity;
    const reserve = Math.ceil(this.#reading.limit * spreadPart);
    // A burst of other clients must not stop this client for good.
    const share = Math.min(this.#share, reserve);
    if (available < share) return endsAtMs - nowMs;
    if (available > reserve) return 0;
    const gapMs = (share * (endsAtMs - nowMs)) / (available + 1);
    return Math.max(0, Math.min(this.#lastSentAtMs + gapMs, endsAtMs) - nowMs);
  }

  /** Counts a request that is about to be sent. */
  reserve(nowMs: number): void {
    this.#inFlight += 1;
    this.#sentInWindow += 1;
    this.#lastSentAtMs = nowMs;
  }

  /** Counts the end of a request. `head` is null when there was no response. */
  release(head: ResponseHead | null): void {
    this.#inFlight -= 1;
    const reading = head === null ? null : readWindow(head.headers);
    if (head === null) this.#takeOne();
    else this.#note(head, reading);
    if (this.#reading === null && head?.status !== 429) this.#allowMore(head, reading);
  }

  #note(head: ResponseHead, reading: WindowReading | null): void {
    const retryAfterMs = head.status === 429 ? readRetryAfter(head.headers) : null;
    this.#noteClock(head, reading, retryAfterMs);
    if (head.status === 429) {
      this.#forget();
      if (retryAfterMs !== null) this.#block(head.receivedAtMs + retryAfterMs);
      // Retry-After is more exact than a reset in whole seconds of another clock.
      if (retryAfterMs !== null || reading === null) return;
    }
    if (reading !== null) this.#take(reading, head);
  }

  #noteClock(head: ResponseHead, reading: WindowReading | null, retryAfterMs: number | null): void {
    const dateMs = readHttpDate(head.headers.get('date'));
    let wasSetBack = false;
    const resetSeconds = reading?.resetSeconds ?? null;
    if (dateMs !== null) wasSetBack = this.#serverClock.note(dateMs, dateMs + 1000, head);
    else if (retryAfterMs !== null && resetSeconds !== null) {
      // Both are rounded up, from one reading of the service's clock.
      const nowMs = resetSeconds * 1000 - retryAfterMs;
      wasSetBack = this.#serverClock.note(nowMs - 1000, nowMs + 1000, head);
    }
    if (wasSetBack) this.#forget();
  }

  #take(reading: WindowReading, { sentAtMs, receivedAtMs }: Moments): void {
    const before = this.#reading;
    const isNext = before === null || (reading.resetSeconds ?? 0) > (before.resetSeconds ?? 0);
    const isLater = sentAtMs >= this.#readAtMs;
    if (isNext) this.#begin(reading);
    if (isNext || isLater) {
      this.#reading = reading;
      this.#readAtMs = receivedAtMs;
    } else {
      this.#reading = { ...before, remaining: Math.min(before.remaining, reading.remaining) };
    }
    const spent = this.#firstRemaining - this.#reading.remaining;
    if (this.#sentInWindow > 0) this.#share = Math.max(1, spent / this.#sentInWindow);
  }

  /** The service may have counted a request without a response. */
  #takeOne(): void {
    if (this.#reading === null) return;
    this.#reading = { ...this.#reading, remaining: Math.max(0, this.#reading.remaining - 1) };
  }

  #begin({ remaining }: WindowReading): void {
    this.#firstRemaining = remaining;
    this.#sentInWindow = 0;
    this.#jitter = this.#random() * jitterMs;
  }

  /** A service without rate limit headers on a successful response has no limit. */
  #allowMore(head: ResponseHead | null, reading: WindowReading | null): void {
    const hasNone = head !== null && head.status < 400 && reading === null;
    this.#allowance = hasNone ? Infinity : this.#allowance * 2;
  }

  #block(untilMs: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, untilMs + this.#random() * jitterMs);
  }

  #forget(): void {
    this.#reading = null;
    this.#allowance = 1;
  }

  #endsAtMs(nowMs: number): number | null {
    const resetSeconds = this.#reading?.resetSeconds ?? null;
    if (resetSeconds === null) return null;
    const resetAtMs = this.#serverClock.toLocalMs(resetSeconds * 1000);
    if (resetAtMs === null || resetAtMs - nowMs > longestWindowMs) return null;
    return resetAtMs + this.#jitter;
  }
}

/**
 * Estimate of the service's clock from its responses, relative to the client's clock.
 *
 * The system's date may be minutes wrong, so it is never used. Keeps the smallest difference that the responses
 * allow, so that a moment of the service's clock is never estimated too early.
 */
class ServerClock {
  #offsetMs: number | null = null;
  #notedAtMs = 0;

  /**
   * Notes that the service's clock was between `fromMs` and `toMs` during a request. Returns whether it must have been
   * set back since the previous response. If so, earlier readings of it are no longer valid.
   */
  note(fromMs: number, toMs: number, { sentAtMs, receivedAtMs }: Moments): boolean {
    const atLeast = fromMs - receivedAtMs;
    const atMost = toMs - sentAtMs + slackMs;
    const known = this.#driftedTo(receivedAtMs);
    const wasSetBack = known !== null && known > atMost;
    this.#offsetMs = known === null || wasSetBack ? atLeast : Math.max(known, atLeast);
    this.#notedAtMs = receivedAtMs;
    return wasSetBack;
  }

  /** The client's time of a moment of the service's clock, at the latest; null while not known. */
  toLocalMs(serverMs: number): number | null {
    return this.#offsetMs === null ? null : serverMs - this.#offsetMs;
  }

  #driftedTo(nowMs: number): number | null {
    if (this.#offsetMs === null) return null;
    return this.#offsetMs - Math.max(0, nowMs - this.#notedAtMs) * drift;
  }
}
