import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Which addresses in private networks requests may be sent to. */
export interface PrivateTargets {
  /** Whether there are any. */
  readonly areAllowed: boolean;
  /** Whether an address is one of them. */
  readonly allows: (address: string) => boolean;
}

/** No address in a private network. */
export const noPrivateTargets: PrivateTargets = { areAllowed: false, allows: () => false };

/**
 * Returns the targets of a URL whose host somebody has chosen: with a host that is written as a private address, or as
 * a name that only a private network has, that network is meant. Another name must not lead there.
 */
export function chosenTargets(url: URL, listed: PrivateTargets = noPrivateTargets): PrivateTargets {
  const isMeant = isPrivateHost(url.hostname);
  return { areAllowed: true, allows: (address) => isMeant || listed.allows(address) };
}

/** The addresses of a host are not allowed. The message quotes neither the host nor its addresses. */
export class TargetError extends Error {
  override name = 'TargetError';
}

/** Finds all addresses of a host; by default as the system does. */
export type Resolve = (
  hostname: string,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

const systemResolve: Resolve = (hostname, callback) =>
  systemLookup(hostname, { all: true }, callback);

/** One request to another server. */
export interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  /** http or https. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string;
  readonly targets: PrivateTargets;
  /** Whether requests without TLS may leave private networks. */
  readonly isPlainAllowed: boolean;
  /** Ends the request at any point. */
  readonly signal: AbortSignal;
  readonly resolve?: Resolve | undefined;
}

/**
 * Sends a request, and resolves to the head of its response. Redirects are not followed, and each request has a
 * connection of its own. Rejects with a {@link TargetError} if the host is not allowed.
 *
 * All requests to addresses that users or settings name go through here. The database, Redis and the bucket of files
 * are not guarded: they are parts of the service.
 */
export async function sendGuarded(request: GuardedRequest): Promise<IncomingMessage> {
  const { url, method, headers, body, signal } = request;
  const lookup = guardedLookup(request);
  // TLS is slow to load, and a service that sends nothing does not need it. An import in the bundle would be the alias.
  const isSecure = url.protocol === 'https:';
  const http = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  const options: RequestOptions = { method, headers, signal, agent: false, lookup };
  return new Promise((resolved, reject) => {
    const sent = http.request(url, options, resolved);
    // The listener stays after the response has started, because later errors are emitted here too.
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Returns the lookup of a connection: it resolves the host once, refuses it unless all of its addresses are allowed,
 * and passes on exactly these. So a name cannot mean another address when the connection is opened.
 *
 * Throws a {@link TargetError} for a URL whose host is an address that is not allowed.
 */
function guardedLookup(request: GuardedRequest): LookupFunction {
  const { url, resolve = systemResolve } = request;
  const literal = addressOf(url.hostname);
  // No lookup is made for an address.
  if (literal !== null) refuse([literal], request);
  return (hostname, { all = false }, callback) => {
    resolve(hostname, (error, addresses) => {
      try {
        if (error !== null) throw error;
        const [first] = addresses;
        if (first === undefined) throw new TargetError('The host has no address');
        refuse(
          addresses.map(({ address }) => address),
          request,
        );
        if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      } catch (reason) {
        callback(reason as Error, '', 0);
      }
    });
  };
}

function refuse(
  addresses: readonly string[],
  { url: { protocol }, targets, isPlainAllowed }: GuardedRequest,
): void {
  const isPrivate = addresses.filter(isPrivateAddress);
  if (!isPrivate.every(targets.allows))
    throw new TargetError('The host is in a private network, which is not allowed');
  if (protocol === 'http:' && !isPlainAllowed && isPrivate.length < addresses.length)
    throw new TargetError('The URL must begin with https://');
}

/** Networks that no public server is in. IPv4-mapped IPv6 addresses are compared as IPv4. */
const privateNetworks = new BlockList();
const subnets = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // IPv4-compatible and translated addresses, and all but global unicast, which is 2000::/3.
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/32',
  '100::/8',
  '200::/7',
  '400::/6',
  '800::/5',
  '1000::/4',
  '4000::/2',
  '8000::/1',
  // Within global unicast: special protocols such as Teredo, documentation, 6to4, segment routing.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
];
for (const subnet of subnets) {
  const [network = '', bits = ''] = subnet.split('/');
  privateNetworks.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4');
}

/**
 * Returns whether the host name of a URL is a private or local address, or a name of this machine or its network.
 *
 * `hostname` is that of a parsed URL, so all spellings of an address are one. Names are not resolved.
 *
 * Source: RFC 6761, RFC 6762.
 */
export function isPrivateHost(hostname: string): boolean {
  const address = addressOf(hostname);
  if (address !== null) return isPrivateAddress(address);
  const host = hostname.replace(/\.$/, '');
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(host);
}

/** Returns the address that is the host name of a URL, or null for a name. */
export function addressOf(hostname: string): string | null {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? null : host;
}

/**
 * Returns whether an address is private, local, reserved, or not an address.
 *
 * Source: IANA IPv4 and IPv6 Special-Purpose Address Registries.
 */
export function isPrivateAddress(text: string): boolean {
  const [address = ''] = text.split('%');
  const version = isIP(address);
  return version === 0 || privateNetworks.check(address, version === 6 ? 'ipv6' : 'ipv4');
}
