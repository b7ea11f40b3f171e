import { readRetryAfter, readWindow } from './rate-limit-headers.ts';
import type { WindowReading } from './rate-limit-headers.ts';
import { readHttpDate } from './http-date.ts';
import { ServerClock } from './server-clock.ts';
import type { Moments } from './server-clock.ts';

/** The last part of a window, of its limit, is spread over the time that is left. */
const spreadPart = 0.2;
/** Clients that wait for one reset come back within this time, not at once. */
const jitterMs = 250;
/** A reset further off than this is a misunderstanding: the longest window of the service is a day. */
const longestWindowMs = 25 * 3_600_000;

/** The head of an answer. */
export interface AnswerHead extends Moments {
  /** The HTTP status. */
  readonly status: number;
  /** Its header fields. */
  readonly headers: Headers;
}

/**
 * The one view that a client has of its rate limit window.
 *
 * Says when the next request may go. While nothing is known, one request goes and the others wait for what it tells;
 * each request that ends without telling anything doubles how many may go. A service that never tells is not paced.
 * Once the window is known, requests go at once until a fifth of it is left. That fifth is spread over the rest of the
 * window, thinner when others spend from the same window, and the last ones are left to those others. Then nothing goes
 * until the reset, and after it one request first.
 */
export class RequestWindow {
  readonly #random: () => number;
  readonly #serverClock = new ServerClock();
  #reading: WindowReading | null = null;
  /** When the head that gave the reading came. */
  #readAtMs = -Infinity;
  #allowance = 1;
  #inFlight = 0;
  #blockedUntilMs = -Infinity;
  #lastSentAtMs = -Infinity;
  #jitter = 0;
  /** How many requests of all who share the window go for each of ours; 1 when we are alone. */
  #share = 1;
  #firstRemaining = 0;
  #sentInWindow = 0;

  /** `random` as of a clock. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** How long the next request has to wait; Infinity: until one that is under way has ended. */
  delayMs(nowMs: number): number {
    if (nowMs < this.#blockedUntilMs) return this.#blockedUntilMs - nowMs;
    const endsAtMs = this.#endsAtMs(nowMs);
    if (endsAtMs !== null && nowMs >= endsAtMs) this.#forget();
    if (this.#reading === null) return this.#inFlight < this.#allowance ? 0 : Infinity;
    const available = this.#reading.remaining - this.#inFlight;
    if (endsAtMs === null) return available > 0 || this.#inFlight === 0 ? 0 : Infinity;
    const reserve = Math.ceil(this.#reading.limit * spreadPart);
    // Others that were hungry once must not keep us from ever asking again.
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

  /** Counts the end of a request. `head` is null when no answer came. */
  release(head: AnswerHead | null): void {
    this.#inFlight -= 1;
    const reading = head === null ? null : readWindow(head.headers);
    if (head === null) this.#takeOne();
    else this.#note(head, reading);
    if (this.#reading === null && head?.status !== 429) this.#allowMore(head, reading);
  }

  #note(head: AnswerHead, reading: WindowReading | null): void {
    const retryAfterMs = head.status === 429 ? readRetryAfter(head.headers) : null;
    this.#noteClock(head, reading, retryAfterMs);
    if (head.status === 429) {
      this.#forget();
      if (retryAfterMs !== null) this.#block(head.receivedAtMs + retryAfterMs);
      // Retry-After is nearer to the truth than a reset in whole seconds of another clock.
      if (retryAfterMs !== null || reading === null) return;
    }
    if (reading !== null) this.#take(reading, head);
  }

  #noteClock(head: AnswerHead, reading: WindowReading | null, retryAfterMs: number | null): void {
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

  /** A request without an answer may have been counted all the same. */
  #takeOne(): void {
    if (this.#reading === null) return;
    this.#reading = { ...this.#reading, remaining: Math.max(0, this.#reading.remaining - 1) };
  }

  #begin({ remaining }: WindowReading): void {
    this.#firstRemaining = remaining;
    this.#sentInWindow = 0;
    this.#jitter = this.#random() * jitterMs;
  }

  /** A service that answers well and says nothing of a limit has none. */
  #allowMore(head: AnswerHead | null, reading: WindowReading | null): void {
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
