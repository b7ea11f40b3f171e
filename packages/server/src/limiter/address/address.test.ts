import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../core/src/testing/length.ts';
import { parseAddress, sharePrefix } from './address.ts';
import { clientKey, LOCAL_CLIENT_KEY, UNREADABLE_CLIENT_KEY } from './client-key.ts';

/** The eight groups of an IPv6 address that is not IPv4-mapped, with many zeros. */
const groupsArbitrary: fc.Arbitrary<readonly number[]> = fc
  .array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 })
  .filter((groups) => !/^(0,){5}65535,/.test(groups.join()));

/** Notations of one IPv6 address: zeros shortened anywhere or padded, IPv4 tail, case, zone. */
function ipv6Notations(groups: readonly number[]): string[] {
  const hex = groups.map((group) => group.toString(16));
  const padded = hex.map((group) => group.padStart(4, '0'));
  const ipv4 = groups.slice(6).flatMap((group) => [group >> 8, group & 255]);
  const lists = [hex, padded, [...hex.slice(0, 6), ipv4.join('.')]];
  const spelt = lists.flatMap((parts) => [parts.join(':'), ...withZerosCut(parts)]);
  return [...spelt, ...spelt.map((text) => text.toUpperCase()), ...spelt.map((t) => `${t}%eth0`)];
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

test('an address is what the standard library accepts', () => {
  const near = [
    ...['1.2.3', '1.2.3.4.', '1.2.3.256', '01.2.3.4', '1..3.4', '1.2.3.4 ', '1', '1.2.3.4%e'],
    ...['1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', ':::', ':1::', '12345::', '::g', '[::1]'],
    ...['1.2.3.4::', '::1.2.3.4:5', '::1.2.3', '1:2:3:4:5:6:7:1.2.3.4', '::ffff:1.2.3.04', '::'],
    ...['1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8::', '1:2:3:4:5:6:1.2.3.4'],
    ...['', ':', 'localhost', '٣.1.1.1', '0x1.2.3.4'],
  ];
  const charArbitrary = fc.constantFrom(...Array.from('::::....0123afF9'));
  const property = fc.property(fc.string({ unit: charArbitrary, maxLength: 20 }), (text) => {
    assert.equal(parseAddress(text) !== undefined, isIP(text) !== 0, text);
  });
  fc.assert(property, { numRuns: runs(5000), examples: near.map((text) => [text]) });
  assert.equal(parseAddress(`fe80::1%${'e'.repeat(200)}`), undefined, 'long text');
});

test('every notation of an IPv6 address gives the same groups, and its /64 as the key of a client', () => {
  const nearMapped = ['::1.2.3.4', '64:ff9b::1.2.3.4', '::fffe:1.2.3.4', '::ffff:0:1.2.3.4'];
  for (const text of [...nearMapped, '1::ffff:1.2.3.4', '::1:ffff:1.2.3.4'])
    assert.equal(parseAddress(text)?.length, 8, text);
  const property = fc.property(groupsArbitrary, (groups) => {
    const network = groups.slice(0, 4).map((group) => group.toString(16));
    for (const text of ipv6Notations(groups)) {
      assert.deepEqual(parseAddress(text), groups, text);
      assert.equal(clientKey(text), `${network.join(':')}::/64`, text);
    }
  });
  fc.assert(property, { numRuns: runs(300) });
});

test('an IPv4-mapped address is that IPv4 address, in every notation, and the key of its client', () => {
  const property = fc.property(fc.nat(0xffff), fc.nat(0xffff), (high, low) => {
    const ipv4 = [high >> 8, high & 255, low >> 8, low & 255].join('.');
    for (const text of [ipv4, ...ipv6Notations([0, 0, 0, 0, 0, 0xffff, high, low])]) {
      assert.deepEqual(parseAddress(text), [high, low], text);
      assert.equal(clientKey(text), ipv4, text);
    }
  });
  fc.assert(property);
});

test('a missing address and invalid text have a fixed key each', () => {
  assert.equal(clientKey(undefined), LOCAL_CLIENT_KEY);
  for (const text of ['', ' ', 'localhost', '1.2.3', '::ffff:1.2.3', '[::1]', '1.2.3.4:80', '\0'])
    assert.equal(clientKey(text), UNREADABLE_CLIENT_KEY, text);
});

test('a prefix is shared exactly when the first bits are the same', () => {
  const bitsOf = (groups: readonly number[]) =>
    groups.map((group) => group.toString(2).padStart(16, '0')).join('');
  const property = fc.property(groupsArbitrary, fc.nat(127), fc.nat(128), (a, flipped, bits) => {
    const b = a.map((group, i) =>
      i === flipped >> 4 ? group ^ (0x8000 >> (flipped & 15)) : group,
    );
    assert.equal(sharePrefix(a, b, bits), bitsOf(a).slice(0, bits) === bitsOf(b).slice(0, bits));
  });
  fc.assert(property, { numRuns: runs(1000) });
  assert.equal(sharePrefix([0, 0], [0, 0, 0, 0, 0, 0, 0, 0], 8), false, 'other families');
});
