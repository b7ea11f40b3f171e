import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'coffer_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 32;
/** As many as 256 bits need in base 62. */
const secretDigits = 43;
/** As many as 32 bits need in base 62. */
const checksumDigits = 6;
const tokenPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretDigits + checksumDigits}}$`);

/** Finds access tokens inside any text, such as a line of the log. */
export const tokensInText = new RegExp(`${prefix}[0-9A-Za-z]+`, 'g');

/** A new access token: the text is for its owner alone, the hash for the store. */
export interface MintedToken {
  readonly text: string;
  /** SHA-256 of the whole text, 32 bytes. */
  readonly hash: Uint8Array;
}

/**
 * Mints an access token from 256 bits of the system's randomness.
 *
 * The text is `coffer_`, 43 base-62 digits of secret and 6 of checksum: 56 characters, all of them safe
 * in headers, URLs and shells. The prefix lets scanners find leaked tokens; the checksum (CRC-32 of all
 * that stands before it) lets them, and the service, tell a token from a look-alike without a look-up.
 */
export function newToken(): MintedToken {
  const secret = BigInt(`0x${randomBytes(secretBytes).toString('hex')}`);
  const unchecked = prefix + base62(secret, secretDigits);
  const text = unchecked + checksumOf(unchecked);
  return { text, hash: tokenHash(text) };
}

/** SHA-256 of a token's whole text (UTF-8): 32 bytes, the only form in which a token is stored. */
export function tokenHash(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}

/** Whether the text can be a token at all: prefix, length, digits and checksum. Says nothing about who owns it. */
export function isWellFormedToken(text: string): boolean {
  if (!tokenPattern.test(text)) return false;
  return text.endsWith(checksumOf(text.slice(0, -checksumDigits)));
}

function checksumOf(text: string): string {
  return base62(BigInt(crc32(text)), checksumDigits);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) {
    text = digits.charAt(Number(rest % 62n)) + text;
  }
  return text;
}
