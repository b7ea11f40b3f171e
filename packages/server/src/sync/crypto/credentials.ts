import { keccak_256 } from '@noble/hashes/sha3.js';
import type { CryptoCredentials } from '../../outside/credentials.ts';
import { readSigningKey } from './coinbase.ts';

/** A mistake in one part of credentials. */
export interface CredentialProblem {
  /** The property of {@link CryptoCredentials}. */
  readonly field: 'address' | 'apiKey' | 'privateKey' | 'keyName';
  /** A sentence that never quotes a secret; an address is public and is quoted. */
  readonly message: string;
}

type Problems = readonly (CredentialProblem | null)[];

const krakenSecretBytes = 64;
const krakenApiKey = /^[A-Za-z0-9+/=]{16,128}$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const coinbaseKeyName = new RegExp(`^(?:organizations/${uuid}/apiKeys/)?${uuid}$`, 'i');

/**
 * Checks the form of credentials and lists all mistakes at once; an empty list when there are none.
 *
 * Only the provider knows whether it accepts them. But secrets have a form too (a length, an encoding, a curve), so a
 * secret that was cut off when it was copied is detected here.
 */
export function checkCredentials(given: CryptoCredentials): readonly CredentialProblem[] {
  return problemsOf(given).filter((problem) => problem !== null);
}

function problemsOf(given: CryptoCredentials): Problems {
  switch (given.provider) {
    case 'ethereum':
      return [checkAddress(given.address)];
    case 'kraken':
      return [checkKrakenApiKey(given.apiKey), checkKrakenPrivateKey(given.privateKey)];
    case 'coinbase':
      return [checkKeyName(given.keyName), checkSigningKey(given.privateKey)];
  }
}

function checkAddress(address: string): CredentialProblem | null {
  const quoted = JSON.stringify(address.slice(0, 100));
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    const message = `Invalid Ethereum address ${quoted}: use 0x and 40 hexadecimal digits`;
    return { field: 'address', message };
  }
  if (!hasWrongChecksum(address)) return null;
  return {
    field: 'address',
    message: `Invalid Ethereum address ${quoted}: its letter case does not match its checksum (EIP-55)`,
  };
}

function checkKrakenApiKey(apiKey: string): CredentialProblem | null {
  if (krakenApiKey.test(apiKey)) return null;
  const message = 'Invalid Kraken API key: use 16 to 128 characters of Base64, without spaces';
  return { field: 'apiKey', message };
}

function checkKrakenPrivateKey(privateKey: string): CredentialProblem | null {
  const isWhole =
    base64.test(privateKey) && Buffer.from(privateKey, 'base64').length === krakenSecretBytes;
  if (isWhole) return null;
  const message = 'Invalid Kraken private key: use 64 bytes, written as 88 characters of Base64';
  return { field: 'privateKey', message };
}

function checkKeyName(keyName: string): CredentialProblem | null {
  if (coinbaseKeyName.test(keyName)) return null;
  const message =
    'Invalid Coinbase key name: use organizations/ID/apiKeys/ID, or only the last ID. Each ID is a UUID';
  return { field: 'keyName', message };
}

function checkSigningKey(privateKey: string): CredentialProblem | null {
  if (readSigningKey(privateKey) !== null) return null;
  const message =
    'Invalid Coinbase private key: use a PEM text with an EC key on the curve P-256, or an Ed25519 key in Base64';
  return { field: 'privateKey', message };
}

/**
 * Whether the capital letters of an address do not match its digits.
 *
 * An address in one letter case has no checksum. Source: EIP-55.
 */
function hasWrongChecksum(address: string): boolean {
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
