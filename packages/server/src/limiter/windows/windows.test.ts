import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../core/src/testing/length.ts';
import { NO_SLOT, ClientTable } from './client-table.ts';
import { ElasticBuffer } from './elastic-buffer.ts';
import { Generation } from './generation.ts';
import { KeyHash } from './key-hash.ts';
import type { HashPair } from './key-hash.ts';

/** Few different halves, so that many hashes share a chain, which is split again and again. */
const hashArbitrary: fc.Arbitrary<HashPair> = fc.record({
  low: fc.constantFrom(0, 1, 2, 3, 7, 8, 15, 16, 31, -1, -2, -16, 2 ** 31 - 1, -(2 ** 31)),
  high: fc.constantFrom(0, 1, -1),
});
const stepArbitrary = fc.oneof(
  { weight: 30, arbitrary: hashArbitrary },
  { weight: 1, arbitrary: fc.constant('clear' as const) },
);

test('a table finds every client that was added since it was last cleared, up to its capacity', () => {
  const stepsArbitrary = fc.array(stepArbitrary, { maxLength: 200, size: 'max' });
  const nameOf = ({ low, high }: HashPair) => `${low} ${high}`;
  const property = fc.property(stepsArbitrary, hashArbitrary, (steps, other) => {
    const table = new ClientTable(20);
    const added = new Map<string, { hash: HashPair; slot: number }>();
    for (const step of steps) {
      if (step === 'clear') {
        table.clear();
        added.clear();
      } else if (!added.has(nameOf(step))) {
        const slot = added.size < 20 ? added.size : NO_SLOT;
        assert.equal(table.add(step), slot);
        if (slot !== NO_SLOT) added.set(nameOf(step), { hash: step, slot });
      }
      assert.equal(table.size, added.size);
      for (const { hash, slot } of added.values()) assert.equal(table.find(hash), slot);
      assert.equal(table.find(other), added.get(nameOf(other))?.slot ?? NO_SLOT);
    }
  });
  fc.assert(property, { numRuns: runs(300) });
});

test('a generation is complete half a window after its first window', () => {
  const generation = new Generation(3, 1000);
  assert.equal(generation.isComplete(1e9), false, 'it is empty');
  for (const low of [1, 2]) generation.begin({ low, high: 0 }, 100 * low, 0);
  assert.deepEqual([generation.isComplete(599), generation.isComplete(600)], [false, true]);
});

test('a buffer takes whole steps, gives them back one at a time, and clears what it gave back', () => {
  const step = 262_144;
  const memory = new ElasticBuffer(4 * step + 7);
  const view = new Uint8Array(memory.buffer);
  const lengths = (bytes: readonly number[], act: (bytes: number) => unknown): number[] =>
    bytes.map((each) => {
      act(each);
      return memory.buffer.byteLength / step;
    });
  const take = (bytes: number) => assert.ok(memory.take(bytes));
  assert.deepEqual(lengths([1, step, step + 1, 4 * step, 2], take), [1, 1, 2, 4, 4]);
  view.fill(7);
  // Two steps beyond those that are needed are kept.
  const giveBack = (bytes: number) => memory.giveBack(bytes);
  assert.deepEqual(lengths([step, step, 1, 1, 2 * step], giveBack), [3, 3, 2, 2, 2]);
  take(4 * step);
  assert.deepEqual([view.indexOf(0), view.lastIndexOf(7)], [2 * step, 2 * step - 1]);
  assert.equal(memory.take(4 * step + 8), false);
  take(4 * step + 7);
  assert.equal(memory.buffer.byteLength, 4 * step + 7);
  assert.equal(new ElasticBuffer(100, 24).buffer.byteLength, 24);
});

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

test('the hash of a key matches the published vectors, whatever it hashed before', () => {
  const hash = new KeyHash([0x03020100, 0x07060504]);
  const digest = (text: string): string => {
    hash.update(text);
    const bytes = Buffer.alloc(8);
    bytes.writeInt32LE(hash.low, 0);
    bytes.writeInt32LE(hash.high, 4);
    return bytes.toString('hex');
  };
  for (const [length, expected] of vectors) {
    const text = Buffer.from(Array.from({ length }, (_, i) => i)).toString('utf16le');
    assert.equal(digest(text), expected, `${length} bytes`);
  }
  const padded = Array.from({ length: 20 }, (_, i) => digest(`a${'\0'.repeat(i)}`));
  assert.equal(new Set(padded).size, 20, 'NUL characters at the end count');
});
