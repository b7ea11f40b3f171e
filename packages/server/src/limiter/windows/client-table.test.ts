import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { HashPair } from './key-hash.ts';
import { NO_SLOT, ClientTable } from './client-table.ts';
import { runs } from '../../../../core/src/testing/length.ts';

/** Few different halves, so that many hashes share a chain, which is split again and again. */
const hashArbitrary: fc.Arbitrary<HashPair> = fc.record({
  low: fc.constantFrom(0, 1, 2, 3, 7, 8, 15, 16, 31, -1, -2, -16, 2 ** 31 - 1, -(2 ** 31)),
  high: fc.constantFrom(0, 1, -1),
});

const stepArbitrary = fc.oneof(
  { weight: 30, arbitrary: hashArbitrary },
  { weight: 1, arbitrary: fc.constant('clear' as const) },
);

const nameOf = ({ low, high }: HashPair) => `${low} ${high}`;

/** Hashes that are distributed like those of a keyed hash, but the same in every run. */
function spreadHash(n: number): HashPair {
  return { low: Math.imul(n + 1, 0x9e3779b1) ^ (n >>> 3), high: Math.imul(n, 0x85ebca6b) };
}

describe('client table', () => {
  it('finds every client that was added since it was last cleared, and no other', () => {
    const stepsArbitrary = fc.array(stepArbitrary, { maxLength: 200, size: 'max' });
    const property = fc.property(stepsArbitrary, hashArbitrary, (steps, other) => {
      const table = new ClientTable(50);
      const added = new Map<string, { hash: HashPair; slot: number }>();
      for (const step of steps) {
        if (step === 'clear') {
          table.clear();
          added.clear();
        } else if (!added.has(nameOf(step))) {
          assert.equal(table.add(step), added.size);
          added.set(nameOf(step), { hash: step, slot: added.size });
        }
        assert.equal(table.size, added.size);
        for (const { hash, slot } of added.values()) assert.equal(table.find(hash), slot);
        assert.equal(table.find(other), added.get(nameOf(other))?.slot ?? NO_SLOT);
      }
    });
    fc.assert(property, { numRuns: runs(300) });
  });

  it('finds each of 100,000 clients, also after it was cleared and gave back memory', () => {
    const table = new ClientTable(100_000);
    for (const count of [100_000, 30_000, 100_000]) {
      for (let n = 0; n < count; n += 1) assert.equal(table.add(spreadHash(n)), n);
      for (let n = 0; n < count; n += 1) assert.equal(table.find(spreadHash(n)), n);
      for (let n = count; n < 110_000; n += 1) assert.equal(table.find(spreadHash(n)), NO_SLOT);
      table.clear();
      for (let i = 0; i < 10; i += 1) table.giveBack();
    }
  });

  it('assigns no slot without memory, and does not change', () => {
    const table = new ClientTable(3);
    for (let n = 0; n < 3; n += 1) table.add(spreadHash(n));
    assert.equal(table.add(spreadHash(3)), NO_SLOT);
    assert.equal(table.size, 3);
    assert.deepEqual(
      [0, 1, 2, 3].map((n) => table.find(spreadHash(n))),
      [0, 1, 2, NO_SLOT],
    );
  });
});
