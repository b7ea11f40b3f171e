import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { readSigningKey } from '../sync/crypto/coinbase.ts';
import { checkCredentials } from '../sync/crypto/credentials.ts';
import {
  exampleCoinbaseCredentials,
  exampleKrakenCredentials,
} from '../sync/testing/example-credentials.ts';
import { openCredentials, parseEncryptionKey, sealCredentials } from './credentials.ts';
import type { CryptoCredentials } from './credentials.ts';

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
    for (const [book, withKey, fault] of [
      [7, randomBytes(32), 'otherKey'],
      [8, key, 'damaged'],
    ] as const)
      assert.throws(
        () => openCredentials(withKey, book, 'kraken', sealed),
        (error: Error & { fault?: string }) => {
          const printed = inspect(error, { depth: 9, showHidden: true });
          for (const secret of [kraken.privateKey, key.toString('hex'), key.toString('base64')])
            assert.ok(!printed.includes(secret), printed);
          return error.name === 'SealedCredentialsError' && error.fault === fault;
        },
      );
    // The format of another version is unknown.
    const later = Uint8Array.from(sealed).with(0, 2);
    assert.throws(() => openCredentials(randomBytes(32), 7, 'kraken', later), damaged);
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

const { credentials: edwards } = exampleCoinbaseCredentials('EdDSA');

function fields(given: CryptoCredentials): string[] {
  return checkCredentials(given).map(({ field }) => field);
}

function assertField(given: CryptoCredentials, field: string, secret: string): void {
  assert.deepEqual(fields(given), [field], secret);
  const problems = checkCredentials(given);
  // A short text may occur in any sentence.
  if (secret.length > 3) assert.ok(!problems[0]!.message.includes(secret), problems[0]!.message);
}

describe('the credentials for Ethereum', () => {
  const check = (address: string) => checkCredentials({ provider: 'ethereum', address });

  it('are an address with the checksum of EIP-55, or in one letter case without a checksum', () => {
    const published = [
      '52908400098527886E0F7030069857D2E4169EE7',
      'de709f2102306220921060314715629080e2fb77',
      '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      'fB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      'dbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
      'D1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    ];
    for (const digits of published)
      for (const each of [digits, digits.toLowerCase(), digits.toUpperCase()])
        assert.deepEqual(check(`0x${each}`), []);
  });

  it('are refused with a wrong checksum or in any other form, and the message cuts a long text', () => {
    const only = (address: string): string => {
      const [problem, ...more] = check(address);
      assert.deepEqual([problem?.field, more], ['address', []], address);
      return problem!.message;
    };
    const wrong = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD';
    assert.match(only(wrong), new RegExp(`${wrong}.*checksum`));
    const digits = '5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
    const strange = [digits, `0X${digits}`, `0x${digits}0`, `0x${digits.slice(1)}`, '', 'a.eth'];
    for (const address of [...strange, ` 0x${digits}`, `0x${digits}\n`, `0x${digits.slice(1)}g`])
      assert.match(only(address), /0x and 40 hexadecimal digits/);
    assert.ok(only('a'.repeat(10_000)).length < 200);
  });
});

describe('the credentials for Kraken', () => {
  it('are refused when one of them has another form, and the message quotes neither', () => {
    const spaced = [`${kraken.apiKey} `, `${kraken.apiKey}\n`];
    for (const apiKey of ['', 'short', ...spaced, 'ä'.repeat(56), 'a'.repeat(129)])
      assertField({ ...kraken, apiKey }, 'apiKey', apiKey);
    const { privateKey } = kraken;
    const cut = privateKey.slice(0, -4);
    const strange = ['', cut, `${privateKey}\n`, privateKey.replace(/.$/, ''), `${privateKey}AAAA`];
    for (const secret of [...strange, `-${privateKey.slice(1)}`]) {
      assertField({ ...kraken, privateKey: secret }, 'privateKey', secret);
    }
  });

  it('are checked completely: all mistakes are listed at once', () => {
    assert.deepEqual(fields(kraken), []);
    assert.deepEqual(fields({ ...kraken, apiKey: '', privateKey: '' }), ['apiKey', 'privateKey']);
  });
});

describe('the credentials for Coinbase', () => {
  it('are the name of a key and an EC key on P-256 or an Ed25519 key', () => {
    assert.deepEqual(fields(coinbase), []);
    assert.deepEqual(fields(edwards), []);
    const [id = ''] = /[^/]+$/.exec(coinbase.keyName) ?? [];
    assert.deepEqual(fields({ ...coinbase, keyName: id }), []);
  });

  it('may have the key in PKCS #8, with lines that end in a backslash and an n, or as a seed', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pkcs8 = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const seed = Buffer.from(edwards.privateKey, 'base64').subarray(0, 32).toString('base64');
    const escaped = coinbase.privateKey.replaceAll('\n', '\\n');
    for (const text of [pkcs8, escaped, seed, `${coinbase.privateKey}\n\n`]) {
      assert.deepEqual(fields({ ...coinbase, privateKey: text }), []);
    }
    assert.equal(readSigningKey(seed)?.algorithm, 'EdDSA');
    assert.equal(readSigningKey(escaped)?.algorithm, 'ES256');
  });

  it('are refused with a key of another kind, and the message does not quote it', () => {
    const pem = (key: ReturnType<typeof generateKeyPairSync>['privateKey']) =>
      key.export({ format: 'pem', type: 'pkcs8' }).toString();
    const pair = Buffer.from(edwards.privateKey, 'base64');
    const { credentials: other } = exampleCoinbaseCredentials('EdDSA');
    const foreignHalf = Buffer.from(other.privateKey, 'base64');
    const otherCurves = ['P-384', 'secp256k1'].map((namedCurve) =>
      pem(generateKeyPairSync('ec', { namedCurve }).privateKey),
    );
    const mixed = Buffer.concat([pair.subarray(0, 32), foreignHalf.subarray(32)]);
    const pairs = [pair.subarray(0, 31), pair.subarray(0, 63), mixed];
    for (const privateKey of [
      '',
      'canary',
      coinbase.privateKey.slice(0, -40),
      ...otherCurves,
      pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
      '-----BEGIN EC PRIVATE KEY-----\ncanary\n-----END EC PRIVATE KEY-----',
      ...pairs.map((each) => each.toString('base64')),
    ])
      assertField({ ...coinbase, privateKey }, 'privateKey', privateKey);
  });

  it('are refused when the name has another form', () => {
    const { keyName } = coinbase;
    const strange = ['', 'organizations//apiKeys/', `${keyName}/`, ` ${keyName}`];
    for (const name of [...strange, keyName.slice(14), `${keyName}\r\nx: y`]) {
      assertField({ ...coinbase, keyName: name }, 'keyName', name);
    }
  });
});
