import { hash } from 'node:crypto';
import type { Hit, Limiter, RateLimit, Sharing } from './limiter.ts';
import { createMemoryLimiter } from './memory.ts';
import type { MemoryLimiter } from './memory.ts';
import { within } from './within.ts';

/** What a counter says of one hit; times in microseconds since the epoch, by the counter's own clock. */
export interface SharedCount {
  /** Hits of the window, this one included. */
  readonly count: number;
  readonly endUs: number;
  readonly nowUs: number;
}

/** What counts hits for several nodes. */
export interface SharedCounter {
  /** Resolves when there is a connection, rejects with the first reason why there is none. */
  connected(): Promise<void>;
  /** Counts a hit under a key. Rejects with a reason that has no secret in it when it cannot. */
  count(key: string): Promise<SharedCount>;
  /** The server that has a key now; one name for all where there is one server. */
  serverOf(key: string): string;
  close(): void;
}

/** Which count is in use, and why. */
export interface SharingState {
  /** False while this node counts for itself, for some sources at least. */
  readonly isShared: boolean;
  /** What the counter or the connection said, without a secret; empty while all is well. */
  readonly reason: string;
}

/** What a shared limiter counts by, and whom it tells. */
export interface SharedLimiterOptions {
  readonly rateLimit: RateLimit;
  readonly counter: SharedCounter;
  /** How long a hit waits for the counter, in milliseconds. */
  readonly timeoutMs: number;
  /** Told the first state, and each change. */
  readonly onStateChange: (state: SharingState) => void;
}

/** How long this node counts for itself before it asks again. */
const askAgainAfterMs = 500;
/** How long a start waits for a connection, and then for the first answer, which may take longer than others. */
const openTimeoutMs = 1000;

/**
 * A limiter that counts with other nodes, and by itself while it cannot.
 *
 * When a server of the counter does not answer in time, refuses, or cannot be reached, the sources it has are counted
 * here, each from the limit on, and no request waits for it any more. It is asked again twice a second, with hits that
 * are nobody's; the first one that is counted brings sharing back. That the limit is reached is no reason to count
 * here.
 */
export class SharedLimiter implements Limiter {
  readonly #rateLimit: RateLimit;
  readonly #counter: SharedCounter;
  readonly #timeoutMs: number;
  readonly #onStateChange: (state: SharingState) => void;
  /** Servers that are away, each with a key that it has. */
  readonly #away = new Map<string, string>();
  #local: MemoryLimiter;
  #isShared: boolean | undefined;
  #fallbacks = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ rateLimit, counter, timeoutMs, onStateChange }: SharedLimiterOptions) {
    this.#rateLimit = rateLimit;
    this.#counter = counter;
    this.#timeoutMs = timeoutMs;
    this.#onStateChange = onStateChange;
    this.#local = createMemoryLimiter({ rateLimit });
  }

  async open(): Promise<void> {
    const reason = await within(this.#counter.connected(), openTimeoutMs).catch(messageOf);
    const key = probeKeyOf('');
    if (typeof reason === 'string') this.#giveUp(key, reason);
    else if (await this.#probe(key, openTimeoutMs)) this.#become({ isShared: true, reason: '' });
  }

  sharing(): Sharing {
    return { isShared: this.#isShared === true, fallbacks: this.#fallbacks };
  }

  sourceCount(): number {
    return this.#local.sourceCount();
  }

  hit(source: string): Hit | Promise<Hit> {
    const key = keyOf(source);
    const isAway = this.#away.size > 0 && this.#away.has(this.#counter.serverOf(key));
    return isAway ? this.#hitAlone(source) : this.#hitShared(source, key);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#counter.close();
    return this.#local.close();
  }

  async #hitShared(source: string, key: string): Promise<Hit> {
    try {
      const count = await within(this.#counter.count(key), this.#timeoutMs);
      if (this.#isShared === undefined) this.#become({ isShared: true, reason: '' });
      return this.#toHit(count);
    } catch (error) {
      this.#giveUp(key, messageOf(error));
      return this.#hitAlone(source);
    }
  }

  #hitAlone(source: string): Hit {
    this.#fallbacks += 1;
    return this.#local.hit(source);
  }

  #giveUp(key: string, reason: string): void {
    if (this.#isClosed) return;
    const isFirst = this.#away.size === 0;
    this.#away.set(this.#counter.serverOf(key), probeKeyOf(key));
    if (!isFirst) return;
    this.#askAgainLater();
    this.#become({ isShared: false, reason });
  }

  #askAgainLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#askAgain(), askAgainAfterMs).unref();
  }

  async #askAgain(): Promise<void> {
    const asked = [...this.#away].map(async ([server, key]) => {
      if (await this.#probe(key)) this.#away.delete(server);
    });
    await Promise.all(asked);
    if (this.#isClosed) return;
    if (this.#away.size > 0) {
      this.#askAgainLater();
      return;
    }
    this.#forgetLater();
    this.#become({ isShared: true, reason: '' });
  }

  /** True when a hit that is nobody's was counted; else the server of the key is away. */
  async #probe(key: string, timeoutMs = this.#timeoutMs): Promise<boolean> {
    try {
      await within(this.#counter.count(key), timeoutMs);
      return true;
    } catch (error) {
      this.#giveUp(key, messageOf(error));
      return false;
    }
  }

  /** Gives back what a flood of sources took here, once the last window has ended. */
  #forgetLater(): void {
    const forget = (): void => {
      this.#local = createMemoryLimiter({ rateLimit: this.#rateLimit });
    };
    this.#timer = setTimeout(forget, this.#rateLimit.windowMs).unref();
  }

  #become(state: SharingState): void {
    if (this.#isShared === state.isShared) return;
    this.#isShared = state.isShared;
    this.#onStateChange(state);
  }

  #toHit({ count, endUs, nowUs }: SharedCount): Hit {
    const { limit } = this.#rateLimit;
    return {
      limit,
      remaining: Math.max(0, limit - count),
      resetsAtMs: Math.ceil(endUs / 1000),
      retryAfterMs: (endUs - nowUs) / 1000,
      allowed: count <= limit,
    };
  }
}

/** A source may be text of any length, and an address need not lie in a shared store as text. */
function keyOf(source: string): string {
  // 132 bits: no two sources have ever met in so many.
  return `coffer:window:${hash('sha256', source, 'base64url').slice(0, 22)}`;
}

/** A key of nobody's in the same slot of a cluster: only what is in braces decides. */
function probeKeyOf(key: string): string {
  return key.startsWith('coffer:probe:') ? key : `coffer:probe:{${key}}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
