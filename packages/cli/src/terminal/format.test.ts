import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'node:test';
import { count, quote } from './format.ts';

test('control characters are shown as escapes', () => {
  assert.equal(quote('a\u001b[2Jb'), '"a\\u001b[2Jb"');
  assert.equal(quote('one\r\ntwo\tthree'), '"one\\r\\ntwo\\tthree"');
  assert.equal(quote('exe\u202egpj'), '"exe\\u202egpj"');
  assert.equal(quote('Zoë 日本 "x" \\'), '"Zoë 日本 "x" \\"');
});

test('no text contains control characters or a second line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(quote(text), /[\p{Cc}\u2028\u2029]/u);
    }),
  );
});

test('a count agrees with its noun', () => {
  const counts = [0, 1, 12_000].map((number) => count(number, 'row'));
  assert.deepEqual(counts, ['0 rows', '1 row', '12,000 rows']);
  assert.equal(count(2, 'category', 'categories'), '2 categories');
});
