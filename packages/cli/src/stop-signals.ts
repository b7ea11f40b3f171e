import type { Surroundings } from './surroundings.ts';
import { writeLine } from './surroundings.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;
/** A server that is not closed by then never will be. */
const patienceMs = 8000;
/** A terminal and whoever started the command may each send the same signal once. */
const sameSignalMs = 1000;

export interface StopSignals {
  /** Resolves at the first signal. */
  readonly requested: Promise<void>;
  /** Gives the signals back to the system. */
  readonly release: () => void;
}

/**
 * Listens for SIGINT and SIGTERM. The first asks for an orderly end; `force` is called for another one that comes a
 * second later or more, or when eight seconds have passed since the `delayMs` for which the server goes on.
 */
export function catchStopSignals(
  { stderr, now }: Surroundings,
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
