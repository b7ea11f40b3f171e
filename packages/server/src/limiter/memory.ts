import { hash, randomBytes } from 'node:crypto';
import type { Hit, Limiter, RateLimit } from './limiter.ts';

const defaultMaxClients = 200_000;
/** So many hexadecimal digits of a hash choose one of 65,536 shared windows. */
const bucketDigits = 4;
const resetToleranceUs = 500_000;

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

/** How a memory limiter counts, and how many clients it knows. */
export interface MemoryLimiterOptions {
  readonly rateLimit: RateLimit;
  /** Most clients with windows of their own in two window lengths; 200,000 by default. */
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
 * Time is cut into stretches of one window length. One Map has the windows that began in this stretch, another one has
 * those that began in the last. All older windows have ended, and are dropped with their Map. So no running window is
 * ever lost, and no client ever has two.
 *
 * A client that is in a Map keeps its place when its window has ended: it begins the next one there. A client that is
 * new when both Maps together are full shares a window, one of 65,536, with all clients that a hash with a secret of
 * this process leads there. They have one count, one limit and one reset, so together they never have more requests
 * than one client. A client stays in a running shared window, even when there is room earlier.
 *
 * Memory: about 125 bytes for each client, 25 MB for 200,000, and at most 8 MB for shared windows. There are no
 * timers: hits drop what has ended, so the garbage collector can take it two window lengths after a flood.
 */
export function createMemoryLimiter(options: MemoryLimiterOptions): MemoryLimiter {
  const { rateLimit, maxClients = defaultMaxClients, clock = systemClock } = options;
  return new TwoMaps(rateLimit, maxClients, clock);
}

class TwoMaps implements MemoryLimiter {
  readonly #rateLimit: RateLimit;
  readonly #windowUs: number;
  readonly #maxClients: number;
  readonly #clock: Clock;
  #secret: string | undefined;
  /** The end of this stretch. */
  #stretchEndUs = 0;
  /** The windows that began in this stretch: all of them are running. */
  #current: Windows;
  /** The windows that began in the last stretch, running or ended. */
  #previous: Windows;
  #shared: Windows;
  /** When all shared windows have ended. */
  #sharedUntilUs = 0;

  constructor(rateLimit: RateLimit, maxClients: number, clock: Clock) {
    this.#rateLimit = rateLimit;
    this.#windowUs = toUs(rateLimit.windowMs);
    this.#maxClients = maxClients;
    this.#clock = clock;
    this.#current = new Windows(rateLimit);
    this.#previous = new Windows(rateLimit);
    this.#shared = new Windows(rateLimit);
  }

