import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { isPrivateAddress, isPrivateHost } from '../private-host.ts';

/** Which private addresses webhooks may be sent to. */
export interface PrivateTargets {
  /** Whether there are any. */
  readonly areAllowed: boolean;
  /** Whether an address is one of them. */
  readonly allows: (address: string) => boolean;
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

const maxUrlLength = 2000;

/**
 * Returns why a URL cannot be the target of a webhook, or null.
 *
 * Names are not resolved: what they mean is checked when a connection is opened.
 */
export function urlProblem(text: string, { areAllowed, allows }: PrivateTargets): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || text.length > maxUrlLength)
    return `It must be a URL that begins with https://, of at most ${maxUrlLength} characters`;
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return 'It must not have a user, a password or a fragment';
  if (url.protocol === 'http:' && !areAllowed) return 'It must begin with https://';
  const address = addressOf(url);
  const isRefused = address === null ? !areAllowed : isPrivateAddress(address) && !allows(address);
  if (isRefused && isPrivateHost(url.hostname))
    return 'It is in a private network, which the settings of the server do not allow';
  if (url.protocol === 'http:' && address !== null && !isPrivateAddress(address))
    return 'It must begin with https://';
  return null;
}

/**
 * Returns the lookup of a connection: it resolves the host once, refuses it unless all of its addresses are allowed,
 * and passes on exactly these. So a name cannot mean another address when the connection is opened.
 *
 * Throws a {@link TargetError} for a URL whose host is an address that is not allowed.
 */
export function guardedLookup(
  url: URL,
  targets: PrivateTargets,
  resolve: Resolve = systemResolve,
): LookupFunction {
  const literal = addressOf(url);
  // No lookup is made for an address.
  if (literal !== null) refuse([literal], url, targets);
  return (hostname, { all = false }, callback) => {
    resolve(hostname, (error, addresses) => {
      try {
        if (error !== null) throw error;
        const [first] = addresses;
        if (first === undefined) throw new TargetError('The host has no address');
        refuse(
          addresses.map(({ address }) => address),
          url,
          targets,
        );
        if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      } catch (reason) {
        callback(reason as Error, '', 0);
      }
    });
  };
}

function refuse(addresses: readonly string[], { protocol }: URL, targets: PrivateTargets): void {
  const isPrivate = addresses.filter(isPrivateAddress);
  if (!isPrivate.every(targets.allows))
    throw new TargetError('The host is in a private network, which is not allowed');
  if (protocol === 'http:' && isPrivate.length < addresses.length)
    throw new TargetError('The URL must begin with https://');
}

/** Returns the address that is the host of a URL, or null for a name. */
function addressOf({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? null : host;
}
