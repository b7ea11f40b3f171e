import { createMemoryLimiter } from '../packages/server/src/limiter/memory.ts';
import type { Figure } from './figure.ts';

const hits = 2_000_000;
const sources = 1_000_000;

/** What a hit costs, for one busy source and for a million of them, and what the million cost in memory. */
export function measureLimiter(): Figure[] {
  const rateLimit = { limit: 100, windowMs: 60_000 };
  const limiter = createMemoryLimiter({ rateLimit });
  const keys = Array.from({ length: 1024 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
  const nanoseconds = (count: number, key: (index: number) => string): number => {
    const startedMs = performance.now();
    for (let index = 0; index < count; index += 1) limiter.hit(key(index));
    return ((performance.now() - startedMs) * 1e6) / count;
  };
  nanoseconds(hits, (index) => keys[index & 1023] ?? '');
  const few = nanoseconds(hits, (index) => keys[index & 1023] ?? '');
  const before = process.memoryUsage.rss();
  const many = nanoseconds(
    sources,
    (index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
  );
  const grown = (process.memoryUsage.rss() - before) / 1e6;
  return [
    { name: 'a limiter hit', value: few, unit: 'ns', atMost: 1000 },
    { name: 'a limiter hit, a million new sources', value: many, unit: 'ns', atMost: 1000 },
    { name: 'memory of a million sources', value: Math.max(0, grown), unit: 'MB', atMost: 150 },
  ];
}
