/**
 * Where the client has its time and its chance from. Tests give their own, and then wait for nothing.
 */
export interface Clock {
  /** Milliseconds since some moment; never goes back, and knows nothing of the date. */
  nowMs(): number;
  /** Calls back once after `delayMs`, 0 to 86,400,000. Returns what takes that back. */
  after(delayMs: number, callback: () => void): () => void;
  /** A number from 0 up to but not including 1. */
  random(): number;
}

/** The machine's own. Its monotonic clock, because the date of a machine may be wrong and may be set. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
