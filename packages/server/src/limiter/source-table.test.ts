import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { HashPair } from './key-hash.ts';
import { NO_SLOT, SourceTable } from './source-table.ts';

/** Few halves, so that many hashes meet in one place and runs wrap round the end of the index. */
const hashArbitrary: fc.Arbitrary<HashPair> = fc.record({
  low: fc.constantFrom(0, 1, 7, 14, 15, 16, 31, -1, -16, 2 ** 31 - 1, -(2 ** 31)),
  high: fc.constantFrom(0, 1, -1),
});

type Step = { readonly add: HashPair } | 'remove oldest';

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: hashArbitrary }) },
  { weight: 2, arbitrary: fc.constant('remove oldest' as const) },
);

const nameOf = ({ low, high }: HashPair) => `${low} ${high}`;

/** A table beside a plain list of what was added, oldest first. */
class CheckedTable {
  readonly #table: SourceTable;
  readonly #capacity: number;
  readonly #added: { hash: HashPair; slot: number }[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#table = new SourceTable(capacity);
  }

  take(step: Step): void {
    if (step === 'remove oldest') this.#removeOldest();
    else if (!this.#table.isFull) this.#add(step.add);
    this.#check();
  }

  #add(hash: HashPair): void {
    const slot = this.#table.add(hash);
    assert.ok(slot >= 0 && slot < this.#capacity);
    assert.ok(!this.#added.some((entry) => entry.slot === slot));
    this.#added.push({ hash, slot });
  }

  #removeOldest(): void {
    if (this.#table.size === 0) return;
    this.#table.removeOldest();
    this.#added.shift();
  }

  #check(): void {
    assert.equal(this.#table.size, this.#added.length);
    assert.equal(this.#table.isFull, this.#added.length === this.#capacity);
    assert.equal(this.#table.oldest, this.#added[0]?.slot ?? NO_SLOT);
    const newest = new Map(this.#added.map(({ hash, slot }) => [nameOf(hash), slot]));
    for (const { hash } of this.#added) {
      assert.equal(this.#table.find(hash), newest.get(nameOf(hash)));
    }
  }
}

describe('source table', () => {
  it('finds the newest slot of each source and forgets the oldest first', () => {
    const stepsArbitrary = fc.array(stepArbitrary, { maxLength: 200, size: 'max' });
    const property = fc.property(
      fc.integer({ min: 1, max: 8 }),
      stepsArbitrary,
      (capacity, steps) => {
        const table = new CheckedTable(capacity);
        for (const step of steps) table.take(step);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it('does not find a source that was never added or is gone', () => {
    const table = new SourceTable(2);
    assert.equal(table.find({ low: 0, high: 0 }), NO_SLOT);
    table.add({ low: 0, high: 0 });
    assert.equal(table.find({ low: 0, high: 1 }), NO_SLOT);
    table.removeOldest();
    assert.equal(table.find({ low: 0, high: 0 }), NO_SLOT);
  });
});
