import { GROUP_BITS, groupMask, isIpv4, parseAddress } from './address.ts';
import type { Address } from './address.ts';

const DEFAULT_IPV6_PREFIX_BITS = 64;
const MIN_IPV6_PREFIX_BITS = 48;
const MAX_IPV6_PREFIX_BITS = 64;
/** Groups that the longest prefix covers. */
const KEYED_GROUPS = MAX_IPV6_PREFIX_BITS / GROUP_BITS;

/** The key of all requests without an address, such as those over a Unix socket. */
export const LOCAL_CLIENT_KEY = 'local';
/** The key of all requests whose address is invalid. */
export const UNREADABLE_CLIENT_KEY = 'unreadable';

/**
 * The limiter's key for the address of a client.
 *
 * The key of an IPv4 address is the whole address: `192.0.2.1`. The key of an IPv6 address is its
 * network, because one household has a whole /64: `2001:db8:0:1::/64`. `ipv6PrefixBits` may widen
 * the network, from 48 to 64 bits. IPv4-mapped IPv6 is that IPv4 address, and all notations of an
 * address give the same key. A missing address and an invalid one have a fixed key each.
 *
 * Source: part 8 of the specification; RFC 6177 for the size of a household.
 *
 * @throws RangeError when `ipv6PrefixBits` is out of bounds
 */
export function clientKey(
  address: string | undefined,
  ipv6PrefixBits: number = DEFAULT_IPV6_PREFIX_BITS,
): string {
  checkPrefix(ipv6PrefixBits);
  if (address === undefined) return LOCAL_CLIENT_KEY;
  const parsed = parseAddress(address);
  if (parsed === undefined) return UNREADABLE_CLIENT_KEY;
  return isIpv4(parsed) ? ipv4Key(parsed) : ipv6Key(parsed, ipv6PrefixBits);
}

function ipv4Key([high = 0, low = 0]: Address): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

function ipv6Key(address: Address, prefixBits: number): string {
  const network = address
    .slice(0, KEYED_GROUPS)
    .map((group, i) => group & groupMask(prefixBits, i));
  return `${network.map((group) => group.toString(16)).join(':')}::/${prefixBits}`;
}

function checkPrefix(bits: number): void {
  if (Number.isInteger(bits) && bits >= MIN_IPV6_PREFIX_BITS && bits <= MAX_IPV6_PREFIX_BITS)
    return;
  throw new RangeError(
    `IPv6 prefix must be ${MIN_IPV6_PREFIX_BITS} to ${MAX_IPV6_PREFIX_BITS} bits, not ${bits}`,
  );
}
