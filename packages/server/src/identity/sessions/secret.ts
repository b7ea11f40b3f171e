import { hash, randomBytes } from 'node:crypto';

/** A new secret: the text is only for its owner, the hash is stored. */
export interface MintedSecret {
  /** Base64url. */
  readonly text: string;
  /** SHA-256 of the text, 32 bytes. */
  readonly hash: Uint8Array;
}

/** Creates a secret of random bits of the system. The number of bits is a multiple of 8. */
export function newSecret(bits: number): MintedSecret {
  const text = randomBytes(bits / 8).toString('base64url');
  return { text, hash: hashOf(text) };
}

/** Returns what is stored of a secret: a look-up in an index finds it, so an attacker cannot time a comparison. */
export function hashOf(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
