import { GROUP_BITS, isIpv4, parseAddress } from './address.ts';
import type { Address } from './address.ts';

/** A household has a whole /64. Source: RFC 6177. */
const PREFIX_BITS = 64;

/** The key of all requests without an address, such as those over a Unix socket. */
export const LOCAL_CLIENT_KEY = 'local';
/** The key of all requests whose address is invalid. */
export const UNREADABLE_CLIENT_KEY = 'unreadable';

/**
 * The limiter's key for the address of a client.
 *
 * The key of an IPv4 address is the whole address: `192.0.2.1`. The key of an IPv6 address is its network:
 * `2001:db8:0:1::/64`. IPv4-mapped IPv6 is that IPv4 address, and all notations of an address give the same key. A
 * missing address and an invalid one have a fixed key each.
 *
 * Source: part 8 of the specification.
 */
export function clientKey(address: string | undefined): string {
  if (address === undefined) return LOCAL_CLIENT_KEY;
  const parsed = parseAddress(address);
  if (parsed === undefined) return UNREADABLE_CLIENT_KEY;
  return isIpv4(parsed) ? ipv4Key(parsed) : ipv6Key(parsed);
}

function ipv4Key([high = 0, low = 0]: Address): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

function ipv6Key(address: Address): string {
  const network = address.slice(0, PREFIX_BITS / GROUP_BITS);
  return `${network.map((group) => group.toString(16)).join(':')}::/${PREFIX_BITS}`;
}
