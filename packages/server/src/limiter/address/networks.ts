import { hasBit, isIpv4, parseAddress, sharePrefix } from './address.ts';
import type { Address } from './address.ts';

/** All addresses whose first `prefixBits` bits are those of `address`. */
export interface Network {
  readonly address: Address;
  readonly prefixBits: number;
}

const MAPPED_PREFIX_BITS = 96;
const CIDR_PATTERN = /^([^/%]+)(?:\/(0|[1-9][0-9]{0,2}))?$/;

/**
 * Parses a setting that lists networks.
 *
 * Addresses and CIDR ranges, IPv4 or IPv6, separated by commas and optional spaces:
 * `10.0.0.0/8, 2001:db8::/32, 192.0.2.7`. Bits beyond the prefix are ignored. Blank text gives
 * no networks. Words, `*` and host names are refused. So are `/0` and any list that covers all of IPv4
 * or all of IPv6 by several ranges together, such as `0.0.0.0/1,128.0.0.0/1`. `what` names the
 * setting in error messages: `Trusted proxies`.
 *
 * @throws Error that quotes the entry, or the list that covers everything
 */
export function parseNetworks(text: string, what: string): readonly Network[] {
  if (text.trim() === '') return [];
  const networks = text.split(',').map((entry) => parseNetwork(entry.trim(), what));
  const ipv4 = networks.filter(({ address }) => isIpv4(address));
  const ipv6 = networks.filter(({ address }) => !isIpv4(address));
  for (const [family, ranges] of Object.entries({ IPv4: ipv4, IPv6: ipv6 })) {
    if (!coverAll(ranges)) continue;
    throw new Error(
      `${what} must not cover all ${family} addresses together, as in ${JSON.stringify(text)}`,
    );
  }
  return networks;
}

/** Whether the text is an address in one of the networks; `false` when it is not an address. */
export function isWithin(text: string | undefined, networks: readonly Network[]): boolean {
  if (text === undefined || networks.length === 0) return false;
  const address = parseAddress(text);
  if (address === undefined) return false;
  return networks.some((range) => sharePrefix(address, range.address, range.prefixBits));
}

function parseNetwork(text: string, what: string): Network {
  const [, addressText = '', prefixText] = CIDR_PATTERN.exec(text) ?? [];
  const address = parseAddress(addressText);
  if (address === undefined) throw refusal(text, what);
  const maxBits = isIpv4(address) ? 32 : 128;
  // In IPv4-mapped notation the prefix includes 96 bits that the IPv4 address does not have.
  const mappedBits = isIpv4(address) && addressText.includes(':') ? MAPPED_PREFIX_BITS : 0;
  const prefixBits = prefixText === undefined ? maxBits : Number(prefixText) - mappedBits;
  if (prefixBits < 1 || prefixBits > maxBits) throw refusal(text, what);
  return { address, prefixBits };
}

/**
 * Whether networks of one family together hold every address that has the same first `bits` bits
 * as all of them.
 */
function coverAll(networks: readonly Network[], bits = 0): boolean {
  if (networks.length === 0) return false;
  if (networks.some(({ prefixBits }) => prefixBits <= bits)) return true;
  const ones = networks.filter(({ address }) => hasBit(address, bits));
  const zeros = networks.filter(({ address }) => !hasBit(address, bits));
  return coverAll(ones, bits + 1) && coverAll(zeros, bits + 1);
}

function refusal(text: string, what: string): Error {
  return new Error(
    `${what} must be addresses or CIDR ranges such as "10.0.0.0/8", not ${JSON.stringify(text)}`,
  );
}
