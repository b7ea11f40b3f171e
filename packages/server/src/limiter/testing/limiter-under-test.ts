import type { Clock } from '../clock.ts';
import type { Hit, Limiter, RateLimit } from '../limiter.ts';

/** What a limiter under test is made with. It must take its time from `clock` alone. */
export interface LimiterContractOptions {
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
}

export type MakeLimiter = (options: LimiterContractOptions) => Limiter | Promise<Limiter>;

/** The law's own figure: 100 requests per minute. */
export const LAW: RateLimit = { limit: 100, windowMs: 60_000 };

/** Runs `body` on a fresh limiter and closes it, whatever comes of it. */
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

/** Hits one source several times, one after the other, and returns the last answer. */
export async function hitTimes(limiter: Limiter, key: string, times: number): Promise<Hit> {
  for (let i = 1; i < times; i += 1) await limiter.hit(key);
  return limiter.hit(key);
}
