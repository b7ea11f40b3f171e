/** Source of time and random numbers. Tests pass a virtual one and need not wait. */
export interface Clock {
  /** Milliseconds since an arbitrary moment. Never goes back. */
  nowMs(): number;
  /** Calls back once after `delayMs`, 0 to 86,400,000. Returns a function that cancels. */
  after(delayMs: number, callback: () => void): () => void;
  /** A number from 0 up to but not including 1. */
  random(): number;
}

/** The system's monotonic clock, because the system's date may be wrong and may change. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/**
 * Creates a signal that aborts as soon as one of `parents` does, with its reason, or after `limitMs`, with
 * `limitReason`. Call `release` when the work has ended, successfully or not: it removes the listeners and the timer.
 */
export function linkSignals(
  parents: readonly (AbortSignal | undefined)[],
  clock: Clock,
  limitMs: number,
  limitReason: unknown,
): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const undo = [clock.after(limitMs, () => controller.abort(limitReason))];
  for (const parent of parents) {
    if (parent === undefined) continue;
    const abort = (): void => controller.abort(parent.reason);
    if (parent.aborted) abort();
    parent.addEventListener('abort', abort, { once: true });
    undo.push(() => parent.removeEventListener('abort', abort));
  }
  return { signal: controller.signal, release: () => undo.forEach((each) => each()) };
}

/**
 * Settles like `work`, or rejects with the signal's reason when the signal aborts first, even if the work ignores it.
 */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let listener = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    listener = resolve;
    if (signal.aborted) resolve();
    signal.addEventListener('abort', listener, { once: true });
  });
  const refused = aborted.then(() => {
    signal.throwIfAborted();
    return work;
  });
  try {
    return await Promise.race([refused, work]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
}

/** Waits. When the signal is aborted, rejects with its reason and leaves no timer. */
export async function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  let cancel = (): void => undefined;
  const woken = new Promise<void>((resolve) => {
    cancel = clock.after(delayMs, resolve);
  });
  try {
    await untilAborted(signal, woken);
  } finally {
    cancel();
  }
}
