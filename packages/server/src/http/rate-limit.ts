import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { TrustedProxies } from '../limiter/address.ts';
import { rateLimitHeaders } from '../limiter/headers.ts';
import type { Hit, Limiter } from '../limiter/limiter.ts';
import { Problem } from '../operations/problem.ts';
import { sourceOf } from './session/cookie.ts';

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
 * The hook that counts a request and prints the six headers; over the limit, the request ends here with 429.
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
    if (hit instanceof Promise) hit.then((late) => done(settle(late, reply)), done);
    else done(settle(hit, reply));
  };
}

function settle(hit: Hit, reply: FastifyReply): Problem | undefined {
  reply.headers(rateLimitHeaders(hit));
  return hit.allowed ? undefined : new Problem('tooManyRequests');
}
