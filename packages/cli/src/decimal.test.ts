import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decimal } from './decimal.ts';

test('ten-thousandths print with four places and one sign', () => {
  const printed = [0, 1, -1, 9999, 10_000, -10_000, 123_456].map(decimal);
  const expected = ['0.0000', '0.0001', '-0.0001', '0.9999', '1.0000', '-1.0000', '12.3456'];
  assert.deepEqual(printed, expected);
  assert.equal(decimal(-0), '0.0000');
});

test('no digit of an integer of any length is lost', () => {
  fc.assert(
    fc.property(fc.bigInt(), (value) => {
      const text = decimal(value);
      assert.match(text, /^-?\d+\.\d{4}$/);
      assert.equal(BigInt(text.replace('.', '')), value);
    }),
  );
});
