import type { FastifyRequest } from 'fastify';
import type { Visit } from '../../operations/operation.ts';
import { cookieHashOf, deviceCookiesOf } from './cookie.ts';
import { hostnameOf } from './known-hosts.ts';
import { originOf, sourceOf } from './reach.ts';
import type { Reach } from './reach.ts';

/** Returns how a request reached the service. */
export function visitOf(request: FastifyRequest, reach: Reach): Visit {
  const { headers } = request.raw;
  const origin = originOf(request, reach);
  return {
    source: sourceOf(request, reach.trustedProxies),
    userAgent: headers['user-agent'] ?? null,
    origin,
    host: hostnameOf(new URL(origin).host),
    cookieHash: cookieHashOf(request, reach),
    deviceCookies: deviceCookiesOf(request, reach),
  };
}
