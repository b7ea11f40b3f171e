import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import {
  clientAddress,
  clientKey,
  LOCAL_CLIENT_KEY,
  parseAddress,
  parseNetworks,
  parseTrustedProxies,
  sharePrefix,
  UNREADABLE_CLIENT_KEY,
} from './address.ts';

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
    '1.2.3',
    '1.2.3.4.',
    '1.2.3.256',
    '01.2.3.4',
    '1..3.4',
    '1.2.3.4 ',
    '1',
    '1.2.3.4%e',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    ':::',
    ':1::',
    '12345::',
    '::g',
    '[::1]',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '::1.2.3',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::ffff:1.2.3.04',
    '::',
    '1:2:3:4:5:6:7::',
    '::2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7:8::',
    '1:2:3:4:5:6:1.2.3.4',
    '',
    ':',
    'localhost',
    '٣.1.1.1',
    '0x1.2.3.4',
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

const trusted = parseTrustedProxies('10.0.0.0/8, 192.0.2.7,2001:db8:aa::/48');
const hops = (n: number): string => ['203.0.113.9', ...Array<string>(n).fill('10.2.2.2')].join();

describe('client address', () => {
  const cases: readonly (readonly [
    what: string,
    peer: string | undefined,
    header: string | undefined,
    client: string | undefined,
  ])[] = [
    ['the peer that is no proxy', '198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['the peer that names a proxy', '198.51.100.1', '203.0.113.9, 10.1.1.1', '198.51.100.1'],
    ['the proxy without a header', '10.1.1.1', undefined, '10.1.1.1'],
    ['the proxy with an empty header', '10.1.1.1', '', '10.1.1.1'],
    ['the only entry', '10.1.1.1', '203.0.113.9', '203.0.113.9'],
    ['the last entry', '10.1.1.1', '8.8.8.8, 203.0.113.9', '203.0.113.9'],
    [
      'the last entry before several proxies',
      '10.1.1.1',
      '8.8.8.8, 203.0.113.9, 10.2.2.2,192.0.2.7 ,\t2001:db8:aa::1',
      '203.0.113.9',
    ],
    ['the leftmost of proxies alone', '10.1.1.1', '10.3.3.3, 10.2.2.2', '10.3.3.3'],
    ['unknown over a Unix socket', undefined, '203.0.113.9', undefined],
    ['the last of 32 entries', '10.1.1.1', hops(31), '203.0.113.9'],
    ['the first of 32 entries', '10.1.1.1', hops(32), '10.2.2.2'],
    ['the first of 32 entries of a million', '10.1.1.1', hops(1_000_000), '10.2.2.2'],
    ['the proxy with an entry that is too long', '10.1.1.1', '1'.repeat(1_000_000), '10.1.1.1'],
    ['the proxy with a padded entry', '10.1.1.1', `${' '.repeat(200)}203.0.113.9`, '10.1.1.1'],
    ['behind a proxy in IPv4-mapped IPv6', '::ffff:10.1.1.1', '203.0.113.9', '203.0.113.9'],
    ['behind a proxy in hexadecimal', '0:0:0:0:0:FFFF:0A01:0101', '203.0.113.9', '203.0.113.9'],
    ['a mapped peer', '::ffff:11.1.1.1', '203.0.113.9', '::ffff:11.1.1.1'],
    ['a peer that ends like a proxy', '::10.1.1.1', '203.0.113.9', '::10.1.1.1'],
  ];
  for (const [what, peer, header, client] of cases)
    it(`is that of ${what}`, () => assert.equal(clientAddress(peer, header, trusted), client));

  it('is the last valid address before an invalid entry', () => {
    const words = 'unknown _hidden 999.1.1.1 10.1.1 "10.2.2.2" for=1.1.1.1'.split(' ');
    const forms = '203.0.113.9: 203.0.113.9:123456 [2001:db8::1 [] [::1]x :80'.split(' ');
    for (const entry of ['', ' ', ...words, ...forms]) {
      assert.equal(clientAddress('10.1.1.1', `203.0.113.9, ${entry}`, trusted), '10.1.1.1');
      assert.equal(clientAddress('10.1.1.1', `203.0.113.9,${entry},10.2.2.2`, trusted), '10.2.2.2');
    }
  });

  it('has no port and no brackets', () => {
    for (const [entry, address] of [
      ['203.0.113.9:4711', '203.0.113.9'],
      ['[2001:db8::1]', '2001:db8::1'],
      ['[2001:db8::1]:443', '2001:db8::1'],
      ['2001:db8::1', '2001:db8::1'],
      ['2001:db8::1:443', '2001:db8::1:443'],
    ] as const) {
      assert.equal(clientAddress('10.1.1.1', entry, trusted), address);
      assert.equal(clientAddress('10.1.1.1', `${entry}, 10.2.2.2:80`, trusted), address);
    }
  });

  it('cannot be chosen by the client: what it writes before the true entry has no effect', () => {
    const entryArbitrary = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constant('10.0.0.1'));
    const clientArbitrary = fc.ipV4().filter((address) => !/^(10\.|192\.0\.2\.7$)/.test(address));
    const forgedArbitrary = fc.array(entryArbitrary, { maxLength: 10 });
    const property = fc.property(forgedArbitrary, clientArbitrary, (forged, client) => {
      const header = [...forged, client, '10.9.9.9'].join(', ');
      assert.equal(clientAddress('10.1.1.1', header, trusted), client);
    });
    fc.assert(property, { numRuns: runs(500) });
  });
});

