import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { until } from './testing/test-app.ts';
import { runs } from '../../../core/src/testing/length.ts';
import { compress, compressIfRoom, compressOnce, compressStream } from './compress.ts';

const decoders = { gzip: gunzipSync, zstd: zstdDecompressSync, br: brotliDecompressSync };
const encodings = ['gzip', 'zstd', 'br'] as const;
const threadLimit = 64 * 1024;
const capacity = 16 * 1024 * 1024;

const piece = fc.uint8Array({ maxLength: 3000 });

test('any pieces are one body that comes back, also many large ones at the same time', async () => {
  for (const encoding of encodings)
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        const whole = await compress(pieces, encoding);
        assert.deepEqual(decoders[encoding](whole), Buffer.concat(pieces));
      }),
      { numRuns: runs(100) },
    );
  const many = Array.from({ length: 20 }, (_, at) => 1e5 + at);
  const sizes = [0, threadLimit, threadLimit + 1, ...many];
  const bodies = sizes.map((size) => Buffer.alloc(size, `payee and amount ${size}, `));
  const all = await Promise.all(bodies.map((body, at) => compress([body], encodings[at % 3]!)));
  for (const [at, body] of bodies.entries())
    assert.deepEqual(decoders[encodings[at % 3]!](all[at]!), body);
});

test('a large body waits if less than 16 MB wait, or nothing; a small one never', async () => {
  const half = Buffer.alloc(capacity / 2);
  const small = Buffer.alloc(threadLimit);
  const large = Buffer.alloc(threadLimit + 1);
  const twice = [half, half, half, half];
  const larger = compressIfRoom(twice, 'zstd');
  assert.ok(larger instanceof Promise);
  assert.equal(compressIfRoom([large], 'zstd'), null);
  assert.ok(compressIfRoom([small], 'zstd') instanceof Uint8Array);
  await larger;
  const under = [half, half].map((bytes) => compressIfRoom([bytes], 'zstd'));
  assert.equal(compressIfRoom([large], 'zstd'), null);
  assert.deepEqual(gunzipSync(await compress([large], 'gzip')), large);
  for (const each of under) assert.deepEqual(zstdDecompressSync((await each)!), half);
  assert.deepEqual(zstdDecompressSync((await compressIfRoom([large], 'zstd'))!), large);
});

test('fixed bytes are compressed once for each coding, and are smaller', async () => {
  const bytes = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id }))));
  for (const encoding of encodings) {
    const made = compressOnce(bytes, encoding);
    assert.equal(compressOnce(bytes, encoding), made);
    assert.deepEqual(decoders[encoding](await made), bytes);
    assert.ok((await made).length < (await compress([bytes], encoding)).length);
  }
});

const pieces = Array.from({ length: 50 }, (_, at) => Buffer.alloc(10_000, `piece ${at}, `));
const all = (stream: AsyncIterable<Uint8Array>) => Array.fromAsync(stream);

test('a stream has the pieces, and throws the error of its source', async () => {
  async function* failing() {
    yield* pieces;
    await Promise.reject(new Error('a broken disk'));
  }
  for (const encoding of encodings) {
    for (const source of [pieces, []]) {
      const whole = Buffer.concat(await all(compressStream(Readable.from(source), encoding)));
      assert.deepEqual(decoders[encoding](whole), Buffer.concat(source));
    }
    await assert.rejects(all(compressStream(failing(), encoding)), /a broken disk/);
  }
});

test('a stream closes its source when the reader stops, and reads no more than it needs', async () => {
  for (const encoding of encodings) {
    let given = 0;
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) {
          given += 1;
          // Incompressible.
          yield await Promise.resolve(randomBytes(10_000));
        }
      } finally {
        isClosed = true;
      }
    }
    const stream = compressStream(endless(), encoding);
    for await (const piece of stream) {
      assert.ok(piece.length > 0);
      break;
    }
    await until(() => isClosed);
    assert.ok(isClosed);
    assert.ok(given < 1000, String(given));
  }
});
