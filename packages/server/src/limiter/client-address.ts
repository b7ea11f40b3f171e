import { isIpv4, parseAddress, sharePrefix } from './address.ts';
import type { Address } from './address.ts';

/** The proxies whose word about the client's address is taken. */
export interface TrustedProxies {
  readonly networks: readonly Network[];
}

interface Network {
  readonly address: Address;
  readonly prefixBits: number;
}

/** More proxies in a row than any real chain has; bounds the work on a hostile header. */
const MAX_HOPS = 32;
const MAX_ENTRY_LENGTH = 100;
const MAPPED_PREFIX_BITS = 96;
const CIDR_PATTERN = /^([^/%]+)(?:\/(0|[1-9][0-9]{0,2}))?$/;
const BRACKETED_PATTERN = /^\[([^\]]*)\](?::[0-9]{1,5})?$/;
const WITH_PORT_PATTERN = /^([^:]*):[0-9]{1,5}$/;

/**
 * Reads the list of trusted proxies as an operator writes it.
 *
 * Addresses and CIDR ranges, IPv4 or IPv6, separated by commas, spaces around them allowed:
 * `10.0.0.0/8, 2001:db8::/32, 192.0.2.7`. Bits beyond the prefix are ignored. Blank text trusts
 * nobody. Hop counts, `true`, `*` and host names are refused, as are ranges of the whole internet
 * (`/0`): each of them would let any client write its own address.
 *
 * @throws Error that quotes the entry that cannot be taken
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  if (text.trim() === '') return { networks: [] };
  return { networks: text.split(',').map((entry) => parseNetwork(entry.trim())) };
}

/**
 * The address of the client that made a request; `undefined` when there is none to know.
 *
 * `peerAddress` is the other end of the socket, `undefined` for a Unix socket; `forwardedFor` is
 * X-Forwarded-For, several lines joined in order by commas. Unless the peer is trusted, the peer
 * is the client, whatever the header says. If it is, the header is read from the right, past
 * trusted entries: the first that is not trusted is the client; when all are trusted, the
 * leftmost. An entry that is no address ends the walk at the last good one, and so does the
 * 32nd. Ports and brackets are cut. No other header is looked at.
 */
export function clientAddress(
  peerAddress: string | undefined,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string | undefined {
  let client = peerAddress;
  let rest = forwardedFor;
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    if (rest === undefined || !isTrusted(client, trusted)) break;
    const comma = rest.lastIndexOf(',');
    const entry = readEntry(rest.slice(comma + 1));
    if (entry === undefined) break;
    client = entry;
    rest = comma === -1 ? undefined : rest.slice(0, comma);
  }
  return client;
}

function isTrusted(text: string | undefined, trusted: TrustedProxies): boolean {
  if (text === undefined || trusted.networks.length === 0) return false;
  const address = parseAddress(text);
  if (address === undefined) return false;
  return trusted.networks.some((range) => sharePrefix(address, range.address, range.prefixBits));
}

/** The address in one entry of the header, without port and brackets. */
function readEntry(text: string): string | undefined {
  if (text.length > MAX_ENTRY_LENGTH) return undefined;
  const entry = text.trim();
  const match = BRACKETED_PATTERN.exec(entry) ?? WITH_PORT_PATTERN.exec(entry);
  const address = match?.[1] ?? entry;
  return parseAddress(address) === undefined ? undefined : address;
}

function parseNetwork(text: string): Network {
  const [, addressText = '', prefixText] = CIDR_PATTERN.exec(text) ?? [];
  const address = parseAddress(addressText);
  if (address === undefined) throw refusal(text);
  const maxBits = isIpv4(address) ? 32 : 128;
  // In IPv4-mapped notation the prefix counts the 96 bits that the IPv4 address does not have.
  const unseenBits = isIpv4(address) && addressText.includes(':') ? MAPPED_PREFIX_BITS : 0;
  const prefixBits = prefixText === undefined ? maxBits : Number(prefixText) - unseenBits;
  if (prefixBits < 1 || prefixBits > maxBits) throw refusal(text);
  return { address, prefixBits };
}

function refusal(text: string): Error {
  return new Error(
    'Trusted proxies must be addresses or CIDR ranges such as "10.0.0.0/8", ' +
      `not ${JSON.stringify(text)}`,
  );
}
