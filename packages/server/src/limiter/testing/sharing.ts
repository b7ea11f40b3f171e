import assert from 'node:assert/strict';
import { createRedisLimiter } from '../redis.ts';
import type { RedisLimiterOptions } from '../redis.ts';
import { parseRedisUrl } from '../redis-url.ts';
import type { SharedLimiter, SharingState } from '../shared-limiter.ts';
import type { Clock } from '../clock.ts';
import type { Hit } from '../limiter.ts';
import { LAW } from './limiter-under-test.ts';
import type { MakeLimiter } from './limiter-under-test.ts';

/** A limiter of the law's rate over the Redis at `url`, with the states that it has told of, not yet opened. */
export interface Watched {
  readonly limiter: SharedLimiter;
  readonly states: SharingState[];
}

/** Within this time sharing is back when Redis is (F9). */
const sharedAgainMs = 5_000;

/** Longer than the service waits, because a machine that runs tests has other things to do. */
const timeoutMs = 400;

/** The caller closes the limiter. */
export function watch(url: string, options: Partial<RedisLimiterOptions> = {}): Watched {
  const states: SharingState[] = [];
  const limiter = createRedisLimiter({
    rateLimit: LAW,
    timeoutMs,
    address: parseRedisUrl(url)!,
    onStateChange: (state) => states.push(state),
    ...options,
  });
  return { limiter, states };
}

/** As {@link watch}; resolves when hits are shared. */
export async function share(
  url: string,
  options: Partial<RedisLimiterOptions> = {},
): Promise<Watched> {
  const watched = watch(url, options);
  await watched.limiter.open();
  await sharedAgain(watched.limiter);
  return watched;
}

/**
 * Makes limiters for the contract of all limiters over the Redis at `url`. A connection is used again for the same rate
 * limit, because a property asks for hundreds of limiters; each of them has sources of its own instead.
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
      return { hit: (source) => limiter.hit(`${run} ${source}`), close: () => Promise.resolve() };
    },
    close: async () => {
      for (const limiter of kept.values()) await limiter.close();
    },
  };
}

/** Hits many times at once, and resolves to all answers. */
export function atOnce(times: number, hit: (n: number) => Hit | Promise<Hit>): Promise<Hit[]> {
  return Promise.all(Array.from({ length: times }, (_, n) => Promise.resolve(hit(n))));
}

/** Resolves when hits are shared, which nobody has to ask for; fails after 5 seconds, or what is given. */
export async function sharedAgain(
  limiter: SharedLimiter,
  withinMs: number = sharedAgainMs,
): Promise<void> {
  await untilTrue(() => limiter.sharing().isShared, 'Redis is not shared again', withinMs);
}

/** Resolves when a condition holds; fails after 5 seconds, or what is given. */
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
