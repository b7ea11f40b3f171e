import { hasToWait } from '@coffer/core/dates';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { TrustedProxies } from '../limiter/address.ts';
import type { Hit, Limiter } from '../limiter/limiter.ts';
import { createBuckets } from '../limiter/memory.ts';
import { sessionBurst, sessionRequestsPerSecond } from '../operations/limits.ts';
import { Problem } from '../operations/problem.ts';
import { cookieHashOf, type ProxyOptions, sourceOf } from './client.ts';

/** The limiter, and how to find the client of a request. */
export interface RateLimitOptions {
  readonly limiter: Limiter;
  readonly trustedProxies: TrustedProxies;
  /** Requests of valid sessions count apart from their address; absent if they do not. */
  readonly sessions?: SessionCounting;
}

/** How requests of sessions are counted. */
export interface SessionCounting {
  readonly limiter: Limiter;
  /** Returns the key of the session of a request; null for others. */
  readonly keyOf: (request: FastifyRequest) => string | null;
}

/**
 * Returns the hook that counts a request and sets the six headers; over the limit, the request ends here with 429.
 *
 * It must stay the first hook that can end a request under /v1/ and /v2/: every such request counts.
 * Source: part 8 of the specification.
 */
export function countRequests(options: RateLimitOptions): onRequestHookHandler {
  const { limiter, trustedProxies, sessions } = options;
  return (request, reply, done) => {
    const session = sessions?.keyOf(request) ?? null;
    const hit =
      session === null
        ? limiter.hit(sourceOf(request, trustedProxies))
        : sessions!.limiter.hit(session);
    if (hit instanceof Promise) hit.then((late) => done(outcomeOf(late, reply)), done);
    else done(outcomeOf(hit, reply));
  };
}

/** Returns the problem of a request over the limit. */
function outcomeOf(hit: Hit, reply: FastifyReply): Problem | undefined {
  reply.headers(rateLimitHeaders(hit));
  return hit.allowed ? undefined : new Problem('tooManyRequests');
}

/**
 * The response headers of the rate limit.
 *
 * Limit, remaining and reset under two names each, on every response, and `Retry-After` when the
 * request is refused. All values are decimal integers: reset in seconds since the Unix epoch,
 * `Retry-After` in seconds from now, at least 1. Both are rounded up, so that a client that waits
 * for either is never too early.
 *
 * Source: parts 7 and 8 of the specification; RFC 9110, 10.2.3.
 */
function rateLimitHeaders(hit: Hit): Record<string, string> {
  const limit = String(hit.limit);
  const remaining = String(hit.remaining);
  const reset = String(Math.ceil(hit.resetsAtMs / 1000));
  const headers: Record<string, string> = {
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': remaining,
    'RateLimit-Reset': reset,
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': remaining,
    'X-RateLimit-Reset': reset,
  };
  if (!hit.allowed)
    headers['Retry-After'] = String(Math.max(1, Math.ceil(hit.retryAfterMs / 1000)));
  return headers;
}

/** Requests of a session under /coffer/ count for the session, because a page sends many at once. */
export function countSessions(known: KnownSessions, proxy: ProxyOptions): SessionCounting {
  const size = { burst: sessionBurst, perSecond: sessionRequestsPerSecond };
  return {
    limiter: createBuckets(size),
    keyOf: (request) => {
      const hash = cookieHashOf(request, proxy);
      return hash === null ? null : known.keyOf(hash);
    },
  };
}

/** Sessions are looked up for every request; this is only about which limit a request counts against. */
const knownForMs = 60_000;
/** All are forgotten at once when full; then the next request of each counts for its address. */
const mostKnown = 10_000;

/** The sessions that were valid lately, by the hash of their secret, so that a limiter can know them without a read. */
export class KnownSessions {
  readonly #now: () => number;
  readonly #untilMs = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the key of a session that was valid within the last minute; null for others. */
  keyOf(hash: Uint8Array): string | null {
    const key = keyText(hash);
    return hasToWait(this.#untilMs.get(key) ?? 0, this.#now(), knownForMs) ? key : null;
  }

  /** Notes whether a session is valid. */
  note(hash: Uint8Array, isValid: boolean): void {
    const key = keyText(hash);
    if (this.#untilMs.size >= mostKnown) this.#untilMs.clear();
    if (isValid) this.#untilMs.set(key, this.#now() + knownForMs);
    else this.#untilMs.delete(key);
  }
}

function keyText(hash: Uint8Array): string {
  return Buffer.from(hash).toString('base64url');
}
