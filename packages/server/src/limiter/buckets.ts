import { systemClock } from './memory.ts';
import type { Clock } from './memory.ts';
import type { Hit, Limiter } from './limiter.ts';

/** How many requests a client may send at once, and how many each second in the long run. */
export interface BucketSize {
  readonly burst: number;
  readonly perSecond: number;
}

/** What is left in a bucket, and when it was counted. */
interface Bucket {
  left: number;
  atMs: number;
}

/** When there are so many buckets, those that are full again are forgotten. */
const swept = 10_000;

/**
 * A limiter with a bucket for each client: it holds `burst` requests, and is filled again with `perSecond`. It suits
 * clients that send many requests at once and then none. It counts in the memory of this process, for clients that are
 * known: their number is not the choice of a stranger.
 */
export function createBuckets(
  { burst, perSecond }: BucketSize,
  clock: Clock = systemClock,
): Limiter {
  const buckets = new Map<string, Bucket>();
  const perMs = perSecond / 1000;
  const leftAt = ({ left, atMs }: Bucket, nowMs: number): number =>
    Math.min(burst, left + (nowMs - atMs) * perMs);
  const sweep = (nowMs: number): void => {
    for (const [key, bucket] of buckets) if (leftAt(bucket, nowMs) >= burst) buckets.delete(key);
  };
  return {
    hit: (key): Hit => {
      const nowMs = clock.monotonicMs();
      if (buckets.size >= swept && !buckets.has(key)) sweep(nowMs);
      const before = leftAt(buckets.get(key) ?? { left: burst, atMs: nowMs }, nowMs);
      const allowed = before >= 1;
      const left = allowed ? before - 1 : before;
      buckets.set(key, { left, atMs: nowMs });
      return {
        limit: burst,
        remaining: Math.floor(left),
        allowed,
        resetsAtMs: Math.ceil(clock.wallMs() + (burst - left) / perMs),
        retryAfterMs: Math.max(1, (1 - left) / perMs),
      };
    },
    clientCount: () => buckets.size,
    close: () => Promise.resolve(),
  };
}
