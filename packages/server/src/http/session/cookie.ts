import type { FastifyReply, FastifyRequest } from 'fastify';
import { longestSessionMs } from '../../resources/sessions/rules.ts';
import { hashOf } from '../../resources/sessions/secret.ts';
import { headerLines } from '../header-lines.ts';
import { isSecure, portOf } from './reach.ts';
import type { Reach } from './reach.ts';

/** 256 bits in base64url. */
const secretPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Returns the name of the session's cookie. Browsers send cookies to all ports of a host, so the name has the port.
 * With `__Host-` no other host, such as a neighbour in the domain, can set it.
 */
function cookieName(request: FastifyRequest, reach: Reach): string {
  const prefix = isSecure(request, reach) ? '__Host-' : '';
  return `${prefix}coffer_${portOf(request, reach)}`;
}

/** Sets the cookie of a session, or removes it for a secret that is null. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string | null,
  reach: Reach,
): void {
  const seconds = secret === null ? 0 : longestSessionMs / 1000;
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
  const secure = isSecure(request, reach) ? '; Secure' : '';
  const name = cookieName(request, reach);
  void reply.header('set-cookie', `${name}=${secret ?? ''}; ${flags}${secure}`);
}

/** Returns the hash of the secret in a request's cookie; null without one, or with several or what cannot be one. */
export function cookieHashOf(request: FastifyRequest, reach: Reach): Uint8Array | null {
  const lines = headerLines(request.raw.rawHeaders, 'cookie');
  if (lines.length === 0) return null;
  const start = `${cookieName(request, reach)}=`;
  const values = lines
    .flatMap((line) => line.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  const [secret] = values;
  if (secret === undefined || values.length > 1 || !secretPattern.test(secret)) return null;
  return hashOf(secret);
}
