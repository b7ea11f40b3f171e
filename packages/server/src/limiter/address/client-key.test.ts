import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { groupsArbitrary, ipv6Notations } from '../testing/address-notations.ts';
import { LOCAL_CLIENT_KEY, clientKey, UNREADABLE_CLIENT_KEY } from './client-key.ts';
import { runs } from '../../../../core/src/testing/length.ts';

describe('client key', () => {
  it('is the whole address for IPv4', () => {
    const property = fc.property(fc.ipV4(), (address) => assert.equal(clientKey(address), address));
    fc.assert(property);
  });

  it('is the IPv4 address for its IPv4-mapped form, in every notation', () => {
    const mapped = ['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:7F00:0001', '::ffff:127.0.0.1%lo'];
    const long = ['0:0:0:0:0:ffff:7f00:1', '0000:0000:0000:0000:0000:ffff:127.0.0.1'];
    for (const address of [...mapped, ...long]) assert.equal(clientKey(address), '127.0.0.1');
    assert.notEqual(clientKey('::ffff:127.0.0.2'), '127.0.0.1');
  });

  it('is the /64 for other IPv6, the same for every notation', () => {
    const property = fc.property(groupsArbitrary, (groups) => {
      const network = groups.slice(0, 4).map((group) => group.toString(16));
      const expected = `${network.join(':')}::/64`;
      for (const text of ipv6Notations(groups)) assert.equal(clientKey(text), expected, text);
    });
    fc.assert(property, { numRuns: runs(300) });
  });

  it('is the same for 100,000 addresses of a /64, and different for the next /64', () => {
    const address = (i: number) =>
      `2001:db8:0:1::${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}`;
    const keys = Array.from({ length: 100_000 }, (_, i) => clientKey(address(i)));
    assert.deepEqual([...new Set(keys)], ['2001:db8:0:1::/64']);
    assert.equal(clientKey('2001:db8:0:2::1'), '2001:db8:0:2::/64');
  });

  it('is fixed for a missing address', () => {
    assert.equal(clientKey(undefined), LOCAL_CLIENT_KEY);
  });

  it('is fixed for an invalid address', () => {
    for (const text of [
      '',
      ' ',
      'localhost',
      '1.2.3',
      '::ffff:1.2.3',
      '[::1]',
      '1.2.3.4:80',
      '\0',
    ]) {
      assert.equal(clientKey(text), UNREADABLE_CLIENT_KEY, text);
    }
    const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.ok(clientKey(text).length < 40);
    });
    fc.assert(property);
  });
});
