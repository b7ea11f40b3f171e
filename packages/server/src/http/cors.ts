import type { onRequestHookHandler } from 'fastify';
import { rateLimitHeaders } from '../operations/headers.ts';
import { addVary } from './server/vary.ts';

/** The origins whose pages may read responses in a browser: `*` for every origin; empty for none. */
export type CorsOrigins = '*' | readonly string[];

/** How long a browser may keep the response to a preflight. Chromium keeps it for two hours at most. */
const preflightMaxAgeSeconds = 86_400;
const exposedHeaders = [
  ...rateLimitHeaders,
  ...['Retry-After', 'ETag', 'Idempotency-Replayed', 'Content-Disposition'],
].join(', ');
/** Every method of the API: a preflight has no token, so it must not reveal which paths exist. */
const allowedMethods = 'GET, HEAD, POST, PUT, DELETE';
const fieldName = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/**
 * Parses the setting: origins such as `https://app.example`, separated by commas, or `*`.
 *
 * Throws an Error that quotes every text that is not the origin of an http or https URL as browsers send it.
 */
export function parseCorsOrigins(text: string): CorsOrigins {
  const origins = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  if (origins.length === 1 && origins[0] === '*') return '*';
  const invalid = origins.filter((origin) => !isOrigin(origin));
  if (invalid.length === 0) return origins;
  const quoted = invalid.map((origin) => `"${origin}"`).join(', ');
  throw new Error(`Not an origin: ${quoted}. Use scheme and host, such as https://app.example`);
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

/**
 * Returns the hook that lets pages of the given origins read the response. It ends no request.
 *
 * Cookies are never allowed: only a page that has an access token can read records. Source: the Fetch standard, 3.3.
 */
export function allowOrigins(origins: CorsOrigins): onRequestHookHandler {
  return ({ headers: { origin } }, reply, done) => {
    if (origins.length > 0 && origins !== '*') addVary(reply, 'Origin');
    if (isAllowed(origins, origin)) {
      reply.header('access-control-allow-origin', origins === '*' ? '*' : origin);
      reply.header('access-control-expose-headers', exposedHeaders);
    }
    done();
  };
}

/**
 * Returns the hook that ends the preflight of an allowed origin with 204. It must run after the limiter, because every
 * request counts, and before authentication, because browsers send no token with a preflight.
 *
 * Every header that the page asks for is allowed: pages send fields of their own, which the service ignores. `*` would
 * not cover `Authorization`. Source: the Fetch standard, 3.3.
 */
export function respondToPreflight(origins: CorsOrigins): onRequestHookHandler {
  return ({ method, headers }, reply, done) => {
    const isPreflight =
      method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (!isPreflight || !isAllowed(origins, headers.origin)) {
      done();
      return;
    }
    void reply
      .code(204)
      .header('access-control-allow-methods', allowedMethods)
      .header('access-control-allow-headers', namesIn(headers['access-control-request-headers']))
      .header('access-control-max-age', String(preflightMaxAgeSeconds))
      .send();
  };
}

/** The names of header fields in a list; other texts are left out. */
function namesIn(list = ''): string {
  const names = list.split(',').map((name) => name.trim());
  return names.filter((name) => fieldName.test(name)).join(', ');
}

function isAllowed(origins: CorsOrigins, origin: string | undefined): origin is string {
  return origin !== undefined && (origins === '*' || origins.includes(origin));
}
