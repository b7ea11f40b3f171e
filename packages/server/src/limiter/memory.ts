import { randomBytes } from 'node:crypto';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { KeyHash } from './key-hash.ts';
import type { Hit, Limiter, RateLimit } from './limiter.ts';
import { NO_SLOT, SourceTable } from './source-table.ts';
import { Windows } from './windows.ts';

const DEFAULT_MAX_SOURCES = 1_000_000;
const MOST_MAX_SOURCES = 2 ** 24;
/** A power of two, so that the low bits of a hash choose one. */
const SHARED_WINDOWS = 1024;
/** More than one, so that windows that have ended get fewer although each hit may add one. */
const REMOVALS_PER_HIT = 2;

/** How a memory limiter counts, and how many windows it keeps. */
export interface MemoryLimiterOptions {
  readonly rateLimit: RateLimit;
  /** Most windows kept at once, 1 to 16,777,216; 1,000,000 unless given, about 40 MB when full. */
  readonly maxSources?: number;
  readonly clock?: Clock;
}

/** A limiter that answers at once. */
export interface MemoryLimiter extends Limiter {
  hit(key: string): Hit;
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
 * There are no timers. Each hit gives back at most two windows that have ended, and does no other
 * work that depends on the number of sources.
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
  readonly #clock: Clock;
  readonly #hash: KeyHash;
  readonly #sources: SourceTable;
  /** The windows of sources, by their slots, then the shared ones. */
  readonly #windows: Windows;
  readonly #firstShared: number;

  constructor(rateLimit: RateLimit, maxSources: number, clock: Clock) {
    this.#limit = rateLimit.limit;
    this.#clock = clock;
    this.#hash = new KeyHash(randomSecret());
    this.#sources = new SourceTable(maxSources);
    this.#windows = new Windows(maxSources + SHARED_WINDOWS, toUs(rateLimit.windowMs));
    this.#firstShared = maxSources;
  }

  hit(key: string): Hit {
    const nowUs = toUs(this.#clock.monotonicMs());
    const wallUs = toUs(this.#clock.wallMs());
    const slot = this.#slotOf(key, nowUs);
    if (this.#windows.isLive(slot, nowUs)) this.#windows.followWallClock(slot, nowUs, wallUs);
    else this.#windows.open(slot, nowUs, wallUs);
    return this.#count(slot, nowUs);
  }

  sourceCount(): number {
    return this.#sources.size;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The slot whose window counts this hit; the window may have to be opened first. */
  #slotOf(key: string, nowUs: number): number {
    this.#removeEnded(nowUs);
    this.#hash.update(key);
    const own = this.#sources.find(this.#hash);
    if (own !== NO_SLOT && this.#windows.isLive(own, nowUs)) return own;
    const shared = this.#firstShared + (this.#hash.high & (SHARED_WINDOWS - 1));
    if (this.#windows.isLive(shared, nowUs) || this.#sources.isFull) return shared;
    return this.#sources.add(this.#hash);
  }

  #removeEnded(nowUs: number): void {
    for (let i = 0; i < REMOVALS_PER_HIT; i += 1) {
      const oldest = this.#sources.oldest;
      if (oldest === NO_SLOT || this.#windows.isLive(oldest, nowUs)) return;
      this.#sources.removeOldest();
    }
  }

  #count(slot: number, nowUs: number): Hit {
    const hits = this.#windows.count(slot);
    return {
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - hits),
      resetsAtMs: Math.ceil(this.#windows.resetUs(slot) / 1000),
      retryAfterMs: (this.#windows.endUs(slot) - nowUs) / 1000,
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
