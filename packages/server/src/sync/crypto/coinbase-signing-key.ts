import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A private key from Coinbase, with the JWT name of its signature algorithm. */
export interface SigningKey {
  readonly algorithm: 'ES256' | 'EdDSA';
  readonly key: KeyObject;
}

const seedBytes = 32;
const pairBytes = 64;
/** The bytes before the seed of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const base64 = /^[A-Za-z0-9+/]{43,86}={0,2}$/;

/**
 * Parses the private key of a Coinbase API key; null when the text is not one.
 *
 * Two forms are supported. PEM (SEC 1 or PKCS #8) with an EC key on the curve P-256, whose lines may end in a backslash
 * and an `n`, as in the file that Coinbase offers. Base64 of an Ed25519 seed, alone (32 bytes) or followed by its
 * public key (64 bytes).
 */
export function readSigningKey(text: string): SigningKey | null {
  try {
    return text.includes('-----BEGIN') ? readEcKey(text) : readEd25519Key(text.trim());
  } catch {
    // The library's message may quote the text.
    return null;
  }
}

function readEcKey(text: string): SigningKey | null {
  const key = createPrivateKey(text.replaceAll('\\n', '\n').trim());
  const curve = key.asymmetricKeyDetails?.namedCurve;
  return curve === 'prime256v1' ? { algorithm: 'ES256', key } : null;
}

function readEd25519Key(text: string): SigningKey | null {
  if (!base64.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== seedBytes && bytes.length !== pairBytes) return null;
  const der = Buffer.concat([ed25519Prefix, bytes.subarray(0, seedBytes)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  if (bytes.length === pairBytes && !publicKeyOf(key).equals(bytes.subarray(seedBytes)))
    return null;
  return { algorithm: 'EdDSA', key };
}

function publicKeyOf(key: KeyObject): Buffer {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url');
}
