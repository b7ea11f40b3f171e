import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import { Cluster, Command, Redis } from 'ioredis';
import type { RateLimit } from './limiter.ts';
import { hitScript } from './redis-script.ts';
import type { RedisAddress } from './redis-url.ts';
import { SharedLimiter } from './shared-limiter.ts';
import type { SharedCount, SharedCounter, SharingState } from './shared-limiter.ts';

/** How a limiter over Redis counts. */
export interface RedisLimiterOptions {
  readonly rateLimit: RateLimit;
  readonly address: RedisAddress;
  /** How long a hit waits for Redis, in milliseconds; 100 unless given. */
  readonly timeoutMs?: number;
  /** Told the first state, and each change between the two ways of counting. */
  readonly onStateChange?: (state: SharingState) => void;
  /** Milliseconds since the epoch on a clock that all nodes share; Redis's own unless given. */
  readonly now?: () => number;
}

const defaultTimeoutMs = 100;
const connectTimeoutMs = 1000;
/** A connection that is asked and says nothing for so long is given up: the other end may be gone without a word. */
const silenceTimeoutMs = 1000;
const longestReconnectDelayMs = 1000;
/** How long a connection that was never made may keep the process that wants to end. */
const disconnectTimeoutMs = 50;

/**
 * A limiter that shares its count with every node on the same Redis or Valkey, exactly: one script counts a hit.
 *
 * The time and the end of a window are Redis's, so all nodes tell the same Reset. When Redis does not answer within
 * `timeoutMs`, refuses to write or cannot be reached, this node counts for itself, each source from the limit on; so a
 * source that meets n nodes may get n times the limit for as long, and no request fails. Counts survive a restart of a
 * node.
 */
export function createRedisLimiter(options: RedisLimiterOptions): SharedLimiter {
  const { rateLimit, address, timeoutMs = defaultTimeoutMs, onStateChange, now } = options;
  return new SharedLimiter({
    rateLimit,
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
    // Nobody needs to wait for it.
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
      // A server that was started anew knows no scripts; nothing was counted.
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

  /** What Redis says is clear; that there is no connection has a reason of its own, said before. */
  #explain(error: Error): Error {
    if (error.message.startsWith('READONLY')) this.#connectAnew();
    const isClear = error.name === 'ReplyError' || /^(UNEXPECTED|Too many)/.test(error.message);
    return isClear ? error : new Error(this.#trouble);
  }

  /** A server that has become a replica keeps its connections; the name may lead to the one that is first now. */
  #connectAnew(): void {
    if (this.#isStale || this.#client instanceof Cluster) return;
    this.#isStale = true;
    this.#client.disconnect(true);
  }
}

/** Connects to all servers of a cluster before the first hits: those that come while one connects are refused. */
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
  // A cluster says only that all failed; the last one says why.
  const { lastNodeError } = error as { lastNodeError?: Error };
  return (lastNodeError ?? error).message;
}

function connectSingle(address: RedisAddress): Redis {
  const [server] = address.servers;
  return new Redis({
    ...server,
    ...optionsOf(address),
    db: address.database,
    // A hit that cannot be sent now is counted by this node, not kept for later; nor is one that was cut off.
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
    // A slot that has moved is looked for at once; whatever else goes wrong is not tried again behind a hit's back.
    maxRedirections: 3,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // Certificates are for names, so names are not replaced by addresses.
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
    // Hits find out whether it is loading; and a user needs no permission for what is not needed.
    enableReadyCheck: false,
    disableClientInfo: true,
  };
}

function reconnectDelayMs(attempts: number): number {
  return Math.min(50 * 2 ** Math.min(attempts, 10), longestReconnectDelayMs);
}
