/**
 * The bits of an IP address in groups of 16, most significant first: two groups for IPv4, eight
 * for IPv6.
 */
export type Address = readonly number[];

export const GROUP_BITS = 16;

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
export function isIpv4(address: Address): boolean {
  return address.length === IPV4_GROUPS;
}

/** Whether two addresses begin with the same bits; `false` when they are of different families. */
export function sharePrefix(a: Address, b: Address, prefixBits: number): boolean {
  if (a.length !== b.length) return false;
  return a.every((group, i) => ((group ^ (b[i] ?? 0)) & groupMask(prefixBits, i)) === 0);
}

/** Whether bit `n` of the address is set; bit 0 is the most significant. */
export function hasBit(address: Address, n: number): boolean {
  const group = address[Math.floor(n / GROUP_BITS)] ?? 0;
  return (group & (0x8000 >> (n % GROUP_BITS))) !== 0;
}

/** The mask of the bits in group `i` that belong to the first `prefixBits` bits of an address. */
function groupMask(prefixBits: number, i: number): number {
  const kept = Math.min(GROUP_BITS, Math.max(0, prefixBits - i * GROUP_BITS));
  return (0xffff << (GROUP_BITS - kept)) & 0xffff;
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
