import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { isWellFormedToken, newToken, tokenHash, tokensInText } from './token.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function fromBase62(text: string): bigint {
  return [...text].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n);
}

test('a token is the prefix, 43 digits of secret and 6 of checksum', () => {
  const { text } = newToken();
  assert.match(text, /^coffer_[0-9A-Za-z]{49}$/);
  assert.equal(fromBase62(text.slice(-6)), BigInt(crc32(text.slice(0, -6))));
});

test('tokens are all different and use all of their 256 bits', () => {
  const secrets = Array.from({ length: 500 }, () => fromBase62(newToken().text.slice(7, 50)));
  assert.equal(new Set(secrets).size, secrets.length);
  const seen = secrets.reduce((bits, secret) => bits | secret, 0n);
  assert.equal(seen, 2n ** 256n - 1n);
});

test('the hash is the SHA-256 of the whole text', () => {
  const { text, hash } = newToken();
  assert.equal(hash.length, 32);
  assert.deepEqual(Buffer.from(hash), createHash('sha256').update(text).digest());
  assert.deepEqual(tokenHash(text), hash);
});

test('new tokens are well formed', () => {
  for (let at = 0; at < 200; at += 1) assert.ok(isWellFormedToken(newToken().text));
});

test('a token with one character changed, added or removed is not well formed', () => {
  const { text } = newToken();
  for (let at = 0; at < text.length; at += 1) {
    const other = text[at] === 'x' ? 'y' : 'x';
    assert.ok(
      !isWellFormedToken(text.slice(0, at) + other + text.slice(at + 1)),
      `changed at ${at}`,
    );
    assert.ok(!isWellFormedToken(text.slice(0, at) + text.slice(at + 1)), `removed at ${at}`);
    assert.ok(!isWellFormedToken(text.slice(0, at) + other + text.slice(at)), `added at ${at}`);
  }
  assert.ok(!isWellFormedToken(`${text}\n`));
  assert.ok(!isWellFormedToken(text.toUpperCase()));
});

test('no other text is well formed', () => {
  const lookAlike = fc
    .array(fc.constantFrom(...Array.from(digits)), { minLength: 49, maxLength: 49 })
    .map((characters) => `coffer_${characters.join('')}`);
  fc.assert(fc.property(fc.oneof(fc.string(), lookAlike), (text) => !isWellFormedToken(text)));
});

test('tokens are found inside any text', () => {
  const { text } = newToken();
  assert.equal(`{"a":"${text}","b":"x"}`.replaceAll(tokensInText, '*'), '{"a":"*","b":"x"}');
});
