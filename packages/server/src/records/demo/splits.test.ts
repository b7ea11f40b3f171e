import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayOn } from './calendar.ts';
import { Random } from './random.ts';
import { draftSplits } from './splits.ts';

test('every split is whole: positive parts that sum to it, before the days that are pending', () => {
  fc.assert(
    fc.property(fc.nat(4_294_967_295), (seed) => {
      for (const [parent, ...parts] of draftSplits(2_000, new Random(seed))) {
        assert.ok(parent !== undefined && parent.day < dayOn('2026-10-28'));
        assert.equal(
          parts.reduce((sum, part) => sum + part.amount, 0),
          parent.amount,
        );
        for (const part of parts) assert.ok(part.amount > 0 && part.splitParent === parent);
      }
    }),
    { numRuns: 20 },
  );
});

test('as many splits come as were asked for, in the order of time', () => {
  const days = draftSplits(300, new Random(3)).map((unit) => unit[0]?.day);
  assert.equal(days.length, 300);
  assert.deepEqual(
    days,
    days.toSorted((a, b) => Number(a) - Number(b)),
  );
});
