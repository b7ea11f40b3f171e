import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { openCredentials, parseEncryptionKey, sealCredentials } from './sealed-credentials.ts';
import {
  exampleCoinbaseCredentials,
  exampleKrakenCredentials,
} from './testing/example-credentials.ts';

const key = randomBytes(32);
const kraken = exampleKrakenCredentials();
const { credentials: coinbase } = exampleCoinbaseCredentials();
const ethereum = { provider: 'ethereum', address: '0x0' } as const;
const damaged = { name: 'SealedCredentialsError', fault: 'damaged' };

describe('sealed credentials', () => {
  it('open with their key, for their book and provider', () => {
    for (const credentials of [kraken, coinbase, ethereum]) {
      const sealed = sealCredentials(key, 7, credentials);
      assert.deepEqual(openCredentials(key, 7, credentials.provider, sealed), credentials);
    }
  });

  it('contain no part of a secret in plain text, and differ each time', () => {
    const sealed = Buffer.from(sealCredentials(key, 7, kraken));
    for (const secret of [kraken.apiKey, kraken.privateKey, key.toString('hex')]) {
      assert.ok(!sealed.includes(secret.slice(0, 8)));
    }
    assert.ok(!sealed.includes(key.subarray(0, 8)));
    // The id of the key is not a part of the key.
    assert.equal(key.indexOf(sealed.subarray(1, 5)), -1);
    const bytes = Array.from({ length: 100 }, () => sealCredentials(key, 7, kraken));
    assert.equal(new Set(bytes.map((each) => Buffer.from(each).toString('hex'))).size, 100);
    // No nonce is used twice.
    const nonces = bytes.map((each) => Buffer.from(each.subarray(5, 17)).toString('hex'));
    assert.equal(new Set(nonces).size, 100);
  });

  it('report another key and damage as different faults, and another book or provider as damage', () => {
    const sealed = sealCredentials(key, 7, kraken);
    assert.throws(() => openCredentials(randomBytes(32), 7, 'kraken', sealed), {
      name: 'SealedCredentialsError',
      fault: 'otherKey',
    });
    // The format of another version is unknown.
    const later = Uint8Array.from(sealed).with(0, 2);
    assert.throws(() => openCredentials(randomBytes(32), 7, 'kraken', later), damaged);
    assert.throws(() => openCredentials(key, 8, 'kraken', sealed), damaged);
    assert.throws(() => openCredentials(key, 7, 'coinbase', sealed), damaged);
  });

  it('do not open when any bit has changed, or when they are cut off', () => {
    const sealed = sealCredentials(key, 7, ethereum);
    fc.assert(
      fc.property(fc.nat({ max: sealed.length * 8 - 1 }), (bit) => {
        const changed = Uint8Array.from(sealed);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        const fault = bit >= 8 && bit < 40 ? 'otherKey' : 'damaged';
        assert.throws(() => openCredentials(key, 7, 'ethereum', changed), { fault });
      }),
    );
    for (let length = 0; length < sealed.length; length += 1) {
      const cut = sealed.subarray(0, length);
      assert.throws(() => openCredentials(key, 7, 'ethereum', cut), damaged, String(length));
    }
  });

  it('reveal no secret in their errors', () => {
    const sealed = Uint8Array.from(sealCredentials(key, 7, kraken));
    sealed[sealed.length - 1]! ^= 1;
    for (const each of [key, randomBytes(32)]) {
      try {
        openCredentials(each, 7, 'kraken', sealed);
        assert.fail('it opened');
      } catch (error) {
        const printed = inspect(error, { depth: 9, showHidden: true });
        for (const secret of [kraken.privateKey, key.toString('hex'), key.toString('base64')]) {
          assert.ok(!printed.includes(secret));
        }
      }
    }
  });
});

describe('an encryption key', () => {
  it('is 32 bytes in hexadecimal digits or Base64', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, (raw) => {
        const buffer = Buffer.from(raw);
        const base64 = buffer.toString('base64');
        const texts = [buffer.toString('hex'), buffer.toString('hex').toUpperCase(), base64];
        for (const text of [...texts, base64.replace('=', '')]) {
          assert.deepEqual(Buffer.from(parseEncryptionKey(text)), buffer);
        }
      }),
    );
  });

  it('is refused in any other form, and not quoted', () => {
    const hex = key.toString('hex');
    const strange = ['', 'canary', hex.slice(1), `${hex}0`, ` ${hex}`, `${hex}\n`, `0x${hex}`];
    strange.push(`g${hex.slice(1)}`, `${'A'.repeat(42)}B=`, `${'A'.repeat(42)}-=`);
    strange.push(randomBytes(31).toString('base64'), randomBytes(33).toString('base64'));
    for (const text of strange) {
      assert.throws(
        () => parseEncryptionKey(text),
        (error: Error) => {
          assert.match(error.message, /32 bytes.*64 hexadecimal digits.*Base64/);
          assert.ok(text === '' || !error.message.includes(text));
          return true;
        },
        JSON.stringify(text),
      );
    }
  });
});
