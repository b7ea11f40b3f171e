import { createMemoryLimiter } from '../packages/server/src/limiter/memory.ts';
import type { Figure } from './report/figure.ts';

const hits = 2_000_000;
const clients = 1_000_000;
const rateLimit = { limit: 100, windowMs: 60_000 };
const keys = Array.from({ length: 1024 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);

/**
 * Measures the time of a hit for 1,024 busy clients and for a million new ones, the memory of the million, and the
 * slowest hit that frees this memory.
 */
export function measureLimiter(): Figure[] {
  const limiter = createMemoryLimiter({ rateLimit });
  const nanoseconds = (count: number, key: (index: number) => string): number => {
    const startedMs = performance.now();
    for (let index = 0; index < count; index += 1) limiter.hit(key(index));
    return ((performance.now() - startedMs) * 1e6) / count;
  };
  nanoseconds(hits, busyKey);
  const few = nanoseconds(hits, busyKey);
  const before = process.memoryUsage.rss();
  const many = nanoseconds(clients, newKey);
  const grown = (process.memoryUsage.rss() - before) / 1e6;
  const [flowing, dearest] = measureFlow();
  return [
    { name: 'a limiter hit', value: few, unit: 'ns', atMost: 1000 },
    { name: 'a limiter hit, a million new clients', value: many, unit: 'ns', atMost: 1000 },
    { name: 'a limiter hit, a million clients a window', value: flowing, unit: 'ns', atMost: 1000 },
    { name: 'memory of a million clients', value: Math.max(0, grown), unit: 'MB', atMost: 150 },
    { name: 'slowest limiter hit that frees memory', value: dearest, unit: 'ns', atMost: 1e6 },
  ];
}

/**
 * Measures hits of new clients that arrive evenly, a million in each window, and the slowest hit that later frees their
 * memory, both in nanoseconds. These hits do the same work in every round, so the least time of each is its cost, and
 * the rest is noise.
 */
function measureFlow(): [number, number] {
  const windows = 3;
  const rounds = 3;
  const givingBack = 1000;
  let nowMs = 0;
  const clock = { monotonicMs: () => nowMs, wallMs: () => nowMs };
  const limiter = createMemoryLimiter({ rateLimit, clock });
  const leastMs = new Float64Array(givingBack).fill(Infinity);
  let flowMs = 0;
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now();
    for (let index = 0; index < windows * clients; index += 1) {
      nowMs += rateLimit.windowMs / clients;
      limiter.hit(newKey(index));
    }
    flowMs += performance.now() - startedMs;
    nowMs += 2 * rateLimit.windowMs;
    for (let index = 0; index < givingBack; index += 1) {
      const hitMs = performance.now();
      limiter.hit(busyKey(index));
      leastMs[index] = Math.min(leastMs[index]!, performance.now() - hitMs);
    }
  }
  return [(flowMs * 1e6) / (rounds * windows * clients), Math.max(...leastMs) * 1e6];
}

function busyKey(index: number): string {
  return keys[index & 1023]!;
}

function newKey(index: number): string {
  return `${10 + (index >> 24)}.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
}
