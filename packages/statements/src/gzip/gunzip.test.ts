import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { constants, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Refusal } from '../statement-error.ts';
import { gunzip, isGzip } from './gunzip.ts';

function unpacked(...pieces: Uint8Array[]): Buffer {
  return Buffer.concat([...gunzip(pieces)]);
}

/** Bits in the order of the stream, eight to a byte from the lowest on, and zeros behind them. */
function packedBits(bits: string): Uint8Array {
  const bytes = new Uint8Array(64);
  [...bits.replaceAll(' ', '')].forEach((bit, at) => {
    bytes[at >> 3]! |= Number(bit) << (at & 7);
  });
  return bytes;
}

/** Bytes that repeat themselves at many distances, as text does, and some that do not. */
const content = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 400 })), {
    maxLength: 12,
  })
  .map((parts) =>
    Buffer.concat(parts.flatMap(([bytes, times]) => Array<Uint8Array>(times).fill(bytes))),
  );

describe('gunzip', () => {
  it('unpacks what zlib packs, at every level and with every strategy, wherever it is cut', () => {
    const strategy = fc.constantFrom(
      constants.Z_DEFAULT_STRATEGY,
      constants.Z_HUFFMAN_ONLY,
      constants.Z_RLE,
      constants.Z_FIXED,
    );
    const level = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(content, level, strategy, fc.nat(100), (bytes, depth, kind, cut) => {
        const packed = gzipSync(bytes, { level: depth, strategy: kind });
        const at = Math.floor((packed.length * cut) / 100);
        assert.ok(unpacked(packed.subarray(0, at), packed.subarray(at)).equals(bytes));
      }),
      { numRuns: 60 },
    );
  });

  it('unpacks more than one window, in pieces of bounded size', () => {
    const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, at) => `${at};row\n`).join(''));
    let longest = 0;
    for (const piece of gunzip([gzipSync(bytes)])) longest = Math.max(longest, piece.length);
    assert.ok(unpacked(gzipSync(bytes)).equals(bytes));
    assert.ok(longest < 70_000, String(longest));
  });

  it('joins members and passes over what follows the last', () => {
    const two = Buffer.concat([gzipSync('one '), gzipSync('two'), Buffer.alloc(512)]);
    assert.equal(unpacked(two).toString(), 'one two');
  });

  it('passes over the optional parts of a header', () => {
    const plain = gzipSync('text');
    const extras = Buffer.from([
      3,
      0,
      1,
      2,
      3,
      ...Buffer.from('name\0'),
      ...Buffer.from('note\0'),
      9,
      9,
    ]);
    const header = Buffer.from(plain.subarray(0, 10));
    header[3] = 2 + 4 + 8 + 16;
    assert.equal(unpacked(header, extras, plain.subarray(10)).toString(), 'text');
  });

  it('refuses data that end too early, at every byte', () => {
    const packed = gzipSync('Date,Amount\n2024-01-01,5\n'.repeat(20));
    for (let length = 2; length < packed.length; length += 1) {
      assert.throws(() => unpacked(packed.subarray(0, length)), Refusal, `${length} bytes`);
    }
  });

  it('refuses data with any byte changed, or gives the same content', () => {
    const bytes = Buffer.from('Date,Amount\n2024-01-01,5\n2024-01-02,7\n'.repeat(5));
    const packed = gzipSync(bytes);
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(packed);
        damaged[at]! ^= change;
        try {
          assert.ok(unpacked(damaged).equals(bytes));
        } catch (error) {
          assert.ok(error instanceof Refusal, String(error));
        }
      }),
    );
  });

  it('refuses a trailer with any byte changed', () => {
    const packed = gzipSync('text');
    for (let at = packed.length - 8; at < packed.length; at += 1) {
      const changed = Buffer.from(packed);
      changed[at]! ^= 1;
      assert.throws(
        () => unpacked(changed),
        new Refusal('Packed data does not match its checksum'),
      );
    }
  });

  it('refuses streams that break the rules of deflate', () => {
    const fixed = '1 10'; // the last block, with the fixed code
    const dynamic = (codes: string) => `1 01 00000 00000 ${codes}`;
    const streams = {
      'a block of an unknown kind': '1 11',
      'a stored block whose length is not confirmed': `1 00 00000 ${'0'.repeat(32)}`,
      'a match before the beginning': `${fixed} 0000001 00000`,
      'a length code that does not exist': `${fixed} 11000110`,
      'a distance code that does not exist': `${fixed} 00110000 0000001 11110`,
      'more codes of a length than fit': dynamic('0000 100 100 100 100'),
      'a code that stands for nothing': dynamic('0000 000 000 000 100 1'),
      // Code lengths 18 (138 zeros) and 16 (repeat): one overruns the count, one has nothing to repeat.
      'more code lengths than announced': dynamic('0000 000 000 100 100 1 1111111 1 1111111'),
      'a repetition of nothing': dynamic('0000 100 000 000 100 0 00'),
    };
    const header = gzipSync('').subarray(0, 10);
    for (const [what, bits] of Object.entries(streams)) {
      const error = new Refusal('Packed data is damaged');
      assert.throws(() => unpacked(header, packedBits(bits)), error, what);
    }
  });

  it('tells gzip by its first two bytes', () => {
    assert.equal(isGzip(gzipSync('')), true);
    assert.equal(isGzip(Buffer.from('Date,Amount')), false);
    assert.equal(isGzip(Uint8Array.of(0x1f)), false);
  });
});
