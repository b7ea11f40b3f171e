import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { sha256 } from './sha256.ts';

test('the first texts and all later ones have the hashes of OpenSSL', () => {
  for (let n = 0; n < 1000; n += 1) {
    const text = 'é'.repeat(n % 7) + 'a'.repeat(n % 300);
    assert.equal(sha256(text).toString('hex'), hash('sha256', text));
  }
});
