/** A `Date` header is made from a kept text that may be a little behind. */
const slackMs = 1000;
/** Two good clocks part by less than this: 0.2 seconds in 1,000. */
const drift = 200e-6;

/** When an answer was asked for and when it began, by the client's clock. */
export interface Moments {
  /** When the request was sent. */
  readonly sentAtMs: number;
  /** When the head of its answer came. */
  readonly receivedAtMs: number;
}

/**
 * The service's clock, as far as its answers tell it, in terms of the client's.
 *
 * The clock of this machine may be minutes wrong, so the two are never compared. What is kept is the smallest
 * difference that the answers allow: a moment of the service's clock is then never taken to be earlier than it is.
 */
export class ServerClock {
  #offsetMs: number | null = null;
  #notedAtMs = 0;

  /**
   * Takes from an answer that the service's clock stood between `fromMs` and `toMs`. Returns whether it must have been
   * set back since the answer before, so that what was known in its terms means nothing any more.
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

  /** The client's time of a moment of the service's clock, at the latest; null while that is not known. */
  toLocalMs(serverMs: number): number | null {
    return this.#offsetMs === null ? null : serverMs - this.#offsetMs;
  }

  #driftedTo(nowMs: number): number | null {
    if (this.#offsetMs === null) return null;
    return this.#offsetMs - Math.max(0, nowMs - this.#notedAtMs) * drift;
  }
}
