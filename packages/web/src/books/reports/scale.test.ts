import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { areaPath, linearScale, linePath, roundEnd, roundTicks } from './scale.ts';

const amount = fc.double({ min: 0.01, max: 1e12, noNaN: true });

describe('scales of charts', () => {
  test('a scale leads from end to end, also downwards', () => {
    const scale = linearScale([10, 20], [100, 0]);
    assert.deepEqual([10, 15, 20, 25].map(scale), [100, 50, 0, -50]);
    assert.equal(linearScale([3, 3], [0, 10])(3), 5);
  });

  test('ticks are round numbers', () => {
    assert.deepEqual(roundTicks(0, 1000, 4), [0, 200, 400, 600, 800, 1000]);
    assert.deepEqual(roundTicks(-120, 310, 4), [-100, 0, 100, 200, 300]);
    assert.deepEqual(roundTicks(5, 5, 4), []);
    assert.equal(roundEnd(1834.2, 4), 2000);
  });

  test('ticks are within, a few, and at the same distance; the end has the value in it', () => {
    fc.assert(
      fc.property(amount, fc.double({ min: 0, max: 1e12, noNaN: true }), (high, below) => {
        const ticks = roundTicks(-below, high, 4);
        assert.ok(ticks.length >= 2 && ticks.length <= 8, `${ticks.length}`);
        assert.ok(ticks[0]! >= -below - 1e-9 * below && ticks.at(-1)! <= high * (1 + 1e-9));
        const end = roundEnd(high, 4);
        assert.ok(end >= high * (1 - 1e-9) && end <= high * 2.5, `${end}`);
        assert.ok(Math.abs(roundTicks(0, end, 4).at(-1)! - end) <= end * 1e-9, 'the end is a tick');
      }),
    );
  });

  test('lines and areas are paths', () => {
    const points: [number, number][] = [0, 2].map((x) => [x, 5 - x]);
    assert.deepEqual([linePath([]), areaPath([], 9)], ['', '']);
    assert.equal(linePath(points), 'M0,5L2,3');
    assert.equal(linePath(points, true), 'M0,5H2V3');
    assert.equal(areaPath(points, 9), 'M0,5L2,3L2,9H0Z');
  });
});
