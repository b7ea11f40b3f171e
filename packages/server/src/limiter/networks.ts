import { isIpv4, parseAddress, sharePrefix } from './address.ts';
import type { Address } from './address.ts';

/** The addresses that begin with the same bits. */
export interface Network {
  readonly address: Address;
  readonly prefixBits: number;
}

const MAPPED_PREFIX_BITS = 96;
const CIDR_PATTERN = /^([^/%]+)(?:\/(0|[1-9][0-9]{0,2}))?$/;

/**
 * Reads a list of networks as an operator writes it.
 *
 * Addresses and CIDR ranges, IPv4 or IPv6, separated by commas, spaces around them allowed:
 * `10.0.0.0/8, 2001:db8::/32, 192.0.2.7`. Bits beyond the prefix are ignored. Blank text is no
 * network. Words, `*` and host names are refused, and ranges of the whole internet (`/0`), too.
 * `what` begins the sentence that refuses: `Trusted proxies`.
 *
 * @throws Error that quotes the entry that cannot be taken
 */
export function parseNetworks(text: string, what: string): readonly Network[] {
  if (text.trim() === '') return [];
  return text.split(',').map((entry) => parseNetwork(entry.trim(), what));
}

/** Whether the text is an address of one of the networks; `false` when it is no address. */
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
  // In IPv4-mapped notation the prefix counts the 96 bits that the IPv4 address does not have.
  const unseenBits = isIpv4(address) && addressText.includes(':') ? MAPPED_PREFIX_BITS : 0;
  const prefixBits = prefixText === undefined ? maxBits : Number(prefixText) - unseenBits;
  if (prefixBits < 1 || prefixBits > maxBits) throw refusal(text, what);
  return { address, prefixBits };
}

function refusal(text: string, what: string): Error {
  return new Error(
    `${what} must be addresses or CIDR ranges such as "10.0.0.0/8", not ${JSON.stringify(text)}`,
  );
}
