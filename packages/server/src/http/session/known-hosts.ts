import { isIP } from 'node:net';
import type { onRequestHookHandler } from 'fastify';
import { quote } from '@coffer/core/text';
import { unknownHost } from '../../operations/errors.ts';
import { Problem } from '../../operations/problem.ts';
import type { PublicUrl } from '../server/public-url.ts';

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
    else done(foreignHost(host, publicUrl));
  };
}

function foreignHost(host: string, { href }: PublicUrl): Problem {
  const errMsg = `The Host ${quote(host)} does not belong to this service, whose address is ${href}`;
  return new Problem('malformedRequest', { details: [{ errMsg }] });
}
