import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { clientAddress, parseTrustedProxies } from './client-address.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const none = parseTrustedProxies('');
const trusted = parseTrustedProxies('10.0.0.0/8, 192.0.2.7,2001:db8:aa::/48');

describe('client address', () => {
  it('is the peer when no proxy is trusted, whatever the header contains', () => {
    assert.equal(clientAddress('198.51.100.1', '203.0.113.9', none), '198.51.100.1');
    assert.equal(clientAddress('127.0.0.1', '203.0.113.9', none), '127.0.0.1');
  });

  it('is the peer when the peer is not a trusted proxy', () => {
    assert.equal(clientAddress('198.51.100.1', '203.0.113.9', trusted), '198.51.100.1');
    assert.equal(clientAddress('198.51.100.1', '203.0.113.9, 10.1.1.1', trusted), '198.51.100.1');
  });

  it('is the peer when a trusted proxy sends no client address', () => {
    assert.equal(clientAddress('10.1.1.1', undefined, trusted), '10.1.1.1');
    assert.equal(clientAddress('10.1.1.1', '', trusted), '10.1.1.1');
  });

  it('is the last entry, which a trusted proxy wrote, not an earlier one of the client', () => {
    assert.equal(clientAddress('10.1.1.1', '203.0.113.9', trusted), '203.0.113.9');
    assert.equal(clientAddress('10.1.1.1', '8.8.8.8, 203.0.113.9', trusted), '203.0.113.9');
  });

  it('is found behind several trusted proxies', () => {
    const header = '8.8.8.8, 203.0.113.9, 10.2.2.2,192.0.2.7 ,\t2001:db8:aa::1';
    assert.equal(clientAddress('10.1.1.1', header, trusted), '203.0.113.9');
  });

  it('is the leftmost when all are trusted', () => {
    assert.equal(clientAddress('10.1.1.1', '10.3.3.3, 10.2.2.2', trusted), '10.3.3.3');
  });

  it('is the last valid address before an invalid entry', () => {
    for (const entry of [
      '',
      ' ',
      'unknown',
      '_hidden',
      '999.1.1.1',
      '10.1.1',
      '"10.2.2.2"',
      'for=1.1.1.1',
    ]) {
      assert.equal(clientAddress('10.1.1.1', `203.0.113.9, ${entry}`, trusted), '10.1.1.1');
      assert.equal(clientAddress('10.1.1.1', `203.0.113.9,${entry},10.2.2.2`, trusted), '10.2.2.2');
    }
  });

  it('has no port and no brackets', () => {
    const forms: Readonly<Record<string, string>> = {
      '203.0.113.9:4711': '203.0.113.9',
      '[2001:db8::1]': '2001:db8::1',
      '[2001:db8::1]:443': '2001:db8::1',
      '2001:db8::1': '2001:db8::1',
      '2001:db8::1:443': '2001:db8::1:443',
    };
    for (const [entry, address] of Object.entries(forms)) {
      assert.equal(clientAddress('10.1.1.1', entry, trusted), address);
      assert.equal(clientAddress('10.1.1.1', `${entry}, 10.2.2.2:80`, trusted), address);
    }
    for (const entry of [
      '203.0.113.9:',
      '203.0.113.9:123456',
      '[2001:db8::1',
      '[]',
      '[::1]x',
      ':80',
    ]) {
      assert.equal(clientAddress('10.1.1.1', entry, trusted), '10.1.1.1');
    }
  });

  it('recognizes a trusted IPv4 proxy in IPv4-mapped IPv6', () => {
    for (const peer of ['::ffff:10.1.1.1', '::ffff:a01:101', '0:0:0:0:0:FFFF:0A01:0101']) {
      assert.equal(clientAddress(peer, '203.0.113.9', trusted), '203.0.113.9');
    }
    assert.equal(clientAddress('::ffff:11.1.1.1', '203.0.113.9', trusted), '::ffff:11.1.1.1');
    assert.equal(clientAddress('::10.1.1.1', '203.0.113.9', trusted), '::10.1.1.1');
  });

  it('is unknown over a Unix socket, whatever the header contains', () => {
    assert.equal(clientAddress(undefined, '203.0.113.9', trusted), undefined);
  });

  it('is the last address of the first 32 entries when all are trusted', () => {
    const header = (n: number) => ['203.0.113.9', ...Array<string>(n).fill('10.2.2.2')].join();
    assert.equal(clientAddress('10.1.1.1', header(31), trusted), '203.0.113.9');
    assert.equal(clientAddress('10.1.1.1', header(32), trusted), '10.2.2.2');
    assert.equal(clientAddress('10.1.1.1', header(1_000_000), trusted), '10.2.2.2');
  });

  it('is the peer when an entry is too long', () => {
    assert.equal(clientAddress('10.1.1.1', '1'.repeat(1_000_000), trusted), '10.1.1.1');
    assert.equal(clientAddress('10.1.1.1', `${' '.repeat(200)}203.0.113.9`, trusted), '10.1.1.1');
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
  interface Range {
    readonly start: number;
    readonly bits: number;
  }
  const ranges: Range[] = [0, 2 ** 31].map((start) => ({ start, bits: 1 }));
  for (const split of splits) {
    const [{ start, bits }] = ranges.splice(split % ranges.length, 1) as [Range];
    const half = { start, bits: bits + 1 };
    ranges.push(half, { ...half, start: start + 2 ** (31 - bits) });
  }
  const text = (n: number): string => [24, 16, 8, 0].map((by) => (n >>> by) & 255).join('.');
  return ranges.map(({ start, bits }) => `${text(start)}/${bits}`);
}

describe('trusted proxies', () => {
  const isTrusted = (list: string, peer: string) =>
    clientAddress(peer, '203.0.113.9', parseTrustedProxies(list)) === '203.0.113.9';

  it('are none when the text is blank', () => {
    for (const text of ['', '  ', '\t']) assert.equal(isTrusted(text, '127.0.0.1'), false);
  });

  it('are the addresses within a range, first and last included', () => {
    for (const peer of ['172.16.0.0', '172.31.255.255']) {
      assert.equal(isTrusted('172.16.0.0/12', peer), true);
    }
    for (const peer of ['172.15.255.255', '172.32.0.0', '::ac10:1']) {
      assert.equal(isTrusted('172.16.0.0/12', peer), false);
    }
    assert.equal(isTrusted('2001:db8::/33', '2001:db8:7fff::1'), true);
    assert.equal(isTrusted('2001:db8::/33', '2001:db8:8000::1'), false);
  });

  it('may be single addresses', () => {
    assert.equal(isTrusted('192.0.2.7', '192.0.2.7'), true);
    assert.equal(isTrusted('192.0.2.7', '192.0.2.6'), false);
    assert.equal(isTrusted('::1', '0:0:0:0:0:0:0:1'), true);
    assert.equal(isTrusted('::1', '::2'), false);
  });

  it('ignore bits beyond the prefix', () => {
    assert.equal(isTrusted('10.1.2.3/8', '10.200.0.1'), true);
  });

  it('may be written as IPv4-mapped IPv6', () => {
    assert.equal(isTrusted('::ffff:10.0.0.0/104', '10.2.3.4'), true);
    assert.equal(isTrusted('::ffff:10.0.0.0/104', '11.2.3.4'), false);
    assert.equal(isTrusted('::ffff:10.0.0.1', '10.0.0.1'), true);
  });

  const words = [
    '1',
    '2',
    'true',
    'false',
    '*',
    'all',
    'loopback',
    'localhost',
    'proxy.example.com',
  ];
  const badRanges = [
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10/8',
  ];
  const moreRanges = [
    '::1/129',
    '10.0.0.0/255.0.0.0',
    '/8',
    'fe80::1%eth0',
    '[::1]',
    '10.0.0.1:80',
  ];
  const everybody = ['0.0.0.0/0', '::/0', '::ffff:0:0/96', '::ffff:10.0.0.0/90'];
  for (const entry of [...words, ...badRanges, ...moreRanges, ...everybody]) {
    it(`cannot be ${entry}`, () => {
      for (const text of [entry, `10.0.0.0/8, ${entry}`, `${entry},10.0.0.0/8`]) {
        assert.throws(
          () => parseTrustedProxies(text),
          (error: Error) => error.message.endsWith(`, not ${JSON.stringify(entry)}`),
        );
      }
    });
  }

  const coveringLists: readonly (readonly [string, string])[] = [
    ['IPv4', '0.0.0.0/1,128.0.0.0/1'],
    ['IPv4', '128.0.0.0/1, 10.0.0.0/8, 64.0.0.0/2, 0.0.0.0/2'],
    ['IPv4', '::ffff:0.0.0.0/97,128.0.0.0/1,2001:db8::/32'],
    ['IPv6', '::/1,8000::/1'],
    ['IPv6', '10.0.0.0/8,8000::/1,4000::/2,::/2'],
  ];
  for (const [family, list] of coveringLists) {
    it(`must not cover all of ${family} together: ${list}`, () => {
      const message = `Trusted proxies must not cover all ${family} addresses together, as in "${list}"`;
      assert.throws(() => parseTrustedProxies(list), { message });
    });
  }

  it('are refused exactly when they cover all addresses together', () => {
    const splitsArbitrary = fc.array(fc.nat(), { maxLength: 31 });
    const property = fc.property(splitsArbitrary, fc.nat(), (splits, missing) => {
      const parts = splitIpv4(splits);
      assert.throws(() => parseTrustedProxies(parts.join()), /must not cover all IPv4/);
      const rest = parts.toSpliced(missing % parts.length, 1);
      assert.doesNotThrow(() => parseTrustedProxies(rest.join()));
    });
    fc.assert(property, { numRuns: runs(300) });
  });

  it('cannot have an empty entry in their list', () => {
    for (const text of ['10.0.0.0/8,', ',10.0.0.0/8', '10.0.0.0/8,,::1']) {
      assert.throws(() => parseTrustedProxies(text), /, not ""$/);
    }
  });
});
