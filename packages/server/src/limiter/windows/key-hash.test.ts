import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { KeyHash } from './key-hash.ts';

/** Published vectors: input bytes 0, 1, 2 … of the given length, key bytes 0 to 7. */
const vectors: readonly (readonly [number, string])[] = [
  [0, '218d1f59b9b83cc8'],
  [2, '064f39ef7c50eb57'],
  [4, 'd5e78a175be52ea1'],
  [6, 'ce3e91358aa2bc25'],
  [8, 'edfee820bce4858c'],
  [14, '3bb1a870eae8e658'],
  [16, '7336aad25f7bf3b5'],
  [30, '291aaf864898179d'],
];

function digest(hash: KeyHash, text: string): string {
  hash.update(text);
  const bytes = Buffer.alloc(8);
  bytes.writeInt32LE(hash.low, 0);
  bytes.writeInt32LE(hash.high, 4);
  return bytes.toString('hex');
}

describe('key hash', () => {
  for (const [length, expected] of vectors) {
    it(`matches the published vector of ${length} bytes`, () => {
      const text = Buffer.from(Array.from({ length }, (_, i) => i)).toString('utf16le');
      assert.equal(digest(new KeyHash([0x03020100, 0x07060504]), text), expected);
    });
  }

  it('depends only on the text, not on earlier texts', () => {
    const reused = new KeyHash([1, 2]);
    const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(digest(reused, text), digest(new KeyHash([1, 2]), text));
    });
    fc.assert(property);
  });

  it('differs for texts that differ, and for secrets that differ', () => {
    const hash = new KeyHash([1, 2]);
    const address = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
    const digests = Array.from({ length: 100_000 }, (_, i) => digest(hash, address(i)));
    assert.equal(new Set(digests).size, digests.length);
    assert.notEqual(digest(new KeyHash([1, 3]), address(0)), digests[0]);
    assert.notEqual(digest(new KeyHash([3, 2]), address(0)), digests[0]);
  });

  it('distinguishes texts that differ only in trailing NUL characters', () => {
    const hash = new KeyHash([1, 2]);
    const digests = Array.from({ length: 20 }, (_, i) => digest(hash, `a${'\0'.repeat(i)}`));
    assert.equal(new Set(digests).size, 20);
  });
});
