import { randomBytes, sign, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import {
  fetchJson,
  nonsense,
  urlBelow,
  isJsonObject,
  type WayOut,
  type JsonObject,
} from '../../outside/bounded-fetch.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import type { CryptoHolding } from '../prices/worth.ts';
import { isFiat, Holdings } from './assets.ts';

const who = 'Coinbase';
const path = '/api/v3/brokerage/accounts';
const accountsPerPage = 250;
const maxPages = 20;
const maxCursorLength = 1000;
const tokenSeconds = 120;
const nonceBytes = 16;

/** An account at Coinbase, and how to read it. */
export interface CoinbaseRequest extends WayOut {
  /** The base URL of the API. */
  readonly url: string;
  readonly keyName: string;
  /** See {@link readSigningKey}. */
  readonly privateKey: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Reads the balances of an account at Coinbase, ordered by symbol, without fiat money and without zeros.
 *
 * A balance is the sum of the available amount and the amount on hold, over all pages. The key needs only the
 * permission to view. Rejects with CryptoRefreshError, which contains no secret.
 *
 * Source: Coinbase, Advanced Trade API: list accounts; CDP: JWT authentication.
 */
export async function readCoinbaseHoldings(request: CoinbaseRequest): Promise<CryptoHolding[]> {
  const { keyName, privateKey, now, url: base, ...way } = request;
  const key = readSigningKey(privateKey);
  if (key === null) {
    throw new CryptoRefreshError('refused', 'The private key for Coinbase is not valid');
  }
  const holdings = new Holdings(who);
  let cursor: string | null = '';
  for (let page = 0; cursor !== null; page += 1) {
    if (page === maxPages) throw nonsense(who, `more than ${maxPages} pages`);
    const url = pageUrl(base, cursor);
    const token = coinbaseToken(key, keyName, url, Math.floor(now() / 1000));
    const headers = { authorization: `Bearer ${token}` };
    const body = await fetchJson({ ...way, who, method: 'GET', url, headers });
    cursor = addPage(body, holdings, cursor);
  }
  return holdings.list();
}

function pageUrl(base: string, cursor: string): URL {
  const url = urlBelow(who, base, path);
  url.searchParams.set('limit', String(accountsPerPage));
  if (cursor !== '') url.searchParams.set('cursor', cursor);
  return url;
}

/** A JWT for one request, valid for two minutes. It contains the URL without its query. */
function coinbaseToken(
  { algorithm, key }: SigningKey,
  keyName: string,
  url: URL,
  nowSeconds: number,
): string {
  const nonce = randomBytes(nonceBytes).toString('hex');
  const head = encode({ alg: algorithm, kid: keyName, nonce, typ: 'JWT' });
  const claims = encode({
    sub: keyName,
    iss: 'cdp',
    nbf: nowSeconds,
    exp: nowSeconds + tokenSeconds,
    uri: `GET ${url.host}${url.pathname}`,
  });
  const signed = `${head}.${claims}`;
  // JWS joins the two halves of an ES256 signature instead of encoding them in DER (RFC 7518, 3.4).
  const signature = sign(algorithm === 'ES256' ? 'sha256' : null, Buffer.from(signed), {
    key,
    dsaEncoding: 'ieee-p1363',
  });
  return `${signed}.${signature.toString('base64url')}`;
}

function encode(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Adds the accounts of a page, and returns the cursor of the next page; null after the last. */
function addPage(body: JsonObject, holdings: Holdings, cursor: string): string | null {
  const { accounts, has_next: hasNext, cursor: next } = body;
  if (!Array.isArray(accounts)) throw nonsense(who, 'a page without accounts');
  for (const account of accounts as unknown[]) addAccount(account, holdings);
  if (hasNext === false || hasNext === undefined) return null;
  const isCursor = typeof next === 'string' && next !== '' && next.length <= maxCursorLength;
  if (hasNext !== true || !isCursor || next === cursor) {
    throw nonsense(who, 'a page without the cursor of the next one');
  }
  return next;
}

function addAccount(account: unknown, holdings: Holdings): void {
  if (!isJsonObject(account)) throw nonsense(who, 'an account that is not an object');
  const { currency, type, available_balance: available, hold } = account;
  if (typeof currency !== 'string') throw nonsense(who, 'an account without a currency');
  if (type === 'ACCOUNT_TYPE_FIAT' || isFiat(currency)) return;
  // Accounts that cannot have a hold leave it out.
  for (const money of [available, ...(hold === undefined || hold === null ? [] : [hold])]) {
    if (!isJsonObject(money) || money['currency'] !== currency)
      throw nonsense(who, 'an account without its balance');
    holdings.addDecimal(currency, money['value']);
  }
}

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
