/** The bits of an IP address in groups of 16, most significant first: two groups for IPv4, eight for IPv6. */
export type Address = readonly number[];

const GROUP_BITS = 16;
const IPV4_GROUPS = 2;
const IPV6_GROUPS = 8;
/** Longer than any address with a zone id; limits the work on hostile text. */
const MAX_TEXT_LENGTH = 100;
const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4_PATTERN = new RegExp(`^${BYTE}\\.${BYTE}\\.${BYTE}\\.${BYTE}$`);
const GROUP_PATTERN = /^[0-9a-f]{1,4}$/i;

/**
 * Parses an IP address; `undefined` when the text is not one.
 *
 * Every notation of the same bits gives the same groups. An IPv4-mapped IPv6 address
 * (`::ffff:0:0/96`) is that IPv4 address, in every notation. A zone id is dropped. Leading zeros
 * are refused in IPv4, where they may mean octal, and accepted in IPv6.
 *
 * Source: RFC 4291, 2.2 and 2.5.5.2; RFC 6874 for zone ids.
 */
export function parseAddress(text: string): Address | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  if (!text.includes(':')) return parseIpv4(text);
  const [withoutZone = ''] = text.split('%', 1);
  const address = parseIpv6(withoutZone);
  return address !== undefined && isIpv4Mapped(address) ? address.slice(-IPV4_GROUPS) : address;
}

/** Whether the address is IPv4, also if it was written as IPv4-mapped IPv6. */
function isIpv4(address: Address): boolean {
  return address.length === IPV4_GROUPS;
}

/** Whether two addresses begin with the same bits; `false` when they are of different families. */
export function sharePrefix(a: Address, b: Address, prefixBits: number): boolean {
  if (a.length !== b.length) return false;
  return a.every((group, i) => ((group ^ (b[i] ?? 0)) & groupMask(prefixBits, i)) === 0);
}

/** Whether bit `n` of the address is set; bit 0 is the most significant. */
function hasBit(address: Address, n: number): boolean {
  const group = address[Math.floor(n / GROUP_BITS)] ?? 0;
  return (group & (0x8000 >> (n % GROUP_BITS))) !== 0;
}

/** The mask of the bits in group `i` that belong to the first `prefixBits` bits of an address. */
function groupMask(prefixBits: number, i: number): number {
  const bits = Math.min(GROUP_BITS, Math.max(0, prefixBits - i * GROUP_BITS));
  return (0xffff << (GROUP_BITS - bits)) & 0xffff;
}

function parseIpv4(text: string): Address | undefined {
  const match = IPV4_PATTERN.exec(text);
  if (match === null) return undefined;
  const [, a, b, c, d] = match;
  return [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)];
}

function parseIpv6(text: string): Address | undefined {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  if (tail === undefined) return ofLength(parseGroups(head, true), IPV6_GROUPS);
  const before = parseGroups(head, false);
  const after = parseGroups(tail, true);
  if (before === undefined || after === undefined) return undefined;
  const zeros = IPV6_GROUPS - before.length - after.length;
  if (zeros < 1) return undefined;
  return [...before, ...new Array<number>(zeros).fill(0), ...after];
}

/** Parses the groups between colons; the last may be an IPv4 address, which gives two groups. */
function parseGroups(text: string, mayEndInIpv4: boolean): Address | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const ipv4 = mayEndInIpv4 ? parseIpv4(parts.at(-1) ?? '') : undefined;
  const hexParts = ipv4 === undefined ? parts : parts.slice(0, -1);
  if (!hexParts.every((part) => GROUP_PATTERN.test(part))) return undefined;
  return [...hexParts.map((part) => Number.parseInt(part, 16)), ...(ipv4 ?? [])];
}

function ofLength(address: Address | undefined, groups: number): Address | undefined {
  return address?.length === groups ? address : undefined;
}

function isIpv4Mapped(address: Address): boolean {
  return address.slice(0, 5).every((group) => group === 0) && address[5] === 0xffff;
}

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

/** Whether networks of one family together hold every address that has the same first `bits` bits as all of them. */
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

/** The proxies whose X-Forwarded-For is used. */
export interface TrustedProxies {
  readonly networks: readonly Network[];
}

/** More proxies than any real chain has; limits the work on a hostile header. */
const MAX_HOPS = 32;
const MAX_ENTRY_LENGTH = 100;
const BRACKETED_PATTERN = /^\[([^\]]*)\](?::[0-9]{1,5})?$/;
const WITH_PORT_PATTERN = /^([^:]*):[0-9]{1,5}$/;

/**
 * Parses the setting for trusted proxies; see {@link parseNetworks}.
 *
 * Blank text trusts no proxy. Hop counts, `true`, `*`, `/0` and lists that cover all addresses are
 * refused, because any client could then choose its own address.
 *
 * @throws Error that quotes the refused text
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  return { networks: parseNetworks(text, 'Trusted proxies') };
}

/**
 * The address of the client that made a request; `undefined` when it is unknown.
 *
 * `peerAddress` is the other end of the socket, `undefined` for a Unix socket. `forwardedFor` is X-Forwarded-For, with
 * several lines joined in order by commas. A peer that is not trusted is the client, and the header is ignored.
 * Otherwise the header is read from the right: the first entry that is not trusted is the client, or the leftmost entry
 * when all are trusted. Reading stops at an invalid entry and after 32 entries; the last valid entry is then the
 * client. Ports and brackets are dropped. No other header is used.
 */
export function clientAddress(
  peerAddress: string | undefined,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string | undefined {
  let client = peerAddress;
  let rest = forwardedFor;
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    if (rest === undefined || !isWithin(client, trusted.networks)) break;
    const comma = rest.lastIndexOf(',');
    const entry = parseEntry(rest.slice(comma + 1));
    if (entry === undefined) break;
    client = entry;
    rest = comma === -1 ? undefined : rest.slice(0, comma);
  }
  return client;
}

/** The address in one entry of the header, without port and brackets. */
function parseEntry(text: string): string | undefined {
  if (text.length > MAX_ENTRY_LENGTH) return undefined;
  const entry = text.trim();
  const match = BRACKETED_PATTERN.exec(entry) ?? WITH_PORT_PATTERN.exec(entry);
  const address = match?.[1] ?? entry;
  return parseAddress(address) === undefined ? undefined : address;
}

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
