import fc from 'fast-check';

/** The eight groups of an IPv6 address that is not IPv4-mapped, with many zeros. */
export const groupsArbitrary: fc.Arbitrary<readonly number[]> = fc
  .array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 })
  .filter((groups) => !/^(0,){5}65535,/.test(groups.join()));

/** Notations of one IPv6 address: zeros shortened anywhere or padded, IPv4 tail, case, zone. */
export function ipv6Notations(groups: readonly number[]): string[] {
  const hex = groups.map((group) => group.toString(16));
  const padded = hex.map((group) => group.padStart(4, '0'));
  const lists = [hex, padded, [...hex.slice(0, 6), dotted(groups)]];
  const spelt = lists.flatMap((parts) => [parts.join(':'), ...withZerosCut(parts)]);
  return [...spelt, ...spelt.map((text) => text.toUpperCase()), ...spelt.map((t) => `${t}%eth0`)];
}

function dotted(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** All ways to replace a run of zero groups by a double colon. */
function withZerosCut(parts: readonly string[]): string[] {
  const cuts: string[] = [];
  for (let from = 0; from < parts.length; from += 1) {
    for (let to = from + 1; to <= parts.length; to += 1) {
      if (!parts.slice(from, to).every((part) => /^0+$/.test(part))) break;
      cuts.push(`${parts.slice(0, from).join(':')}::${parts.slice(to).join(':')}`);
    }
  }
  return cuts;
}
