import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IdLines } from './free-ids.ts';

test('the lines of ids are those of a map', () => {
  const id = fc.oneof(fc.string({ maxLength: 3 }), fc.string(), fc.nat({ max: 50 }).map(String));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 200 }), id, (ids, other) => {
      const [lines, expected] = [new IdLines(), new Map<string, number>()];
      for (const [at, each] of ids.entries()) {
        assert.equal(lines.add(each, at + 1), expected.get(each));
        if (!expected.has(each)) expected.set(each, at + 1);
      }
      assert.equal(lines.has(other), expected.has(other));
    }),
  );
});

test('no two of many similar ids have one hash', () => {
  const lines = new IdLines();
  for (let at = 1; at <= 300_000; at += 1) assert.equal(lines.add(`2024-${at}`, at), undefined);
  assert.ok(lines.has('2024-300000'));
  assert.ok(!lines.has('2024-300001'));
});
