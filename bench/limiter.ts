import { createMemoryLimiter } from '../packages/server/src/limiter/memory.ts';
import type { PartPlan } from './measure/plan.ts';
import type { Figure } from './report/figure.ts';
import { writeResults } from './report/results.ts';

const hits = 2_000_000;
/** As many clients as have a count of their own. */
const clients = 200_000;
const flood = 1_000_000;
const rateLimit = { limit: 100, windowMs: 60_000 };
const keys = Array.from({ length: 1024 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);

/**
 * Measures hits of 1,024 busy clients, of 200,000 new ones, and of a million in each window; the memory of the 200,000;
 * and the slowest hit of a new client, which enlarges the Map. Times are processor time, which varies less on a shared
 * machine. Writes the figures also to a file of their own.
 */
export function measureLimiter({ rows, stamp }: PartPlan): Figure[] {
  const limiter = createMemoryLimiter({ rateLimit });
  const hit = (key: string): unknown => limiter.hit(key);
  nanoseconds(hits, (index) => hit(busyKey(index)));
  const few = nanoseconds(hits, (index) => hit(busyKey(index)));
  const before = process.memoryUsage.rss();
  const many = nanoseconds(clients, (index) => hit(newKey(index)));
  const grown = (process.memoryUsage.rss() - before) / 1e6;
  const figures: Figure[] = [
    { name: 'a limiter hit', value: few, unit: 'ns', atMost: 1000 },
    { name: 'a limiter hit, 200,000 new clients', value: many, unit: 'ns', atMost: 1500 },
    { name: 'a limiter hit, a million clients a window', value: flow(), unit: 'ns', atMost: 3000 },
    { name: 'memory of 200,000 clients', value: Math.max(0, grown), unit: 'MB', atMost: 60 },
    { name: 'slowest limiter hit', value: slowest(), unit: 'ms', atMost: 50 },
  ];
  writeResults('limiter.json', { ...stamp, rows, figures });
  return figures;
}

function nanoseconds(count: number, work: (index: number) => unknown): number {
  const started = process.cpuUsage();
  for (let index = 0; index < count; index += 1) work(index);
  const { user, system } = process.cpuUsage(started);
  return ((user + system) * 1000) / count;
}

/** Measures hits of new clients that arrive evenly, a million in each window, in nanoseconds. */
function flow(): number {
  let nowMs = 0;
  const clock = { monotonicMs: () => nowMs, wallMs: () => nowMs };
  const limiter = createMemoryLimiter({ rateLimit, clock });
  return nanoseconds(3 * flood, (index) => {
    nowMs += rateLimit.windowMs / flood;
    limiter.hit(newKey(index));
  });
}

/** Measures the slowest hit, in milliseconds. Each does the same work in every round, so its least time is its cost. */
function slowest(): number {
  const leastUs = new Float64Array(clients).fill(Infinity);
  for (let round = 0; round < 5; round += 1) {
    const limiter = createMemoryLimiter({ rateLimit });
    for (let index = 0; index < clients; index += 1) {
      const started = process.threadCpuUsage();
      limiter.hit(newKey(index));
      const { user, system } = process.threadCpuUsage(started);
      leastUs[index] = Math.min(leastUs[index]!, user + system);
    }
  }
  return leastUs.reduce((most, us) => Math.max(most, us)) / 1000;
}

function busyKey(index: number): string {
  return keys[index & 1023]!;
}

function newKey(index: number): string {
  return `${10 + (index >> 24)}.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
}
