import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseAddress, sharePrefix } from './address.ts';
import { groupsArbitrary, ipv6Notations } from '../testing/address-notations.ts';
import { runs } from '../../../../core/src/testing/length.ts';

describe('address', () => {
  it('accepts exactly the addresses that the standard library accepts', () => {
    const charArbitrary = fc.constantFrom(...Array.from('::::....0123afF9'));
    const property = fc.property(fc.string({ unit: charArbitrary, maxLength: 20 }), (text) => {
      assert.equal(parseAddress(text) !== undefined, isIP(text) !== 0, text);
    });
    fc.assert(property, { numRuns: runs(5000) });
  });

  it('agrees with the standard library on near misses', () => {
    const almostIpv4 = ['1.2.3', '1.2.3.4.', '1.2.3.256', '01.2.3.4', '1..3.4', '1.2.3.4 ', '1'];
    const almostIpv6 = ['1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', ':::', ':1::', '12345::'];
    const mixed = [
      '1.2.3.4::',
      '::1.2.3.4:5',
      '::1.2.3',
      '1:2:3:4:5:6:7:1.2.3.4',
      '::ffff:1.2.3.04',
    ];
    const full = ['1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8::', '1:2:3:4:5:6:1.2.3.4'];
    const other = ['', ':', '::', '::g', '[::1]', '1.2.3.4%e', 'localhost', '٣.1.1.1', '0x1.2.3.4'];
    for (const text of [...almostIpv4, ...almostIpv6, ...mixed, ...full, ...other]) {
      assert.equal(parseAddress(text) !== undefined, isIP(text) !== 0, text);
    }
  });

  it('parses every notation to the same bits', () => {
    const property = fc.property(groupsArbitrary, (groups) => {
      for (const text of ipv6Notations(groups)) {
        assert.ok(isIP(text) === 6, text);
        assert.deepEqual(parseAddress(text), groups, text);
      }
    });
    fc.assert(property, { numRuns: runs(300) });
  });

  it('parses an IPv4-mapped address as that IPv4 address, in every notation', () => {
    const groupArbitrary = fc.nat(0xffff);
    const property = fc.property(groupArbitrary, groupArbitrary, (high, low) => {
      const notations = ipv6Notations([0, 0, 0, 0, 0, 0xffff, high, low]);
      for (const text of notations) assert.deepEqual(parseAddress(text), [high, low], text);
    });
    fc.assert(property);
  });

  it('parses other addresses that end in an IPv4 address as IPv6', () => {
    const nearMapped = [
      '::fffe:1.2.3.4',
      '::ffff:0:1.2.3.4',
      '1::ffff:1.2.3.4',
      '::1:ffff:1.2.3.4',
    ];
    for (const text of ['::1.2.3.4', '64:ff9b::1.2.3.4', ...nearMapped]) {
      assert.equal(parseAddress(text)?.length, 8, text);
    }
  });

  it('refuses long text at once', () => {
    assert.equal(parseAddress(`fe80::1%${'e'.repeat(200)}`), undefined);
    assert.equal(parseAddress(':'.repeat(1_000_000)), undefined);
  });
});

describe('prefix of two addresses', () => {
  it('is shared exactly when the first bits are the same', () => {
    const bitsOf = (groups: readonly number[]) =>
      groups.map((group) => group.toString(2).padStart(16, '0')).join('');
    const property = fc.property(groupsArbitrary, fc.nat(127), fc.nat(128), (a, flipped, bits) => {
      const b = a.map((group, i) =>
        i === flipped >> 4 ? group ^ (0x8000 >> (flipped & 15)) : group,
      );
      assert.equal(sharePrefix(a, b, bits), bitsOf(a).slice(0, bits) === bitsOf(b).slice(0, bits));
    });
    fc.assert(property, { numRuns: runs(1000) });
  });

  it('is never shared between families', () => {
    assert.equal(sharePrefix([0, 0], [0, 0, 0, 0, 0, 0, 0, 0], 8), false);
  });
});
