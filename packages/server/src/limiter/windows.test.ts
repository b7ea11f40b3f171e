import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Windows } from './windows.ts';

describe('windows', () => {
  it('counts those that run, whatever the gaps between them', () => {
    const gapsArbitrary = fc.array(fc.constantFrom(0, 0, 1, 2, 10, 500), { maxLength: 40 });
    const property = fc.property(gapsArbitrary, fc.nat(1200), (gaps, laterUs) => {
      const windows = new Windows(40, 1000, 40);
      let nowUs = 0;
      gaps.forEach((gapUs, slot) => windows.open(slot, (nowUs += gapUs), 0));
      nowUs += laterUs;
      const live = gaps.filter((_, slot) => windows.isLive(slot, nowUs));
      assert.equal(windows.countLive(gaps.length, nowUs), live.length);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('that were never opened have ended', () => {
    const windows = new Windows(2, 1000, 2);
    assert.deepEqual([windows.isLive(0, 0), windows.isLive(1, 0)], [false, false]);
    assert.equal(windows.countLive(0, 0), 0);
  });
});
