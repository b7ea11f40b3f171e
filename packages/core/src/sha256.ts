import { hash } from 'node:crypto';
import { sha256 as sha256Here } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** To hash so many texts in JavaScript takes less time than to load OpenSSL. */
const mostHere = 500;

let hashed = 0;

/**
 * Returns the SHA-256 of a text (UTF-8): 32 bytes.
 *
 * The first texts are hashed without OpenSSL, which takes a twentieth of a start to load. It is faster for the others.
 */
export function sha256(text: string): Buffer {
  hashed += 1;
  return hashed > mostHere
    ? hash('sha256', text, 'buffer')
    : Buffer.from(sha256Here(utf8ToBytes(text)));
}
