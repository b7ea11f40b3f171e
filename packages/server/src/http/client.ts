import { longestSessionMs } from '../identity/sessions/actions.ts';
import { sha256 } from '../identity/users/actions.ts';
import { isIP } from 'node:net';
import { quote } from '@coffer/core/text';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { clientAddress, clientKey, isWithin, type TrustedProxies } from '../limiter/address.ts';
import { unknownHost } from '../operations/errors.ts';
import { malformed, Problem } from '../operations/problem.ts';
import type { Cookies } from '../operations/responses.ts';

/** The address at which clients reach the service through a proxy. */
export interface PublicUrl {
  /** Without a slash at the end, such as `https://host/coffer`. */
  readonly href: string;
  /** In lower case, without the port, which proxies often leave out. */
  readonly hostname: string;
  /** The beginning of every path, such as `/coffer`; empty for the root. */
  readonly basePath: string;
}

/**
 * Parses the setting, such as `https://host/coffer/`; null for an empty text.
 *
 * Throws an Error for anything but an http or https URL whose path has letters, digits and `-._~` only.
 */
export function parsePublicUrl(text: string): PublicUrl | null {
  if (text === '') return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin + url.pathname !== url.href) {
    throw new Error(`Not a public URL: "${text}". Use a URL such as https://host/coffer/`);
  }
  const basePath = url.pathname.replace(/\/$/, '');
  if (!/^(\/[\w.~-]+)*$/.test(basePath)) {
    throw new Error(`The path of "${text}" may have letters, digits and -._~ only`);
  }
  const hostname = url.hostname.replace(/\.$/, '');
  return { href: url.origin + basePath, hostname, basePath };
}

/** The proxies before the service, on which it depends what the headers of a request mean. */
export interface ProxyOptions {
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
function isSecure({ raw }: FastifyRequest, { trustedProxies, publicUrl }: ProxyOptions): boolean {
  if (publicUrl !== null) return publicUrl.href.startsWith('https:');
  if (!isWithin(raw.socket.remoteAddress, trustedProxies.networks)) return false;
  const protocols = String(raw.headers['x-forwarded-proto'] ?? '').split(',');
  return protocols.at(-1)!.trim().toLowerCase() === 'https';
}

/** Returns the address of the pages of the service, as the browser that sends a request has it. */
export function originOf(request: FastifyRequest, proxy: ProxyOptions): string {
  const { host = 'localhost', origin } = request.raw.headers;
  const { publicUrl } = proxy;
  const own = publicUrl === null ? null : new URL(publicUrl.href).origin;
  // Some proxies put their own name into Host. What pages of others send as Origin is never the public one.
  if (own !== null && (hostnameOf(host) === publicUrl!.hostname || origin === own)) return own;
  const scheme = own === null && isSecure(request, proxy) ? 'https' : 'http';
  return URL.parse(`${scheme}://${host}`)?.origin ?? `${scheme}://localhost`;
}

/** Returns the port that a browser shows for the service: that of the public URL, or of the Host header. */
function portOf(request: FastifyRequest, proxy: ProxyOptions): string {
  const { host = '' } = request.raw.headers;
  const { publicUrl } = proxy;
  const usual = isSecure(request, proxy) ? '443' : '80';
  if (publicUrl !== null && hostnameOf(host) === publicUrl.hostname)
    return new URL(publicUrl.href).port || usual;
  return /:(\d+)$/.exec(host)?.[1] ?? usual;
}

/** Longer names do not exist. Source: RFC 1035, 2.3.4. */
const longestShown = 255;

/** The names under which browsers may reach the service, besides `localhost` and IP addresses. */
export interface KnownHosts {
  readonly publicUrl: PublicUrl | null;
  /** In lower case. */
  readonly hostNames: readonly string[];
}

/** Parses the setting: host names without ports, separated by commas. Throws an Error that quotes every other text. */
export function parseHostNames(text: string): readonly string[] {
  const names = text
    .split(',')
    .map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/(?<=[^.])\.$/, ''),
    )
    .filter((name) => name !== '');
  const invalid = names.filter((name) => !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name));
  if (invalid.length === 0) return names;
  const quoted = invalid.map((name) => `"${name}"`).join(', ');
  throw new Error(`Not a host name: ${quoted}. Use names without a port, such as coffer.lan`);
}

/** Returns the name or the address in a Host header: in lower case, without the port and the dot of the root. */
export function hostnameOf(host: string): string {
  return host.replace(/\.?(:\d*)?$/, '').toLowerCase();
}

