import { randomBytes } from 'node:crypto';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { KeyHash } from './key-hash.ts';
import type { Hit, Limiter, RateLimit } from './limiter.ts';
import { Generation } from './generation.ts';
import { NO_SLOT } from './source-table.ts';
import { Windows } from './windows.ts';

const DEFAULT_MAX_SOURCES = 1_000_000;
const MOST_MAX_SOURCES = 2 ** 24;
/** A power of two, so that the low bits of a hash choose one. */
const SHARED_WINDOWS = 1024;
/**
 * Each takes the windows that begin in half a window's length. When the fourth begins, the last
 * window of the first has ended.
 */
const GENERATIONS = 3;

/** How a memory limiter counts, and how many windows it keeps. */
export interface MemoryLimiterOptions {
  readonly rateLimit: RateLimit;
  /** Most windows of their own that run at once, 1 to 16,777,216; 1,000,000 unless given. */
  readonly maxSources?: number;
  readonly clock?: Clock;
}

/** A limiter that answers at once. */
export interface MemoryLimiter extends Limiter {
  hit(key: string): Hit;
  /** How many windows of their own run at this moment. */
  sourceCount(): number;
}

/**
 * A limiter that counts in the memory of this process, exactly; counts are lost with the process.
 *
 * Each source has a window of its own until `maxSources` windows run at once. No running window
 * is ever dropped to make room. A source that finds no room counts in one of 1,024 shared windows
 * instead, chosen by a hash under a secret of this process, and stays with it until it ends, also
 * when room returns before: so at no time does a source have more than one window, and none gets
 * more than the limit in it. Sources in a shared window share its quota.
 *
 * Memory: 40 bytes a window, taken from the system as windows begin. A window is forgotten, with
 * all that began within half a length of it, one and a half lengths after its begin at the latest;
 * so at most twice `maxSources` are kept, in 80 MB for a million. There are no timers, later hits
 * do it: the first of them forgets the windows, and each gives back at most 1.5 MiB until at most
 * 3 MiB are held that no window needs, some 100 hits after a million sources. So memory is back two
 * lengths after the last of many sources, given those hits in the last half; a limiter that is not
 * hit again keeps it. Nothing else that a hit does grows with the number of sources, except a
 * binary search once `maxSources` windows are kept.
 *
 * When the system has no memory for a window, its source shares one, as if there were no room.
 *
 * @throws RangeError when `maxSources` is out of bounds
 */
export function createMemoryLimiter(options: MemoryLimiterOptions): MemoryLimiter {
  const { rateLimit, maxSources = DEFAULT_MAX_SOURCES, clock = systemClock } = options;
  if (!Number.isInteger(maxSources) || maxSources < 1 || maxSources > MOST_MAX_SOURCES) {
    throw new RangeError(`Max sources must be 1 to ${MOST_MAX_SOURCES}, not ${maxSources}`);
  }
  return new WindowLimiter(rateLimit, maxSources, clock);
}

class WindowLimiter implements MemoryLimiter {
  readonly #limit: number;
  readonly #maxSources: number;
  readonly #clock: Clock;
  readonly #hash: KeyHash;
  readonly #shared: Windows;
  /** The newest first; windows begin in that one. */
  readonly #generations: Generation[];

  constructor(rateLimit: RateLimit, maxSources: number, clock: Clock) {
    const windowUs = toUs(rateLimit.windowMs);
    this.#limit = rateLimit.limit;
    this.#maxSources = maxSources;
    this.#clock = clock;
    this.#hash = new KeyHash(randomSecret());
    this.#shared = new Windows(SHARED_WINDOWS, windowUs, SHARED_WINDOWS);
    const generation = () => new Generation(maxSources, windowUs);
    this.#generations = Array.from({ length: GENERATIONS }, generation);
  }

  hit(key: string): Hit {
    const nowUs = toUs(this.#clock.monotonicMs());
    const wallUs = toUs(this.#clock.wallMs());
    this.#passTime(nowUs);
    this.#hash.update(key);
    for (const generation of this.#generations) {
      const slot = generation.find(this.#hash);
      if (slot === NO_SLOT) continue;
      if (!generation.windows.isLive(slot, nowUs)) break;
      generation.windows.followWallClock(slot, nowUs, wallUs);
      return this.#count(generation.windows, slot, nowUs);
    }
    return this.#hitWithoutOwn(nowUs, wallUs);
  }

  sourceCount(): number {
    return this.#countLive(toUs(this.#clock.monotonicMs()));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #passTime(nowUs: number): void {
    const generations = this.#generations;
    for (const generation of generations) generation.giveBackEnded(nowUs);
    if (generations[0]!.isComplete(nowUs)) generations.unshift(generations.pop()!);
  }

  /** Counts a hit of a source that has no running window of its own. */
  #hitWithoutOwn(nowUs: number, wallUs: number): Hit {
    const shared = this.#hash.high & (SHARED_WINDOWS - 1);
    if (this.#shared.isLive(shared, nowUs)) {
      this.#shared.followWallClock(shared, nowUs, wallUs);
      return this.#count(this.#shared, shared, nowUs);
    }
    const newest = this.#generations[0]!;
    const own = this.#isFull(nowUs) ? NO_SLOT : newest.begin(this.#hash, nowUs, wallUs);
    if (own !== NO_SLOT) return this.#count(newest.windows, own, nowUs);
    this.#shared.open(shared, nowUs, wallUs);
    return this.#count(this.#shared, shared, nowUs);
  }

  #isFull(nowUs: number): boolean {
    let kept = 0;
    for (const generation of this.#generations) kept += generation.size;
    return kept >= this.#maxSources && this.#countLive(nowUs) >= this.#maxSources;
  }

  #countLive(nowUs: number): number {
    let live = 0;
    for (const generation of this.#generations) live += generation.countLive(nowUs);
    return live;
  }

  #count(windows: Windows, slot: number, nowUs: number): Hit {
    const hits = windows.count(slot);
    return {
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - hits),
      resetsAtMs: Math.ceil(windows.resetUs(slot) / 1000),
      retryAfterMs: (windows.endUs(slot) - nowUs) / 1000,
      allowed: hits <= this.#limit,
    };
  }
}

function toUs(ms: number): number {
  return Math.round(ms * 1000);
}

function randomSecret(): [number, number] {
  const bytes = randomBytes(8);
  return [bytes.readInt32LE(0), bytes.readInt32LE(4)];
}
