import { writeLine, type CommandContext } from './context.ts';
import { Failure } from './failure.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;
/** A server that has not closed by then never will. */
const patienceMs = 8000;
/** A terminal and a parent process may both send the same signal. */
const sameSignalMs = 1000;

export interface StopSignals {
  /** Resolves at the first signal. */
  readonly requested: Promise<void>;
  /** Stops listening. */
  readonly release: () => void;
}

/**
 * Listens for SIGINT and SIGTERM. The first signal requests an orderly end. `force` is called for another signal at
 * least a second later, or when `delayMs` and then eight seconds have passed.
 */
export function catchStopSignals(
  { stderr, now }: CommandContext,
  force: () => void,
  delayMs = 0,
): StopSignals {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let firstMs: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  const giveUp = (): void => {
    writeLine(stderr, 'Stopped without waiting for the requests under way');
    force();
  };
  const take = (): void => {
    const nowMs = now().getTime();
    if (firstMs !== null) {
      if (nowMs - firstMs >= sameSignalMs) giveUp();
      return;
    }
    firstMs = nowMs;
    timer = setTimeout(giveUp, delayMs + patienceMs).unref();
    resolve(undefined);
  };
  for (const signal of signals) process.on(signal, take);
  const release = (): void => {
    clearTimeout(timer);
    for (const signal of signals) process.off(signal, take);
  };
  return { requested: promise, release };
}

/**
 * Runs work that the first SIGINT or SIGTERM aborts with a {@link Failure}. A second signal of the same kind ends the
 * process at once.
 */
export async function untilStopped<T>(
  message: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Failure(message));
  for (const signal of signals) process.once(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
