import assert from 'node:assert/strict';
import { createRedisLimiter } from '../redis.ts';
import type { RedisLimiterOptions, SharedLimiter, SharingState } from '../redis.ts';
import { parseRedisUrl } from '../redis-url.ts';
import type { Clock } from '../memory.ts';
import type { MakeLimiter } from '../limiter-contract.ts';
import type { Hit, Limiter, RateLimit } from '../limiter.ts';

/** The specified rate: 100 requests per minute. */
export const SPECIFIED: RateLimit = { limit: 100, windowMs: 60_000 };

/** A limiter over Redis, not yet opened, and the states that it has reported. */
export interface Watched {
  readonly limiter: SharedLimiter;
  readonly states: SharingState[];
}

/** The longest time from the return of Redis until counts are shared again (F9). */
const sharedAgainMs = 5_000;

/** Longer than the service waits, because a machine that runs tests is busy. */
const timeoutMs = 400;

/** Creates a limiter with the specified rate over the Redis at `url`. The caller closes it. */
export function watch(url: string, options: Partial<RedisLimiterOptions> = {}): Watched {
  const states: SharingState[] = [];
  const limiter = createRedisLimiter({
    rateLimit: SPECIFIED,
    timeoutMs,
    address: parseRedisUrl(url)!,
    onStateChange: (state) => states.push(state),
    ...options,
  });
  return { limiter, states };
}

/** Like {@link watch}, but opens the limiter and resolves when hits are shared. */
export async function share(url: string, options?: Partial<RedisLimiterOptions>): Promise<Watched> {
  const watched = watch(url, options);
  await watched.limiter.open();
  await sharedAgain(watched.limiter);
  return watched;
}

/**
 * Creates limiters over the Redis at `url` for the contract of all limiters. Limiters with the same rate limit share a
 * connection, because a property test creates hundreds of them. Each has its own clients instead.
 */
export function contractLimiters(url: () => string): {
  readonly make: MakeLimiter;
  readonly close: () => Promise<void>;
} {
  const kept = new Map<string, SharedLimiter>();
  let clock: Clock;
  let made = 0;
  const now = (): number => clock.wallMs();
  return {
    make: async (options) => {
      clock = options.clock;
      const { rateLimit } = options;
      const name = JSON.stringify(rateLimit);
      const known = kept.get(name);
      const limiter = known ?? (await share(url(), { rateLimit, now, timeoutMs: 5000 })).limiter;
      kept.set(name, limiter);
      const run = (made += 1);
      return { hit: (client) => limiter.hit(`${run} ${client}`), close: () => Promise.resolve() };
    },
    close: async () => {
      for (const limiter of kept.values()) await limiter.close();
    },
  };
}

/** Hits one client several times, one after the other, and returns the last result. */
export async function hitTimes(limiter: Limiter, key: string, times: number): Promise<Hit> {
  for (let i = 1; i < times; i += 1) await limiter.hit(key);
  return limiter.hit(key);
}

/** Hits many times at once, and resolves with all results. */
export function atOnce(times: number, hit: (n: number) => Hit | Promise<Hit>): Promise<Hit[]> {
  return Promise.all(Array.from({ length: times }, (_, n) => Promise.resolve(hit(n))));
}

/** Resolves when hits are shared, without sending any; fails after 5 seconds by default. */
export async function sharedAgain(limiter: SharedLimiter, withinMs?: number): Promise<void> {
  await untilTrue(() => limiter.sharing().isShared, 'Redis is not shared again', withinMs);
}

/** Resolves when a condition holds; fails after 5 seconds by default. */
export async function untilTrue(
  isSo: () => boolean | Promise<boolean>,
  complaint: string,
  withinMs: number = sharedAgainMs,
): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadlineMs, `${complaint} within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
