import type { Limiter, RateLimit } from './limiter.ts';
import { createMemoryLimiter } from './memory.ts';
import { nameOf } from './redis/redis-url.ts';
import type { RedisAddress } from './redis/redis-url.ts';
import type { SharingState } from './redis/shared-limiter.ts';

/** How requests are counted. */
export interface LimiterOptions {
  readonly rateLimit: RateLimit;
  /** The server that shares the counts; null to count in the memory of this process. */
  readonly redis: RedisAddress | null;
  /** Limiters with different spaces count apart in one Redis; empty by default. */
  readonly space?: string;
  /** How long to wait for the server before counting locally; 100 ms by default. */
  readonly timeoutMs?: number | undefined;
  /** Called with the name of the server whenever counting changes from shared to local or back. */
  readonly onStateChange?: (state: SharingState, server: string) => void;
}

/** Creates a limiter in memory or over Redis, whose code is loaded only when it is needed. */
export async function createLimiter(options: LimiterOptions): Promise<Limiter> {
  const { rateLimit, redis, space = '', timeoutMs, onStateChange } = options;
  if (redis === null) return createMemoryLimiter({ rateLimit });
  const { createRedisLimiter } = await import('./redis/redis-limiter.ts');
  return createRedisLimiter({
    rateLimit,
    address: redis,
    space,
    ...(timeoutMs !== undefined && { timeoutMs }),
    onStateChange: (state) => onStateChange?.(state, nameOf(redis)),
  });
}
