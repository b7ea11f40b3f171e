import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { keccak256, sponge256 } from './keccak256.ts';

const sha3Padding = 0x06;

describe('Keccak-256', () => {
  it('is what the published vectors say', () => {
    const vectors = {
      '': 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
      abc: '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45',
    };
    for (const [text, digest] of Object.entries(vectors)) {
      assert.equal(keccak256(Buffer.from(text)).toString('hex'), digest);
    }
  });

  it('is SHA3-256 but for the padding, at every length around a block', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom(135, 136, 137, 271, 272, 273).map((length) => new Uint8Array(length).fill(7)),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        const digest = sponge256(input, sha3Padding).toString('hex');
        assert.equal(digest, hash('sha3-256', input));
      }),
    );
  });
});
