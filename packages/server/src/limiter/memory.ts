import { randomBytes } from 'node:crypto';
import type { Hit, Limiter, RateLimit } from './limiter.ts';
import { NO_SLOT } from './windows/client-table.ts';
import { Generation, Windows } from './windows/generation.ts';
import { KeyHash } from './windows/key-hash.ts';

const DEFAULT_MAX_CLIENTS = 1_000_000;
const MOST_MAX_CLIENTS = 2 ** 24;
/** A power of two, so that the low bits of a hash choose one. */
const SHARED_WINDOWS = 1024;
/**
 * Each generation holds the windows that start within half a window length. When the fourth
 * generation starts, the last window of the first one has ended.
 */
const GENERATIONS = 3;

/** The two readings of time that a limiter needs. */
export interface Clock {
  /** Milliseconds since some fixed moment, 0 or more, with fractions; never goes back. */
  monotonicMs(): number;
  /** Milliseconds since the Unix epoch; jumps forward or back when the system's clock is set. */
  wallMs(): number;
}

/** The system's clock. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  // Date.now() drops the fraction of the current millisecond. Rounding it up keeps the announced
  // reset from being earlier than the end of the window.
  wallMs: () => Date.now() + 1,
};

/** How a memory limiter counts, and how many windows it keeps. */
export interface MemoryLimiterOptions {
  readonly rateLimit: RateLimit;
  /** Most windows of single clients that run at once, 1 to 16,777,216; 1,000,000 by default. */
  readonly maxClients?: number;
  readonly clock?: Clock;
}

/** A limiter whose `hit` returns synchronously. */
export interface MemoryLimiter extends Limiter {
  hit(key: string): Hit;
  /** How many windows of single clients are running. */
  clientCount(): number;
}

/**
 * A limiter that counts exactly, in the memory of this process; a restart loses the counts.
 *
 * Each client has its own window until `maxClients` windows run at once. A running window is never
 * dropped to make room. When there is no room, or the system has no memory for a window, a new
 * client counts in one of 1,024 shared windows, chosen by a hash with a secret of this process.
 * Clients in a shared window share its limit. A client stays there until that window ends, even
 * when there is room earlier, so no client ever has two windows at once.
 *
 * Memory: 40 bytes per window, taken from the system as windows start. A window is forgotten,
 * together with its generation, at most one and a half window lengths after it started. So at most
 * twice `maxClients` windows are kept: 80 MB for a million.
 *
 * There are no timers. The next hit forgets ended generations, and each hit gives back at most
 * 1.5 MiB until at most 3 MiB are unused, which takes about 100 hits after a million clients. So
 * the memory is back two window lengths after a flood if the last half length has that many hits.
 * A limiter without hits keeps it. No other part of a hit grows with the number of clients, except
 * a binary search when `maxClients` windows are kept.
 *
 * @throws RangeError when `maxClients` is out of bounds
 */
export function createMemoryLimiter(options: MemoryLimiterOptions): MemoryLimiter {
  const { rateLimit, maxClients = DEFAULT_MAX_CLIENTS, clock = systemClock } = options;
  if (!Number.isInteger(maxClients) || maxClients < 1 || maxClients > MOST_MAX_CLIENTS) {
    throw new RangeError(`Max clients must be 1 to ${MOST_MAX_CLIENTS}, not ${maxClients}`);
  }
  return new WindowLimiter(rateLimit, maxClients, clock);
}

class WindowLimiter implements MemoryLimiter {
  readonly #limit: number;
  readonly #maxClients: number;
  readonly #clock: Clock;
  readonly #hash: KeyHash;
  readonly #shared: Windows;
  /** Newest first. New windows start in the newest. */
  readonly #generations: Generation[];

  constructor(rateLimit: RateLimit, maxClients: number, clock: Clock) {
    const windowUs = toUs(rateLimit.windowMs);
    this.#limit = rateLimit.limit;
    this.#maxClients = maxClients;
    this.#clock = clock;
    this.#hash = new KeyHash(randomSecret());
    this.#shared = new Windows(SHARED_WINDOWS, windowUs, SHARED_WINDOWS);
    const generation = () => new Generation(maxClients, windowUs);
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

  clientCount(): number {
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

  /** Counts a hit of a client without a running window. */
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
    return kept >= this.#maxClients && this.#countLive(nowUs) >= this.#maxClients;
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