  hit(key: string): Hit {
    const nowUs = toUs(this.#clock.monotonicMs());
    const wallUs = toUs(this.#clock.wallMs());
    this.#passTime(nowUs);
    return (
      this.#current.count(key, nowUs, wallUs) ??
      this.#previous.count(key, nowUs, wallUs) ??
      this.#countWithoutOwn(key, nowUs, wallUs)
    );
  }

  clientCount(): number {
    const nowUs = toUs(this.#clock.monotonicMs());
    return this.#current.countRunning(nowUs) + this.#previous.countRunning(nowUs);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Begins the next stretch when this one is over. */
  #passTime(nowUs: number): void {
    if (nowUs < this.#stretchEndUs) return;
    const isNext = nowUs < this.#stretchEndUs + this.#windowUs;
    this.#previous = isNext ? this.#current : new Windows(this.#rateLimit);
    this.#current = new Windows(this.#rateLimit);
    this.#stretchEndUs = (isNext ? this.#stretchEndUs : nowUs) + this.#windowUs;
    if (nowUs >= this.#sharedUntilUs) this.#shared = new Windows(this.#rateLimit);
  }

  /** Counts a hit of a client without a running window of its own. */
  #countWithoutOwn(key: string, nowUs: number, wallUs: number): Hit {
    const isKnown = this.#previous.delete(key);
    const shared = isKnown ? undefined : this.#countShared(key, nowUs, wallUs);
    return shared ?? this.#current.begin(key, nowUs, wallUs);
  }

  /** Counts a hit of a new client; undefined when it gets its own window. */
  #countShared(key: string, nowUs: number, wallUs: number): Hit | undefined {
    const isFull = this.#current.size + this.#previous.size >= this.#maxClients;
    if (!isFull && nowUs >= this.#sharedUntilUs) return undefined;
    // An attacker who could compute this would choose whose window to use up.
    this.#secret ??= randomBytes(16).toString('hex');
    const bucket = hash('sha256', this.#secret + key).slice(0, bucketDigits);
    const running = this.#shared.count(bucket, nowUs, wallUs);
    if (running !== undefined || !isFull) return running;
    this.#sharedUntilUs = nowUs + this.#windowUs;
    return this.#shared.begin(bucket, nowUs, wallUs);
  }
}

/** The numbers of a window, next to each other in one array. */
const END_US = 0;
const RESET_US = 1;
const HITS = 2;
const numbersOfWindow = 3;

/**
 * Windows by their clients, in the order in which they began.
 *
 * Times are whole microseconds, so that every sum and difference is exact. Monotonic time decides when a window ends,
 * its end exclusive; the reset, its end on the wall clock, is only announced to clients.
 *
 * The numbers are not in objects, because those would take twice the memory.
 */
class Windows {
  readonly #limit: number;
  readonly #lengthUs: number;
  /** Where the numbers of a client begin. */
  readonly #places = new Map<string, number>();
  #numbers = new Float64Array(16 * numbersOfWindow);

  constructor({ limit, windowMs }: RateLimit) {
    this.#limit = limit;
    this.#lengthUs = toUs(windowMs);
  }

  get size(): number {
    return this.#places.size;
  }

  /** Begins a window with one hit, in place of an ended one. */
  begin(key: string, nowUs: number, wallUs: number): Hit {
    const at = this.#places.get(key) ?? this.#places.size * numbersOfWindow;
    this.#places.set(key, at);
    if (at === this.#numbers.length) this.#grow();
    this.#numbers[at + END_US] = nowUs + this.#lengthUs;
    this.#numbers[at + RESET_US] = wallUs + this.#lengthUs;
    this.#numbers[at + HITS] = 0;
    return this.#hit(at, nowUs, wallUs);
  }

  /** Counts a hit in a running window; undefined when there is none. */
  count(key: string, nowUs: number, wallUs: number): Hit | undefined {
    const at = this.#places.get(key);
    return at !== undefined && this.#numbers[at + END_US]! > nowUs
      ? this.#hit(at, nowUs, wallUs)
      : undefined;
  }

  /** Forgets a window, and returns whether there was one. No window may begin here later. */
  delete(key: string): boolean {
    return this.#places.delete(key);
  }

  /** Counts the running windows; the ended ones are first. */
  countRunning(nowUs: number): number {
    let ended = 0;
    for (const at of this.#places.values()) {
      if (this.#numbers[at + END_US]! > nowUs) break;
      ended += 1;
    }
    return this.size - ended;
  }

  #hit(at: number, nowUs: number, wallUs: number): Hit {
    const endUs = this.#numbers[at + END_US]!;
    const hits = this.#numbers[at + HITS]! + 1;
    this.#numbers[at + HITS] = hits;
    this.#followWallClock(at, wallUs + endUs - nowUs);
    return {
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - hits),
      resetsAtMs: Math.ceil(this.#numbers[at + RESET_US]! / 1000),
      retryAfterMs: (endUs - nowUs) / 1000,
      allowed: hits <= this.#limit,
    };
  }

  /**
   * Moves the announced reset when the wall clock was set.
   *
   * A difference of up to 500 ms is ignored, so that the reset is constant in a window. A larger one would mislead
   * clients.
   */
  #followWallClock(at: number, resetUs: number): void {
    if (Math.abs(resetUs - this.#numbers[at + RESET_US]!) > resetToleranceUs)
      this.#numbers[at + RESET_US] = resetUs;
  }

  #grow(): void {
    const numbers = new Float64Array(this.#numbers.length * 2);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

function toUs(ms: number): number {
  return Math.round(ms * 1000);
}

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
