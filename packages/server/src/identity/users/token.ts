import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'coffer_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 32;
/** Base-62 digits for 256 bits. */
const secretDigits = 43;
/** Base-62 digits for 32 bits. */
const checksumDigits = 6;
const tokenPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretDigits + checksumDigits}}$`);

/** Finds access tokens inside any text, such as a line of the log. */
export const tokensInText = new RegExp(`${prefix}[0-9A-Za-z]+`, 'g');

/** A new access token: the text is only for its owner, the hash is stored. */
export interface MintedToken {
  readonly text: string;
  /** SHA-256 of the whole text, 32 bytes. */
  readonly hash: Uint8Array;
}

/**
 * Creates an access token from 256 random bits of the system.
 *
 * The text is `coffer_`, 43 base-62 digits of secret and 6 of checksum: 56 characters, all of them safe in headers,
 * URLs and shells. The prefix lets scanners find leaked tokens. The checksum (CRC-32 of all characters before it) lets
 * scanners and the service detect a token without a look-up.
 */
export function newToken(): MintedToken {
  const secret = BigInt(`0x${randomBytes(secretBytes).toString('hex')}`);
  const unchecked = prefix + base62(secret, secretDigits);
  const text = unchecked + checksumOf(unchecked);
  return { text, hash: tokenHash(text) };
}

/** Returns the SHA-256 of a token's whole text (UTF-8): 32 bytes, the only form in which a token is stored. */
export function tokenHash(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}

/** Returns whether a text has the form of a token: prefix, length, digits and checksum. */
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
