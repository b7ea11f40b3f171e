import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { sha256, sha256Here } from './sha256.ts';

const ofNode = (text: string): string => hash('sha256', text);

test('the hash of a text is that of OpenSSL, for every length of the last block', () => {
  for (let length = 0; length < 200; length += 1) {
    const text = 'é'.repeat(length % 7) + 'a'.repeat(length);
    assert.equal(sha256Here(text).toString('hex'), ofNode(text));
  }
});

test('the hash of any text is that of OpenSSL', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      assert.equal(sha256Here(text).toString('hex'), ofNode(text));
    }),
  );
});

test('the first texts and all later ones have the same hashes', () => {
  for (let n = 0; n < 1000; n += 1) assert.equal(sha256(`${n}`).toString('hex'), ofNode(`${n}`));
});
