import { keccak_256 } from '@noble/hashes/sha3.js';

/** Whether the text is `0x` and 40 hexadecimal digits. Does not check the checksum. */
export function isEthereumAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/**
 * Whether the capital letters of an address do not match its digits.
 *
 * An address in one letter case has no checksum. Source: EIP-55.
 */
export function hasWrongChecksum(address: string): boolean {
  const digits = address.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return false;
  return digits !== withChecksum(digits.toLowerCase());
}

/** A letter is a capital where the Keccak-256 hash of the lower-case digits has a digit of 8 or more. */
function withChecksum(digits: string): string {
  const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex');
  return Array.from(digits, (digit, at) =>
    Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit,
  ).join('');
}
