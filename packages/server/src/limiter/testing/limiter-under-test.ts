import type { Clock } from '../memory.ts';
import type { Hit, Limiter, RateLimit } from '../limiter.ts';

/** Options of a limiter under test. It must use no clock but `clock`. */
export interface LimiterContractOptions {
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
}

export type MakeLimiter = (options: LimiterContractOptions) => Limiter | Promise<Limiter>;

/** The specified rate: 100 requests per minute. */
export const SPECIFIED: RateLimit = { limit: 100, windowMs: 60_000 };

/** Runs `body` with a new limiter and closes it afterwards, also when `body` fails. */
export async function withLimiter(
  make: MakeLimiter,
  options: LimiterContractOptions,
  body: (limiter: Limiter) => Promise<void>,
): Promise<void> {
  const limiter = await make(options);
  try {
    await body(limiter);
  } finally {
    await limiter.close();
  }
}

/** Hits one client several times, one after the other, and returns the last result. */
export async function hitTimes(limiter: Limiter, key: string, times: number): Promise<Hit> {
  for (let i = 1; i < times; i += 1) await limiter.hit(key);
  return limiter.hit(key);
}
