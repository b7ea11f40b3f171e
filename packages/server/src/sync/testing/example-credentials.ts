import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { CryptoProvider } from '../crypto/rules.ts';
import type { CryptoCredentials } from '../../outside/credentials.ts';

type CredentialsOf<P extends CryptoProvider> = Extract<CryptoCredentials, { provider: P }>;

const keyId = '4b0bd1f3-6c1e-4a0f-9d8e-0f6d2f5a7c11';

/** An address from EIP-55. */
export const exampleAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** Returns a key in Kraken's format, a different one for each seed. */
export function exampleKrakenCredentials(seed = 'example'): CredentialsOf<'kraken'> {
  const bytes = (part: string) => createHash('sha512').update(`${seed} ${part}`).digest();
  return {
    provider: 'kraken',
    apiKey: bytes('API key').subarray(0, 42).toString('base64'),
    privateKey: bytes('private key').toString('base64'),
  };
}

/** Creates a new key in Coinbase's format, with the public key that Coinbase keeps. */
export function exampleCoinbaseCredentials(algorithm: 'ES256' | 'EdDSA' = 'ES256'): {
  credentials: CredentialsOf<'coinbase'>;
  publicKey: KeyObject;
} {
  const keyName = `organizations/${keyId}/apiKeys/${keyId}`;
  if (algorithm === 'ES256') {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ format: 'pem', type: 'sec1' }).toString();
    return { credentials: { provider: 'coinbase', keyName, privateKey: pem }, publicKey };
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const pair = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
  const credentials = {
    provider: 'coinbase',
    keyName,
    privateKey: pair.toString('base64'),
  } as const;
  return { credentials, publicKey };
}
