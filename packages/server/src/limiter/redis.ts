import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import { Cluster, Command, Redis } from 'ioredis';
import type { Hit, Limiter, RateLimit, Sharing } from './limiter.ts';
import { createMemoryLimiter, type MemoryLimiter } from './memory.ts';
import type { RedisAddress } from './redis-url.ts';

/** How a Redis limiter counts. */
export interface RedisLimiterOptions {
  readonly rateLimit: RateLimit;
  readonly address: RedisAddress;
  /** Limiters with different spaces count apart in one Redis; empty by default. */
  readonly space?: string;
  /** How long a hit waits for Redis; 100 by default. */
  readonly timeoutMs?: number;
  /** Called with the first state, and whenever counting changes from shared to local or back. */
  readonly onStateChange?: (state: SharingState) => void;
  /** Milliseconds since the Unix epoch, for tests; the clock of the Redis server by default. */
  readonly now?: () => number;
}

const defaultTimeoutMs = 100;
const connectTimeoutMs = 1000;
/** A connection without a reply for this time is closed: the other end may have disappeared without closing it. */
const silenceTimeoutMs = 1000;
const longestReconnectDelayMs = 1000;
/** How long an unfinished connection may delay the end of the process. */
const disconnectTimeoutMs = 50;
/** A key outlives its window by this time. Only the stored end decides, so the clocks need not agree. */
const slackMs = 5000;

/**
 * Counts one hit. KEYS[1] is the client, ARGV[1] the window in microseconds, ARGV[2] the time in microseconds since the
 * Unix epoch, or empty for the server's own clock. Returns the hits, the end of the window, and the time.
 *
 * The value holds the end of the window and the hits, so all nodes announce the same end. Every hit sets the time to
 * live again, which also fixes a key that lost its expiry. A value of another form or type is replaced by a new window.
 * A window that ends later than one window from now was opened before the server's clock was set back, or when windows
 * were longer; it is shortened to end one window from now.
 */
const hitScript = `
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local window = tonumber(ARGV[1])
local value = redis.pcall('GET', KEYS[1])
local ends, count
if type(value) == 'string' then
  ends, count = string.match(value, '^(%d+) (%d+)$')
  ends, count = tonumber(ends), tonumber(count)
end
if not ends or now >= ends then
  ends, count = now + window, 0
elseif ends - now > window then
  ends = now + window
end
count = count + 1
value = string.format('%.0f %.0f', ends, count)
redis.call('SET', KEYS[1], value, 'PX', math.ceil((ends - now) / 1000) + ${slackMs})
return { count, string.format('%.0f', ends), string.format('%.0f', now) }
`;

/**
 * A limiter that shares its counts exactly with every node on the same Redis or Valkey.
 *
 * One script counts a hit. Time and windows are those of Redis, so all nodes announce the same reset. When Redis does
 * not reply within `timeoutMs`, refuses to write or is unreachable, this node counts locally and every client starts
 * with its full limit. So a client may reach the limit on each of n nodes in that time, and no request fails. Counts
 * survive a restart of a node.
 */
export function createRedisLimiter(options: RedisLimiterOptions): SharedLimiter {
  const { rateLimit, address, space = '', timeoutMs = defaultTimeoutMs } = options;
  const { onStateChange, now } = options;
  return new SharedLimiter({
    rateLimit,
    space,
    counter: new RedisCounter(address, rateLimit.windowMs * 1000, now),
    timeoutMs,
    onStateChange: onStateChange ?? (() => undefined),
  });
}

class RedisCounter implements SharedCounter {
  readonly #client: Redis | Cluster;
  readonly #windowUs: number;
  readonly #now: (() => number) | undefined;
  readonly #connected = Promise.withResolvers<undefined>();
  readonly #scriptHash = hash('sha1', hitScript);
  /** Why there is no connection. */
  #trouble = 'not connected yet';
  #isStale = false;

