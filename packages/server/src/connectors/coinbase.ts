import { randomBytes, sign } from 'node:crypto';
import { CryptoRefreshError } from '../records/crypto.ts';
import { addressBelow, boundedFetch, nonsense } from './bounded-fetch.ts';
import { readSigningKey } from './coinbase-key.ts';
import type { SigningKey } from './coinbase-key.ts';
import type { Connector } from './connector.ts';
import { isFiat } from './fiat.ts';
import { Holdings } from './holdings.ts';
import { isJsonObject, readJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { parseQuantity } from './quantity.ts';

const who = 'Coinbase';
const path = '/api/v3/brokerage/accounts';
const accountsPerPage = 250;
const maxPages = 20;
const maxCursorLength = 1000;
const tokenSeconds = 120;
const nonceBytes = 16;

/**
 * Reads the balances of an account at Coinbase: what is available and what is on hold, over all pages.
 *
 * The key needs one permission: to view. `now` is in milliseconds.
 *
 * Source: Coinbase, Advanced Trade API: list accounts; CDP: JWT authentication.
 */
export function createCoinbaseConnector(options: {
  readonly url: string;
  readonly now: () => number;
}): Connector<'coinbase'> {
  return {
    async readHoldings({ keyName, privateKey }, signal) {
      const key = readSigningKey(privateKey);
      if (key === null) {
        throw new CryptoRefreshError('refused', 'The private key for Coinbase cannot be used');
      }
      const holdings = new Holdings(who);
      let cursor: string | null = '';
      for (let page = 0; cursor !== null; page += 1) {
        if (page === maxPages) throw nonsense(who, `more than ${maxPages} pages`);
        const url = pageAddress(options.url, cursor);
        const nowSeconds = Math.floor(options.now() / 1000);
        const authorization = `Bearer ${coinbaseToken(key, keyName, url, nowSeconds)}`;
        const headers = { authorization };
        const text = await boundedFetch({ who, method: 'GET', url, headers, signal });
        cursor = readPage(readJsonObject(who, text), holdings, cursor);
      }
      return holdings.list();
    },
  };
}

function pageAddress(base: string, cursor: string): URL {
  const url = addressBelow(who, base, path);
  url.searchParams.set('limit', String(accountsPerPage));
  if (cursor !== '') url.searchParams.set('cursor', cursor);
  return url;
}

/** A JWT for one request, good for two minutes; the address counts without its query. */
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
  // JWS has the two halves of an ES256 signature one after the other, not in DER (RFC 7518, 3.4).
  const signature = sign(algorithm === 'ES256' ? 'sha256' : null, Buffer.from(signed), {
    key,
    dsaEncoding: 'ieee-p1363',
  });
  return `${signed}.${signature.toString('base64url')}`;
}

function encode(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Adds the accounts of a page, and returns where the next page begins; null after the last. */
function readPage(answer: JsonObject, holdings: Holdings, cursor: string): string | null {
  const { accounts, has_next: hasNext, cursor: next } = answer;
  if (!Array.isArray(accounts)) throw nonsense(who, 'a page without accounts');
  for (const account of accounts as unknown[]) addAccount(account, holdings);
  if (hasNext === false || hasNext === undefined) return null;
  const isCursor = typeof next === 'string' && next !== '' && next.length <= maxCursorLength;
  if (hasNext !== true || !isCursor || next === cursor) {
    throw nonsense(who, 'a page that does not say where the next one begins');
  }
  return next;
}

function addAccount(account: unknown, holdings: Holdings): void {
  if (!isJsonObject(account)) throw nonsense(who, 'an account that is not an object');
  const { currency, type, available_balance: available, hold } = account;
  if (typeof currency !== 'string') throw nonsense(who, 'an account without a currency');
  if (type === 'ACCOUNT_TYPE_FIAT' || isFiat(currency)) return;
  holdings.add(currency, amountOf(available, currency));
  // Accounts that cannot have a hold do not show one.
  if (hold !== undefined && hold !== null) holdings.add(currency, amountOf(hold, currency));
}

function amountOf(money: unknown, currency: string): bigint {
  if (!isJsonObject(money) || money['currency'] !== currency) {
    throw nonsense(who, 'an account without its balance');
  }
  const { value } = money;
  const quantity = typeof value === 'string' ? parseQuantity(value) : null;
  if (quantity === null) throw nonsense(who, 'an amount that is not a decimal number');
  return quantity;
}
