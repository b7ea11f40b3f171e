import { hash } from 'node:crypto';
import type { Hit, Limiter, RateLimit, Sharing } from '../limiter.ts';
import { createMemoryLimiter } from '../memory.ts';
import type { MemoryLimiter } from '../memory.ts';

/** The count after one hit; times in microseconds since the Unix epoch, by the counter's clock. */
export interface SharedCount {
  /** Hits of the window, including this one. */
  readonly count: number;
  readonly endUs: number;
  readonly nowUs: number;
}

/** Counts hits for several nodes. */
export interface SharedCounter {
  /** Resolves when connected, rejects with the first error. */
  connected(): Promise<void>;
  /** Counts a hit under a key. Rejects with a reason without secrets when it cannot. */
  count(key: string): Promise<SharedCount>;
  /** The server that holds a key now; always the same name when there is one server. */
  serverOf(key: string): string;
  close(): void;
}

/** Which count is used, and why. */
export interface SharingState {
  /** False while this node counts at least some clients locally. */
  readonly isShared: boolean;
  /** The error of the counter or the connection, without secrets; empty when shared. */
  readonly reason: string;
}

/** What a shared limiter counts with. */
export interface SharedLimiterOptions {
  readonly rateLimit: RateLimit;
  readonly counter: SharedCounter;
  /** A part of the keys, by which limiters count apart in one counter; empty by default. */
  readonly space?: string;
  /** How long a hit waits for the counter. */
  readonly timeoutMs: number;
  /** Called with the first state, and on each change. */
  readonly onStateChange: (state: SharingState) => void;
}

/** How long this node counts locally before it tries the counter again. */
const retryDelayMs = 500;
/** How long `open` waits for a connection, and then for the first reply, which may be slower than later ones. */
const openTimeoutMs = 1000;

/**
 * A limiter that shares its counts with other nodes, and counts locally while it cannot.
 *
 * When a server of the counter does not reply in time, refuses, or is unreachable, the clients on that server are
 * counted locally, each with its full limit, and no request waits for the server. A probe, a hit of no client, is sent
 * to it twice a second; the first one that is counted ends the local counting. A reached limit never starts it.
 */
export class SharedLimiter implements Limiter {
  readonly #rateLimit: RateLimit;
  readonly #counter: SharedCounter;
  readonly #space: string;
  readonly #timeoutMs: number;
  readonly #onStateChange: (state: SharingState) => void;
  /** Unavailable servers, each with a key to probe it with. */
  readonly #unavailable = new Map<string, string>();
  #local: MemoryLimiter;
  #isShared: boolean | undefined;
  #fallbacks = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SharedLimiterOptions) {
    const { rateLimit, counter, space = '', timeoutMs, onStateChange } = options;
    this.#rateLimit = rateLimit;
    this.#space = space;
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

  clientCount(): number {
    return this.#local.clientCount();
  }

  hit(client: string): Hit | Promise<Hit> {
    const key = keyOf(this.#space, client);
    const isUnavailable =
      this.#unavailable.size > 0 && this.#unavailable.has(this.#counter.serverOf(key));
    return isUnavailable ? this.#hitLocally(client) : this.#hitShared(client, key);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#counter.close();
    return this.#local.close();
  }

  async #hitShared(client: string, key: string): Promise<Hit> {
    try {
      const count = await within(this.#counter.count(key), this.#timeoutMs);
      if (this.#isShared === undefined) this.#become({ isShared: true, reason: '' });
      return this.#toHit(count);
    } catch (error) {
      this.#giveUp(key, messageOf(error));
      return this.#hitLocally(client);
    }
  }

  #hitLocally(client: string): Hit {
    this.#fallbacks += 1;
    return this.#local.hit(client);
  }

  #giveUp(key: string, reason: string): void {
    if (this.#isClosed) return;
    const isFirst = this.#unavailable.size === 0;
    this.#unavailable.set(this.#counter.serverOf(key), probeKeyOf(key));
    if (!isFirst) return;
    this.#retryLater();
    this.#become({ isShared: false, reason });
  }

  #retryLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#retry(), retryDelayMs).unref();
  }

  async #retry(): Promise<void> {
    const probes = [...this.#unavailable].map(async ([server, key]) => {
      if (await this.#probe(key)) this.#unavailable.delete(server);
    });
    await Promise.all(probes);
    if (this.#isClosed) return;
    if (this.#unavailable.size > 0) {
      this.#retryLater();
      return;
    }
    this.#forgetLater();
    this.#become({ isShared: true, reason: '' });
  }

  /** Sends a hit of no client. False when it fails, which marks the key's server as unavailable. */
  async #probe(key: string, timeoutMs = this.#timeoutMs): Promise<boolean> {
    try {
      await within(this.#counter.count(key), timeoutMs);
      return true;
    } catch (error) {
      this.#giveUp(key, messageOf(error));
      return false;
    }
  }

  /** Frees the memory of the local counts when the last local window has ended. */
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

/** A hash, because a client's text has any length, and Redis should not store addresses in plain text. */
function keyOf(space: string, client: string): string {
  const prefix = space === '' ? 'coffer:window:' : `coffer:window:${space}:`;
  // 132 bits, so that collisions are practically impossible.
  return `${prefix}${hash('sha256', client, 'base64url').slice(0, 22)}`;
}

/** A key of no client in the same slot of a cluster: only the part in braces selects the slot. */
function probeKeyOf(key: string): string {
  return key.startsWith('coffer:probe:') ? key : `coffer:probe:{${key}}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Settles like `work`, but rejects when that takes longer than `timeoutMs`. A later result is ignored.
 *
 * Before it rejects, the process reads the data that has already arrived. So a process that was busy itself does not
 * mistake its own delay for a missing reply.
 */
export function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const expire = (): void => reject(new Error(`no reply within ${timeoutMs} ms`));
  // In a turn of the event loop, timers run first, then arrived data is read, then immediates run.
  const timer = setTimeout(() => setImmediate(expire), timeoutMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
