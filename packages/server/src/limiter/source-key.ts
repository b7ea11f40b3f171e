import { GROUP_BITS, groupMask, isIpv4, parseAddress } from './address.ts';
import type { Address } from './address.ts';

const DEFAULT_IPV6_PREFIX_BITS = 64;
const MIN_IPV6_PREFIX_BITS = 48;
const MAX_IPV6_PREFIX_BITS = 64;
/** Groups that a prefix of at most 64 bits reaches into. */
const KEYED_GROUPS = MAX_IPV6_PREFIX_BITS / GROUP_BITS;

/** The one key of all requests without a source address, as over a Unix socket. */
export const LOCAL_SOURCE_KEY = 'local';
/** The one key of all requests whose source address cannot be read. */
export const UNREADABLE_SOURCE_KEY = 'unreadable';

/**
 * The limiter's key for the address a request came from.
 *
 * An IPv4 address is a source of its own: `192.0.2.1`. An IPv6 address counts with its network,
 * because one household holds a whole /64: `2001:db8:0:1::/64`; `ipv6PrefixBits` may widen that,
 * 48 to 64, bounds included. IPv4-mapped IPv6 is that IPv4 address, and all notations of one
 * address give one key. No address and unreadable text give a fixed key each.
 *
 * Source: part 8 of the law; RFC 6177 for the size of a household.
 *
 * @throws RangeError when `ipv6PrefixBits` is out of bounds
 */
export function sourceKey(
  address: string | undefined,
  ipv6PrefixBits: number = DEFAULT_IPV6_PREFIX_BITS,
): string {
  checkPrefix(ipv6PrefixBits);
  if (address === undefined) return LOCAL_SOURCE_KEY;
  const parsed = parseAddress(address);
  if (parsed === undefined) return UNREADABLE_SOURCE_KEY;
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
