import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isWithin, parseNetworks } from './networks.ts';

describe('networks', () => {
  const networks = parseNetworks('127.0.0.0/8,::1/128, 2001:db8::/32', 'Readers');

  it('contain the addresses that begin with their bits, in every notation', () => {
    for (const inside of ['127.0.0.1', '127.255.0.9', '::ffff:7f00:1', '::1', '2001:DB8:1::7']) {
      assert.ok(isWithin(inside, networks), inside);
    }
  });

  it('contain no other address, no invalid text, and no missing address', () => {
    for (const outside of ['128.0.0.1', '::2', '2001:db9::1', 'localhost', '', undefined]) {
      assert.ok(!isWithin(outside, networks), outside);
    }
    assert.ok(!isWithin('127.0.0.1', parseNetworks(' ', 'Readers')));
  });

  it('are refused with the name of the setting and the invalid entry', () => {
    assert.throws(() => parseNetworks('127.0.0.0/8,all', 'Readers'), {
      message: 'Readers must be addresses or CIDR ranges such as "10.0.0.0/8", not "all"',
    });
  });
});
