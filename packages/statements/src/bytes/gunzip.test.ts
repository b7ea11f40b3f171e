import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { constants, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Refusal } from '../statement-error.ts';
import { gunzip, isGzip } from './gunzip.ts';
import { runs } from '../../../core/src/testing/length.ts';

async function unpacked(...pieces: Uint8Array[]): Promise<Buffer> {
  const content: Uint8Array[] = [];
  const fault = await gunzip(pieces, (piece) => content.push(piece));
  if (fault !== null) throw fault;
  return Buffer.concat(content);
}

/** Packs bits in stream order, eight per byte from the lowest on, followed by zeros. */
function packedBits(bits: string): Uint8Array {
  const bytes = new Uint8Array(64);
  [...bits.replaceAll(' ', '')].forEach((bit, at) => {
    bytes[at >> 3]! |= Number(bit) << (at & 7);
  });
  return bytes;
}

/** Bytes with repetitions at many distances, like text, and bytes without. */
const content = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 400 })), {
    maxLength: 12,
  })
  .map((parts) =>
    Buffer.concat(parts.flatMap(([bytes, times]) => Array<Uint8Array>(times).fill(bytes))),
  );

describe('gunzip', () => {
  it('unpacks what zlib packs, at every level and with every strategy, wherever it is cut', async () => {
    const strategy = fc.constantFrom(
      constants.Z_DEFAULT_STRATEGY,
      constants.Z_HUFFMAN_ONLY,
      constants.Z_RLE,
      constants.Z_FIXED,
    );
    const level = fc.integer({ min: 0, max: 9 });
    await fc.assert(
      fc.asyncProperty(content, level, strategy, fc.nat(100), async (bytes, depth, kind, cut) => {
        const packed = gzipSync(bytes, { level: depth, strategy: kind });
        const at = Math.floor((packed.length * cut) / 100);
        const content = await unpacked(packed.subarray(0, at), packed.subarray(at));
        assert.ok(content.equals(bytes));
      }),
      { numRuns: runs(60) },
    );
  });

  it('unpacks more than one window, in pieces of bounded size', async () => {
    const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, at) => `${at};row\n`).join(''));
    let longest = 0;
    await gunzip([gzipSync(bytes)], ({ length }) => (longest = Math.max(longest, length)));
    assert.ok((await unpacked(gzipSync(bytes))).equals(bytes));
    assert.ok(longest <= 65_536, String(longest));
  });

  it('joins members and ignores what follows the last', async () => {
    const two = Buffer.concat([gzipSync('one '), gzipSync('two')]);
    for (const rest of [Buffer.alloc(512), Buffer.from('\x1f'), Buffer.from('\x1f\x1f\x8b…')]) {
      assert.equal(String(await unpacked(two, rest)), 'one two');
      assert.equal(String(await unpacked(Buffer.concat([two, rest]))), 'one two');
    }
    const bytes = Array.from(two, (byte) => Uint8Array.of(byte));
    assert.equal(String(await unpacked(...bytes)), 'one two');
  });

  it('skips the optional parts of a header', async () => {
    const plain = gzipSync('text');
    const extras = Buffer.concat([
      Buffer.from([3, 0, 1, 2, 3]),
      Buffer.from('name\0note\0'),
      Buffer.from([9, 9]),
    ]);
    const header = Buffer.from(plain.subarray(0, 10));
    header[3] = 2 + 4 + 8 + 16;
    assert.equal(String(await unpacked(header, extras, plain.subarray(10))), 'text');
  });

  it('refuses data of another compression method, and data that is not gzip', async () => {
    const other = gzipSync('text');
    other[2] = 7;
    const error = new Refusal('Gzip data has an unknown format');
    for (const data of [other, Buffer.from('text')]) {
      await assert.rejects(unpacked(data), error);
    }
  });

  it('refuses data that ends too early, at every byte', async () => {
    const packed = gzipSync('Date,Amount\n2024-01-01,5\n'.repeat(20));
    for (let length = 2; length < packed.length; length += 1) {
      await assert.rejects(unpacked(packed.subarray(0, length)), Refusal, `${length} bytes`);
    }
  });

  it('refuses data with any byte changed, or returns the same content', async () => {
    const bytes = Buffer.from('Date,Amount\n2024-01-01,5\n2024-01-02,7\n'.repeat(5));
    const packed = gzipSync(bytes);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(packed.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const damaged = Buffer.from(packed);
          damaged[at]! ^= change;
          try {
            assert.ok((await unpacked(damaged)).equals(bytes));
          } catch (error) {
            assert.ok(error instanceof Refusal, String(error));
          }
        },
      ),
    );
  });

  it('refuses a trailer with any byte changed', async () => {
    const packed = gzipSync('text');
    for (let at = packed.length - 8; at < packed.length; at += 1) {
      const changed = Buffer.from(packed);
      changed[at]! ^= 1;
      await assert.rejects(unpacked(changed), new Refusal('Gzip data does not match its checksum'));
    }
  });

  it('refuses streams that break the rules of deflate', async () => {
    const fixed = '1 10'; // the last block, with the fixed code
    const dynamic = (codes: string) => `1 01 00000 00000 ${codes}`;
    const streams = {
      'a block of an unknown kind': '1 11',
      'a stored block whose length is not confirmed': `1 00 00000 ${'0'.repeat(32)}`,
      'a match before the start': `${fixed} 0000001 00000`,
      'a length code that does not exist': `${fixed} 11000110`,
      'a distance code that does not exist': `${fixed} 00110000 0000001 11110`,
      'more codes of a length than fit': dynamic('0000 100 100 100 100'),
      'a code without a meaning': dynamic('0000 000 000 000 100 1'),
      // Code lengths 18 (138 zeros) and 16 (repeat): one overruns the count, one has nothing to repeat.
      'more code lengths than announced': dynamic('0000 000 000 100 100 1 1111111 1 1111111'),
      'a repetition of nothing': dynamic('0000 100 000 000 100 0 00'),
    };
    const header = gzipSync('').subarray(0, 10);
    for (const [what, bits] of Object.entries(streams)) {
      const error = new Refusal('Gzip data is damaged');
      await assert.rejects(unpacked(header, packedBits(bits)), error, what);
    }
  });

  it('detects gzip by its first two bytes', () => {
    assert.equal(isGzip(gzipSync('')), true);
    assert.equal(isGzip(Buffer.from('Date,Amount')), false);
    assert.equal(isGzip(Uint8Array.of(0x1f)), false);
  });
});
