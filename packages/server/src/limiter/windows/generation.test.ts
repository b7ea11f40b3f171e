import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { NO_SLOT } from './client-table.ts';
import { Generation, Windows } from './generation.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const WINDOW_US = 1000;
const hashOf = (n: number) => ({ low: n, high: -n });

/** A generation with a window that starts at each of these moments. */
function makeGeneration(...beginsUs: number[]): Generation {
  const generation = new Generation(5, WINDOW_US);
  beginsUs.forEach((beginUs, n) => generation.begin(hashOf(n), beginUs, 0));
  return generation;
}

describe('generation', () => {
  it('is complete half a window length after its first window, and never when empty', () => {
    const generation = makeGeneration(100, 300);
    assert.deepEqual([generation.isComplete(599), generation.isComplete(600)], [false, true]);
    assert.equal(makeGeneration().isComplete(1e9), false);
  });

  it('is kept until its last window has ended, then cleared as a whole', () => {
    const generation = makeGeneration(0, 250, 499);
    generation.giveBackEnded(1498);
    assert.deepEqual([generation.size, generation.countLive(1498)], [3, 1]);
    assert.equal(generation.find(hashOf(0)), 0);
    generation.giveBackEnded(1499);
    assert.deepEqual([generation.size, generation.countLive(1499)], [0, 0]);
    assert.equal(generation.find(hashOf(2)), NO_SLOT);
  });

  it('starts again after that, with new windows', () => {
    const generation = makeGeneration(0, 1);
    generation.windows.count(0);
    generation.giveBackEnded(5000);
    assert.equal(generation.begin(hashOf(7), 5000, 0), 0);
    assert.deepEqual([generation.windows.endUs(0), generation.windows.count(0)], [6000, 1]);
    assert.equal(generation.isComplete(5499), false);
  });

  it('starts no window beyond its capacity', () => {
    const generation = makeGeneration(0, 0, 0, 0, 0);
    assert.equal(generation.begin(hashOf(9), 0, 0), NO_SLOT);
    assert.deepEqual([generation.size, generation.find(hashOf(9))], [5, NO_SLOT]);
  });
});

describe('windows', () => {
  it('are counted while they run, for any gaps between them', () => {
    const gapsArbitrary = fc.array(fc.constantFrom(0, 0, 1, 2, 10, 500), { maxLength: 40 });
    const property = fc.property(gapsArbitrary, fc.nat(1200), (gaps, laterUs) => {
      const windows = new Windows(40, 1000, 40);
      let nowUs = 0;
      gaps.forEach((gapUs, slot) => windows.open(slot, (nowUs += gapUs), 0));
      nowUs += laterUs;
      const live = gaps.filter((_, slot) => windows.isLive(slot, nowUs));
      assert.equal(windows.countLive(gaps.length, nowUs), live.length);
    });
    fc.assert(property, { numRuns: runs(500) });
  });

  it('have ended when they were never opened', () => {
    const windows = new Windows(2, 1000, 2);
    assert.deepEqual([windows.isLive(0, 0), windows.isLive(1, 0)], [false, false]);
    assert.equal(windows.countLive(0, 0), 0);
  });
});
