import type { RedisServer } from '../packages/server/src/limiter/testing/redis-server.ts';

/** Something that happens to a Redis, and how it is mended. */
export interface RedisBlow {
  readonly name: string;
  strike(redis: RedisServer): unknown;
  mend(redis: RedisServer): unknown;
  /** Whether nodes count alone from the blow until it is mended; otherwise it is over at once. */
  readonly lasts: boolean;
}

/** Killed, stopped where it is, without memory, and started anew so soon that requests meet it before and after. */
export const redisBlows: readonly RedisBlow[] = [
  {
    name: 'dead',
    strike: (redis) => redis.kill(),
    mend: (redis) => redis.restart(),
    lasts: true,
  },
  {
    name: 'paused',
    strike: (redis) => redis.freeze(),
    mend: (redis) => redis.thaw(),
    lasts: true,
  },
  {
    name: 'full',
    strike: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '1mb'),
    mend: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '0'),
    lasts: true,
  },
  {
    name: 'restarted',
    strike: async (redis: RedisServer): Promise<void> => {
      await redis.kill();
      await redis.restart();
    },
    mend: () => undefined,
    lasts: false,
  },
];