/**
 * Whether a page under this Host is one of the service: the public URL, a name that is set, `localhost` or an IP
 * address. A page of another name that was made to resolve to this address (DNS rebinding) is not.
 */
function isKnownHost(host: string, { publicUrl, hostNames }: KnownHosts): boolean {
  const name = hostnameOf(host);
  const address = name.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 || /^(.+\.)?localhost$/.test(name)) return true;
  return name === publicUrl?.hostname || hostNames.includes(name);
}

/** Refuses a Host that is not known with 421. A request without one, or with an empty one, is of no browser. */
export function refuseUnknownHost(host: string | undefined, known: KnownHosts): void {
  const problem = hostProblem(host, known);
  if (problem !== undefined) throw problem;
}

function hostProblem(host: string | undefined, known: KnownHosts): Problem | undefined {
  if (host === undefined || host === '' || isKnownHost(host, known)) return undefined;
  const errMsg = unknownHost(hostnameOf(host).slice(0, longestShown));
  return new Problem('misdirected', { details: [{ errMsg }] });
}

/** Returns the hook for pages that use the session: it ends a request under an unknown host name with 421. */
export function onlyKnownHosts(known: KnownHosts): onRequestHookHandler {
  return ({ headers: { host } }, _reply, done) => {
    done(hostProblem(host, known));
  };
}

/**
 * Returns the hook that ends a request with 400 when its Host is not known: a page of another name that was made to
 * resolve to this address must not reach the service. Without a public URL every Host is accepted.
 */
export function refuseForeignHost(known: KnownHosts): onRequestHookHandler {
  const { publicUrl } = known;
  return ({ headers: { host } }, _reply, done) => {
    if (publicUrl === null || host === undefined || isKnownHost(host, known)) done();
    else {
      const service = `this service, whose address is ${publicUrl.href}`;
      done(malformed(`The Host ${quote(host)} does not belong to ${service}`));
    }
  };
}

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
function cookieName(request: FastifyRequest, proxy: ProxyOptions): string {
  const prefix = isSecure(request, proxy) ? '__Host-' : '';
  return `${prefix}coffer_${portOf(request, proxy)}`;
}

/** Sets the cookies of a session and of a browser. A secret of a session that is null removes its cookie. */
export function setCookies(
  reply: FastifyReply,
  { session, device }: Cookies,
  proxy: ProxyOptions,
): void {
  const { request } = reply;
  const set = (name: string, value: string, ageMs: number): void => {
    const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${ageMs / 1000}`;
    const secure = isSecure(request, proxy) ? '; Secure' : '';
    void reply.header('set-cookie', `${name}=${value}; ${flags}${secure}`);
  };
  if (session !== undefined)
    set(cookieName(request, proxy), session ?? '', session === null ? 0 : longestSessionMs);
  if (device) set(`${deviceName(request, proxy)}${device.userId}`, device.text, deviceMs);
}

/** The name of the cookie of a browser up to the id of its user: several users can share a browser. */
function deviceName(request: FastifyRequest, proxy: ProxyOptions): string {
  return cookieName(request, proxy).replace('coffer_', 'coffer_device_') + '_';
}

/** Returns the cookies of a browser in which users have signed in, as far as they can be some. */
export function deviceCookiesOf(request: FastifyRequest, proxy: ProxyOptions): readonly string[] {
  const start = deviceName(request, proxy);
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
export function cookieHashOf(request: FastifyRequest, proxy: ProxyOptions): Uint8Array | null {
  const pairs = cookiesOf(request);
  if (pairs.length === 0) return null;
  const start = `${cookieName(request, proxy)}=`;
  const values = pairs
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  const [secret] = values;
  if (secret === undefined || values.length > 1 || !secretPattern.test(secret)) return null;
  return sha256(secret);
}

/**
 * Returns the values of all lines of one header field, in order, as they were sent.
 *
 * Node keeps only the first line of fields such as Host and Authorization. Other parsers may use the last line, so code
 * that depends on such a field counts its lines first. `name` is in lower case.
 */
export function headerLines(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at]!;
    if (field.length === name.length && field.toLowerCase() === name) {
      values.push(rawHeaders[at + 1]!);
    }
  }
  return values;
}

/** The origins whose pages may read responses in a browser: `*` for every origin; empty for none. */
export type CorsOrigins = '*' | readonly string[];

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
