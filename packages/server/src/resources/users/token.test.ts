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

test('a token is the prefix, 43 digits of secret and 6 of checksum, and has the hash of its text', () => {
  const { text, hash } = newToken();
  assert.match(text, /^coffer_[0-9A-Za-z]{49}$/);
  assert.equal(fromBase62(text.slice(-6)), BigInt(crc32(text.slice(0, -6))));
  assert.deepEqual(Buffer.from(hash), createHash('sha256').update(text).digest());
  assert.deepEqual(tokenHash(text), hash);
  assert.equal(`{"a":"${text}","b":"x"}`.replaceAll(tokensInText, '*'), '{"a":"*","b":"x"}');
});

test('tokens are well formed, all different, and use all of their 256 bits', () => {
  const tokens = Array.from({ length: 500 }, () => newToken().text);
  assert.ok(tokens.every(isWellFormedToken));
  const secrets = tokens.map((text) => fromBase62(text.slice(7, 50)));
  assert.equal(new Set(secrets).size, secrets.length);
  const seen = secrets.reduce((bits, secret) => bits | secret, 0n);
  assert.equal(seen, 2n ** 256n - 1n);
});

test('a token with one character changed, added or removed is not well formed', () => {
  const { text } = newToken();
  for (let at = 0; at < text.length; at += 1) {
    const other = text[at] === 'x' ? 'y' : 'x';
    const [before, after] = [text.slice(0, at), text.slice(at + 1)];
    for (const middle of [other, '', other + text[at]!])
      assert.ok(!isWellFormedToken(before + middle + after), `${middle} at ${at}`);
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
