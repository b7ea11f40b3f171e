import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnpackedLimit } from './unpacked-limit.ts';

const freeBytes = 16 * 2 ** 20;

test('16 MiB may be unpacked from anything, and more up to 200 times the packed bytes and the maximum', () => {
  const limit = new UnpackedLimit(2 * freeBytes);
  limit.add(freeBytes, 1);
  assert.throws(() => limit.add(1, 1), {
    message: 'File unpacks to more than 200 times its length',
  });
  const packed = freeBytes / 100;
  const large = new UnpackedLimit(4 * freeBytes);
  large.add(packed * 200, packed);
  assert.throws(() => large.add(1, packed), /more than 200 times/);
  const longest = new UnpackedLimit(freeBytes);
  longest.add(freeBytes, freeBytes);
  assert.throws(() => longest.add(1, freeBytes), /File is longer than 16777216 bytes unpacked/);
});
