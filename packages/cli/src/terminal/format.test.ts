import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, quote } from './format.ts';

test('a quoted text is printable, and a count agrees with its noun', () => {
  assert.equal(quote('a\u001b[2Jb "x"'), '"a\\u001b[2Jb "x""');
  const counts = [0, 1, 12_000].map((number) => count(number, 'row'));
  assert.deepEqual(counts, ['0 rows', '1 row', '12,000 rows']);
  assert.equal(count(2, 'category', 'categories'), '2 categories');
});
