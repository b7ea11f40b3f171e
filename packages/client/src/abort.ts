import type { Clock } from './clock.ts';

/** A signal of one piece of work. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Takes listeners and timer away again. To be called when the work is done, however it ended. */
  readonly release: () => void;
}

/** When a signal aborts by itself, and with what. */
export interface Expiry {
  readonly clock: Clock;
  readonly afterMs: number;
  readonly reason: unknown;
}

/** Makes a signal that aborts, with the same reason, as soon as one of `parents` does or the time is over. */
export function linkSignals(
  parents: readonly (AbortSignal | undefined)[],
  { clock, afterMs, reason }: Expiry,
): LinkedSignal {
  const controller = new AbortController();
  const undo = [clock.after(afterMs, () => controller.abort(reason))];
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
 * Settles as `work` does, or rejects with the signal's reason when that aborts first, also where the work itself does
 * not look at the signal.
 */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let listener = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    listener = resolve;
    if (signal.aborted) resolve();
    signal.addEventListener('abort', listener, { once: true });
  });
  try {
    return await Promise.race([aborted.then(() => rejection(signal)), work]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
}

/** Waits. Rejects with the signal's reason when it is aborted, and then leaves no timer. */
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

async function rejection(signal: AbortSignal): Promise<never> {
  await Promise.resolve();
  signal.throwIfAborted();
  throw new Error('The signal is not aborted');
}
