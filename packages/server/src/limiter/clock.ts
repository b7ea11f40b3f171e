/** The two readings of time a limiter needs. */
export interface Clock {
  /** Milliseconds since some fixed moment, 0 or more, with fractions; never goes back. */
  monotonicMs(): number;
  /** Milliseconds since the Unix epoch; may jump either way when the machine's clock is set. */
  wallMs(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  // Date.now() drops the fraction of the running millisecond. Counting that millisecond as over
  // keeps an announced reset from ever lying before the end of its window.
  wallMs: () => Date.now() + 1,
};
