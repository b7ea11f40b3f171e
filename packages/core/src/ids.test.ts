import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isId, maxId, minId } from './ids.ts';

test('ids are the integers from 1 to 2^53 - 1', () => {
  assert.deepEqual([minId, maxId], [1, 2 ** 53 - 1]);
  for (const id of [1, 2, 2 ** 53 - 1]) assert.ok(isId(id), String(id));
  const others = [0, -1, 1.5, 2 ** 53, NaN, Infinity, '1', 1n, null, undefined, [1]];
  for (const value of others) assert.ok(!isId(value), String(value));
});
