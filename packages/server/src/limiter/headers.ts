import type { Hit } from './limiter.ts';

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
export function rateLimitHeaders(hit: Hit): Record<string, string> {
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
