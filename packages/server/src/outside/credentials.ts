import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { CryptoRefreshError } from './provider-error.ts';

/** Credentials for a provider; stored encrypted and never shown again. */
export type CryptoCredentials =
  | { readonly provider: 'ethereum'; readonly address: string }
  | { readonly provider: 'kraken'; readonly apiKey: string; readonly privateKey: string }
  | { readonly provider: 'coinbase'; readonly keyName: string; readonly privateKey: string };

/** What a bridge needs to know its client by; stored encrypted and never shown again. */
export interface BankCredentials {
  readonly provider: 'simplefin';
  /** An https URL with user name and password. */
  readonly accessUrl: string;
}

/** A secret that signs messages of a webhook, as it is sealed. */
export interface WebhookCredentials {
  readonly provider: 'webhook';
  /** `whsec_` and Base64. */
  readonly secret: string;
}

/** What a provider needs to know its client by, or a receiver of webhooks its sender. */
export type Credentials = CryptoCredentials | BankCredentials | WebhookCredentials;

const algorithm = 'aes-256-gcm';
const version = 1;
const versionBytes = 1;
const keyIdBytes = 4;
const headBytes = versionBytes + keyIdBytes;
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/**
 * Why sealed credentials cannot be opened.
 *
 * `otherKey`: they were sealed with another key. `damaged`: they were changed, or sealed for another book or provider.
 */
export type SealFault = 'otherKey' | 'damaged';

/** Sealed credentials cannot be opened. The error contains no secret. */
class SealedCredentialsError extends Error {
  override name = 'SealedCredentialsError';
  readonly fault: SealFault;

  constructor(fault: SealFault) {
    super(
      fault === 'otherKey'
        ? 'The credentials were sealed with another encryption key'
        : 'The sealed credentials are damaged',
    );
    this.fault = fault;
  }
}

/**
 * Encrypts credentials for one book: AES-256-GCM with a random nonce of 96 bits.
 *
 * The bytes are a version (1), the id of the key (4), the nonce (12), the tag (16) and the ciphertext. The tag also
 * covers version, key id, book and provider, so that sealed bytes open only for that book and provider.
 *
 * Source: NIST SP 800-38D.
 */
export function sealCredentials(
  key: Uint8Array,
  bookId: number,
  credentials: Credentials,
): Uint8Array {
  const head = Buffer.concat([Buffer.of(version), keyId(key)]);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(boundTo(head, bookId, credentials.provider));
  const text = Buffer.from(JSON.stringify(credentials));
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([head, nonce, cipher.getAuthTag(), ciphertext]);
}

/** Decrypts the bytes of {@link sealCredentials} for this book and provider. Throws {@link SealedCredentialsError}. */
export function openCredentials<P extends Credentials['provider']>(
  key: Uint8Array,
  bookId: number,
  provider: P,
  sealed: Uint8Array,
): Extract<Credentials, { readonly provider: P }> {
  const bytes = Buffer.from(sealed);
  if (bytes.length < headBytes + nonceBytes + tagBytes || bytes[0] !== version) {
    throw new SealedCredentialsError('damaged');
  }
  const head = bytes.subarray(0, headBytes);
  if (!head.subarray(versionBytes).equals(keyId(key))) throw new SealedCredentialsError('otherKey');
  try {
    const opened = decrypt(key, bytes.subarray(headBytes), boundTo(head, bookId, provider));
    return opened as Extract<Credentials, { readonly provider: P }>;
  } catch {
    // The library's message explains nothing here.
    throw new SealedCredentialsError('damaged');
  }
}

/**
 * Decrypts the credentials of a connection as {@link openCredentials}. Throws a CryptoRefreshError without a key, or if
 * they cannot be opened.
 */
export function connectionCredentials<P extends Credentials['provider']>(
  key: Uint8Array | null,
  bookId: number,
  provider: P,
  sealed: Uint8Array,
): Extract<Credentials, { readonly provider: P }> {
  if (key === null)
    throw new CryptoRefreshError(
      'unconfigured',
      'This service has no encryption key: set ENCRYPTION_KEY',
    );
  try {
    return openCredentials(key, bookId, provider, sealed);
  } catch (error) {
    throw new CryptoRefreshError('unconfigured', (error as Error).message);
  }
}

/**
 * Parses the key that seals credentials: 32 bytes as 64 hexadecimal digits or as Base64, with or without padding.
 *
 * @throws Error that describes the form of a key, without quoting the text
 */
export function parseEncryptionKey(text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  const key = Buffer.from(text, 'base64');
  const base64 = key.toString('base64');
  const isWhole = text === base64 || `${text}=` === base64;
  if (key.length === keyBytes && isWhole) return key;
  throw new Error('An encryption key is 32 bytes, written as 64 hexadecimal digits or as Base64');
}

function decrypt(key: Uint8Array, bytes: Buffer, bound: Buffer): Credentials {
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(bound);
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const ciphertext = bytes.subarray(nonceBytes + tagBytes);
  const text = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  return JSON.parse(text.toString()) as Credentials;
}

/** Returns an id of a key that reveals nothing of the key. */
export function keyId(key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('coffer key id').digest().subarray(0, keyIdBytes);
}

/** The data that the tag covers in addition to the ciphertext. */
function boundTo(head: Buffer, bookId: number, provider: Credentials['provider']): Buffer {
  return Buffer.concat([head, Buffer.from(`book ${bookId} ${provider}`)]);
}
