import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Cookies } from '../../operations/responses.ts';
import { longestSessionMs } from '../../identity/sessions/rules.ts';
import { hashOf } from '../../identity/sessions/secret.ts';
import { headerLines } from '../server/header-lines.ts';
import { isSecure, portOf } from './reach.ts';
import type { Reach } from './reach.ts';

/** 256 bits in base64url. */
const secretPattern = /^[A-Za-z0-9_-]{43}$/;
/** An id and its signature. */
const devicePattern = /^[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$/;
/** Each is compared with the signature of the user. */
const mostDevices = 20;
/** Browsers keep no cookie for longer. Source: RFC 6265bis, 5.5. */
const deviceMs = 400 * 86_400_000;

/**
 * Returns the name of the session's cookie. Browsers send cookies to all ports of a host, so the name has the port.
 * With `__Host-` no other host, such as a neighbour in the domain, can set it.
 */
function cookieName(request: FastifyRequest, reach: Reach): string {
  const prefix = isSecure(request, reach) ? '__Host-' : '';
  return `${prefix}coffer_${portOf(request, reach)}`;
}

/** Sets the cookies of a session and of a browser. A secret of a session that is null removes its cookie. */
export function setCookies(
  request: FastifyRequest,
  reply: FastifyReply,
  { session, device }: Cookies,
  reach: Reach,
): void {
  const set = (name: string, value: string, ageMs: number): void => {
    const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${ageMs / 1000}`;
    const secure = isSecure(request, reach) ? '; Secure' : '';
    void reply.header('set-cookie', `${name}=${value}; ${flags}${secure}`);
  };
  if (session !== undefined)
    set(cookieName(request, reach), session ?? '', session === null ? 0 : longestSessionMs);
  if (device) set(`${deviceName(request, reach)}${device.userId}`, device.text, deviceMs);
}

/** The name of the cookie of a browser up to the id of its user: several users can share a browser. */
function deviceName(request: FastifyRequest, reach: Reach): string {
  return cookieName(request, reach).replace('coffer_', 'coffer_device_') + '_';
}

/** Returns the cookies of a browser in which users have signed in, as far as they can be some. */
export function deviceCookiesOf(request: FastifyRequest, reach: Reach): readonly string[] {
  const start = deviceName(request, reach);
  return cookiesOf(request)
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
    .filter((text) => devicePattern.test(text))
    .slice(0, mostDevices);
}

/** Returns all cookies of a request, each as its name, `=` and its value. */
function cookiesOf({ raw }: FastifyRequest): string[] {
  return headerLines(raw.rawHeaders, 'cookie')
    .flatMap((line) => line.split(';'))
    .map((pair) => pair.trim());
}

/** Returns the hash of the secret in a request's cookie; null without one, or with several or what cannot be one. */
export function cookieHashOf(request: FastifyRequest, reach: Reach): Uint8Array | null {
  const pairs = cookiesOf(request);
  if (pairs.length === 0) return null;
  const start = `${cookieName(request, reach)}=`;
  const values = pairs
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  const [secret] = values;
  if (secret === undefined || values.length > 1 || !secretPattern.test(secret)) return null;
  return hashOf(secret);
}