  constructor(address: RedisAddress, windowUs: number, now: (() => number) | undefined) {
    this.#windowUs = windowUs;
    this.#now = now;
    this.#client = address.isCluster ? connectCluster(address) : connectSingle(address);
    // An unused promise must not end the process when it rejects.
    this.#connected.promise.catch(() => undefined);
    this.#client.on('error', (error: Error) => {
      this.#trouble = reasonOf(error);
      this.#connected.reject(new Error(this.#trouble));
    });
    this.#client.on('node error', (error: Error, server: string) => {
      this.#trouble = `${server}: ${error.message}`;
    });
    this.#client.on('ready', () => {
      this.#isStale = false;
      this.#trouble = 'the connection was closed';
      void connectAll(this.#client).then(() => this.#connected.resolve(undefined));
    });
  }

  connected(): Promise<void> {
    return this.#connected.promise;
  }

  async count(key: string): Promise<SharedCount> {
    const nowUs = this.#now === undefined ? '' : (this.#now() * 1000).toFixed(0);
    const operands = [key, this.#windowUs, nowUs] as const;
    try {
      return readCount(await this.#client.evalsha(this.#scriptHash, 1, ...operands));
    } catch (error) {
      // A restarted server does not know the script; nothing was counted.
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw this.#explain(error as Error);
    }
    try {
      return readCount(await this.#client.eval(hitScript, 1, ...operands));
    } catch (error) {
      throw this.#explain(error as Error);
    }
  }

  serverOf(key: string): string {
    if (!(this.#client instanceof Cluster)) return '';
    return this.#client.slots[new Command('get', [key]).getSlot()]?.[0] ?? '';
  }

  close(): void {
    this.#client.disconnect();
  }

  /** An error from Redis contains the reason. For a missing connection, an earlier event has it. */
  #explain(error: Error): Error {
    if (error.message.startsWith('READONLY')) this.#reconnect();
    const isClear = error.name === 'ReplyError' || /^(UNEXPECTED|Too many)/.test(error.message);
    return isClear ? error : new Error(this.#trouble);
  }

  /** A server that became a replica keeps its connections. The host name may resolve to the new primary. */
  #reconnect(): void {
    if (this.#isStale || this.#client instanceof Cluster) return;
    this.#isStale = true;
    this.#client.disconnect(true);
  }
}

/** Connects to all servers of a cluster before the first hits, because hits fail while a server connects. */
async function connectAll(client: Redis | Cluster): Promise<void> {
  if (!(client instanceof Cluster)) return;
  const waiting = client.nodes('master').filter(({ status }) => status === 'wait');
  await Promise.allSettled(waiting.map((server) => server.connect()));
}

function readCount(reply: unknown): SharedCount {
  const [count, endUs, nowUs] = Array.isArray(reply) ? reply.map(Number) : [];
  if ([count, endUs, nowUs].every(Number.isSafeInteger))
    return { count: count!, endUs: endUs!, nowUs: nowUs! };
  throw new Error('UNEXPECTED reply to the script that counts');
}

function reasonOf(error: Error): string {
  // The error of a cluster says only that all servers failed; the last server's error has the reason.
  const { lastNodeError } = error as { lastNodeError?: Error };
  return (lastNodeError ?? error).message;
}

function connectSingle(address: RedisAddress): Redis {
  const [server] = address.servers;
  return new Redis({
    ...server,
    ...optionsOf(address),
    db: address.database,
    // A hit that cannot be sent now is counted locally, so it must not be sent later.
    enableOfflineQueue: false,
    retryStrategy: reconnectDelayMs,
    ...(address.isTls && isIP(server!.host) === 0 ? { tls: { servername: server!.host } } : {}),
  });
}

function connectCluster(address: RedisAddress): Cluster {
  return new Cluster([...address.servers], {
    redisOptions: optionsOf(address),
    enableOfflineQueue: false,
    enableReadyCheck: false,
    clusterRetryStrategy: reconnectDelayMs,
    // Follow a slot that moved; do not retry after other errors, because the hit is then counted locally.
    maxRedirections: 3,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // Certificates are issued for names, so do not replace names by addresses.
    dnsLookup: (name, callback) => callback(null, name),
  });
}

function optionsOf({ username, password, isTls }: RedisAddress) {
  return {
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    ...(isTls ? { tls: {} } : {}),
    connectTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    disconnectTimeout: disconnectTimeoutMs,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // Hits detect a server that is still loading, and the check would need one more permission.
    enableReadyCheck: false,
    disableClientInfo: true,
  };
}

function reconnectDelayMs(attempts: number): number {
  return Math.min(50 * 2 ** Math.min(attempts, 10), longestReconnectDelayMs);
}

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