/** Disjoint ranges that together cover IPv4. Each number selects a range to split in half. */
function splitIpv4(splits: readonly number[]): string[] {
  const ranges = [0, 2 ** 31].map((start) => ({ start, bits: 1 }));
  for (const split of splits) {
    const [{ start, bits }] = ranges.splice(split % ranges.length, 1) as [(typeof ranges)[0]];
    const half = { start, bits: bits + 1 };
    ranges.push(half, { ...half, start: start + 2 ** (31 - bits) });
  }
  const text = (n: number): string => [24, 16, 8, 0].map((by) => (n >>> by) & 255).join('.');
  return ranges.map(({ start, bits }) => `${text(start)}/${bits}`);
}

describe('trusted proxies', () => {
  it('are the addresses within a range, first and last included, and single ones', () => {
    for (const [list, ...peers] of [
      ['', '!127.0.0.1'],
      [' \t', '!127.0.0.1'],
      ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '!172.15.255.255', '!172.32.0.0'],
      ['172.16.0.0/12', '!::ac10:1', '!localhost', '!'],
      ['2001:db8::/33', '2001:db8:7fff::1', '!2001:db8:8000::1'],
      ['192.0.2.7', '192.0.2.7', '!192.0.2.6'],
      ['::1', '0:0:0:0:0:0:0:1', '!::2'],
      ['10.1.2.3/8', '10.200.0.1'],
      ['::ffff:10.0.0.0/104', '10.2.3.4', '!11.2.3.4'],
      ['::ffff:10.0.0.1', '10.0.0.1'],
    ] as const)
      for (const peer of peers) {
        const address = peer.replace('!', '');
        const client = clientAddress(address, '203.0.113.9', parseTrustedProxies(list));
        assert.equal(client, peer === address ? '203.0.113.9' : address, `${peer} of ${list}`);
      }
  });

  it('are no words, no ranges of another form, and not everybody', () => {
    const words = '1 2 true false * all localhost proxy.example.com';
    const ranges = '10.0.0.0/33 10.0.0.0/ 10.0.0.0/-1 10.0.0.0/08 10.0.0.0/8/8 10/8 /8 ::1/129';
    const others = '10.0.0.0/255.0.0.0 fe80::1%eth0 [::1] 10.0.0.1:80';
    const everybody = '0.0.0.0/0 ::/0 ::ffff:0:0/96 ::ffff:10.0.0.0/90';
    for (const entry of ['', ...`${words} ${ranges} ${others} ${everybody}`.split(' ')])
      for (const text of [`10.0.0.0/8, ${entry}`, `${entry},10.0.0.0/8`])
        assert.throws(
          () => parseTrustedProxies(text),
          ({ message }: Error) => message.endsWith(`, not ${JSON.stringify(entry)}`),
          text,
        );
    assert.throws(() => parseNetworks('127.0.0.0/8,all', 'Readers'), {
      message: 'Readers must be addresses or CIDR ranges such as "10.0.0.0/8", not "all"',
    });
  });

  it('are refused exactly when they cover all addresses together', () => {
    for (const [family, list] of [
      ['IPv4', '128.0.0.0/1, 10.0.0.0/8, 64.0.0.0/2, 0.0.0.0/2'],
      ['IPv4', '::ffff:0.0.0.0/97,128.0.0.0/1,2001:db8::/32'],
      ['IPv6', '::/1,8000::/1'],
      ['IPv6', '10.0.0.0/8,8000::/1,4000::/2,::/2'],
    ] as const)
      assert.throws(() => parseTrustedProxies(list), {
        message: `Trusted proxies must not cover all ${family} addresses together, as in "${list}"`,
      });
    const splitsArbitrary = fc.array(fc.nat(), { maxLength: 31 });
    const property = fc.property(splitsArbitrary, fc.nat(), (splits, missing) => {
      const parts = splitIpv4(splits);
      assert.throws(() => parseTrustedProxies(parts.join()), /must not cover all IPv4/);
      const rest = parts.toSpliced(missing % parts.length, 1);
      assert.doesNotThrow(() => parseTrustedProxies(rest.join()));
    });
    fc.assert(property, { numRuns: runs(300) });
  });
});
