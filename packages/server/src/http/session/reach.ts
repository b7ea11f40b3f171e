import type { FastifyRequest } from 'fastify';
import { clientAddress, clientKey, isWithin } from '../../limiter/address.ts';
import type { TrustedProxies } from '../../limiter/address.ts';
import type { PublicUrl } from '../server/public-url.ts';
import { hostnameOf } from './known-hosts.ts';

/** How the service is reached, for what a request says about it. */
export interface Reach {
  readonly trustedProxies: TrustedProxies;
  readonly publicUrl: PublicUrl | null;
}

/** The limiter's key for the client of a request. */
export function sourceOf({ raw }: FastifyRequest, trustedProxies: TrustedProxies): string {
  const { socket, headers } = raw;
  // Node joins several lines of this header with commas, in order.
  const forwardedFor = headers['x-forwarded-for'] as string | undefined;
  return clientKey(clientAddress(socket.remoteAddress, forwardedFor, trustedProxies));
}

/** Whether browsers reach the service over https, as the public URL or a trusted proxy says. */
export function isSecure({ raw }: FastifyRequest, { trustedProxies, publicUrl }: Reach): boolean {
  if (publicUrl !== null) return publicUrl.href.startsWith('https:');
  if (!isWithin(raw.socket.remoteAddress, trustedProxies.networks)) return false;
  const protocols = String(raw.headers['x-forwarded-proto'] ?? '').split(',');
  return protocols.at(-1)!.trim().toLowerCase() === 'https';
}

/** Returns the address of the pages of the service, as the browser that sends a request has it. */
export function originOf(request: FastifyRequest, reach: Reach): string {
  const { host = 'localhost', origin } = request.raw.headers;
  const { publicUrl } = reach;
  const own = publicUrl === null ? null : new URL(publicUrl.href).origin;
  // Some proxies put their own name into Host. What pages of others send as Origin is never the public one.
  if (own !== null && (hostnameOf(host) === publicUrl!.hostname || origin === own)) return own;
  const scheme = own === null && isSecure(request, reach) ? 'https' : 'http';
  return URL.parse(`${scheme}://${host}`)?.origin ?? `${scheme}://localhost`;
}

/** Returns the port that a browser shows for the service: that of the public URL, or of the Host header. */
export function portOf(request: FastifyRequest, reach: Reach): string {
  const { host = '' } = request.raw.headers;
  const { publicUrl } = reach;
  const usual = isSecure(request, reach) ? '443' : '80';
  if (publicUrl !== null && hostnameOf(host) === publicUrl.hostname)
    return new URL(publicUrl.href).port || usual;
  return /:(\d+)$/.exec(host)?.[1] ?? usual;
}
