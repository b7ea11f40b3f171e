import type { FastifyReply, onRequestHookHandler } from 'fastify';
import { clientAddress, type TrustedProxies } from '../limiter/address/client-address.ts';
import { rateLimitHeaders } from '../limiter/headers.ts';
import type { Hit, Limiter } from '../limiter/limiter.ts';
import { clientKey } from '../limiter/address/client-key.ts';
import { Problem } from '../wire/problem.ts';

/** The limiter, and how to find the client of a request. */
export interface RateLimitOptions {
  readonly limiter: Limiter;
  readonly trustedProxies: TrustedProxies;
}

/**
 * The hook that counts a request and prints the six headers; over the limit, the request ends here with 429.
 *
 * It must stay the first hook that can end a request under /v1/ and /v2/: every such request counts.
 * Source: part 8 of the specification.
 */
export function countRequests(options: RateLimitOptions): onRequestHookHandler {
  const { limiter, trustedProxies } = options;
  return (request, reply, done) => {
    const { socket, headers } = request.raw;
    // Node joins several lines of this header with commas, in order.
    const forwardedFor = headers['x-forwarded-for'] as string | undefined;
    const address = clientAddress(socket.remoteAddress, forwardedFor, trustedProxies);
    const hit = limiter.hit(clientKey(address));
    if (hit instanceof Promise) hit.then((late) => done(settle(late, reply)), done);
    else done(settle(hit, reply));
  };
}

function settle(hit: Hit, reply: FastifyReply): Problem | undefined {
  reply.headers(rateLimitHeaders(hit));
  return hit.allowed ? undefined : new Problem('tooManyRequests');
}
