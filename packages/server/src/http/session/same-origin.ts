import type { FastifyRequest } from 'fastify';
import { forbidden, Problem } from '../../operations/problem.ts';

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses a request that a page of another site made a browser send, with 403: one that is not from a page of this
 * origin, by `Sec-Fetch-Site` or else by `Origin`. Methods that change nothing are allowed.
 *
 * A request with neither header is of no current browser. It is refused if it has a cookie.
 */
export function refuseOtherSites(
  { method, headers }: FastifyRequest,
  origin: string,
  hasCookie: boolean,
): void {
  if (safeMethods.includes(method)) return;
  const { 'sec-fetch-site': site, origin: sent } = headers;
  if (site === undefined && sent === undefined && !hasCookie) return;
  const isOwn = site === undefined ? hostOf(sent) === hostOf(origin) : site === 'same-origin';
  if (!isOwn) throw new Problem('forbidden');
}

/**
 * Refuses what a form of another site can send without a preflight, with 403: a body, or a POST, that is neither
 * `application/json` nor has the header `x-coffer-upload`.
 */
export function refuseForms({ method, headers }: FastifyRequest): void {
  if (safeMethods.includes(method)) return;
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody && method !== 'POST') return;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === 'application/json') return;
  if (headers['x-coffer-upload'] !== undefined) return;
  throw forbidden(
    'A request with a cookie must have the type application/json, or the header x-coffer-upload',
  );
}

function hostOf(origin: string | undefined): string | undefined {
  return origin === undefined ? undefined : URL.parse(origin)?.host;
}
