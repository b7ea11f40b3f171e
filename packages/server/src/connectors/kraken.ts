import { createHmac, hash } from 'node:crypto';
import type { CryptoHolding } from '../records/crypto.ts';
import { CryptoRefreshError } from '../records/crypto.ts';
import { addressBelow, boundedFetch, nonsense } from './bounded-fetch.ts';
import type { Connector } from './connector.ts';
import { Holdings } from './holdings.ts';
import { readJsonObject, isJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { krakenSymbol } from './kraken-assets.ts';
import { createLanes } from './lanes.ts';
import { parseQuantity } from './quantity.ts';

const who = 'Kraken';
const path = '/0/private/Balance';

/**
 * Reads the balances of an account at Kraken.
 *
 * Staked and otherwise earning variants of an asset count with the asset. The key needs one permission: to query funds.
 * It should be used by nobody else, because Kraken takes a nonce only if it is higher than all before it with that key;
 * therefore requests with one key also go out one after the other. `now` is in milliseconds.
 *
 * Source: Kraken, Spot REST API: authentication, get account balance, errors.
 */
export function createKrakenConnector(options: {
  readonly url: string;
  readonly now: () => number;
}): Connector<'kraken'> {
  const nextNonce = createNonces(options.now);
  const lanes = createLanes();
  return {
    readHoldings: ({ apiKey, privateKey }, signal) =>
      lanes.run(apiKey, async () => {
        const nonce = nextNonce();
        const body = `nonce=${nonce}`;
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          'api-key': apiKey,
          'api-sign': krakenSignature(privateKey, path, nonce, body),
        };
        const url = addressBelow(who, options.url, path);
        const text = await boundedFetch({ who, method: 'POST', url, headers, body, signal });
        return holdingsOf(readJsonObject(who, text));
      }),
  };
}

/** The header API-Sign: Base64 of HMAC-SHA512 over path and SHA-256(nonce, body); the secret is Base64. */
export function krakenSignature(
  secret: string,
  requestPath: string,
  nonce: string,
  body: string,
): string {
  return createHmac('sha512', Buffer.from(secret, 'base64'))
    .update(requestPath)
    .update(hash('sha256', nonce + body, 'buffer'))
    .digest('base64');
}

/**
 * Microseconds since 1970 by the clock, and one more than the last when the clock has not moved on.
 *
 * A thousand requests in a millisecond leave the clock behind no further than its next tick.
 */
function createNonces(now: () => number): () => string {
  let last = 0n;
  return () => {
    const clock = BigInt(Math.floor(now())) * 1000n;
    last = clock > last ? clock : last + 1n;
    return String(last);
  };
}

function holdingsOf(answer: JsonObject): CryptoHolding[] {
  const { error, result } = answer;
  if (!Array.isArray(error) || !error.every((each) => typeof each === 'string')) {
    throw nonsense(who, 'an answer without its list of errors');
  }
  // What begins with a W is a warning, and the result is there.
  const [failure] = error.filter((each) => !each.startsWith('W'));
  if (failure !== undefined) throw failureOf(failure);
  if (!isJsonObject(result)) throw nonsense(who, 'an answer without balances');
  const holdings = new Holdings(who);
  for (const [code, amount] of Object.entries(result)) {
    const symbol = krakenSymbol(code);
    if (symbol === null) continue;
    const quantity = typeof amount === 'string' ? parseQuantity(amount) : null;
    if (quantity === null) throw nonsense(who, 'an amount that is not a decimal number');
    holdings.add(symbol, quantity);
  }
  return holdings.list();
}

const waits =
  /^(EAPI:Rate limit|EGeneral:Temporary lockout|EService:Throttled|EAuth:(Rate|Too many))/i;
const refuses =
  /^(EAPI:Invalid (key|signature|nonce|permission)|EGeneral:Permission denied|EAuth:)/i;
const fails = /^(EService:|EGeneral:Internal error)/i;

/** Every message here is one of ours, because an error may repeat what was sent. */
function failureOf(error: string): CryptoRefreshError {
  if (waits.test(error)) return new CryptoRefreshError('rateLimited', `${who} asks to wait`);
  if (/^EAPI:Invalid nonce/i.test(error)) {
    const message = `${who} does not take the nonce: the key must not be used by another program`;
    return new CryptoRefreshError('refused', message);
  }
  if (refuses.test(error)) {
    const message = `${who} does not take the key, or the key may not query funds`;
    return new CryptoRefreshError('refused', message);
  }
  if (fails.test(error)) return new CryptoRefreshError('unreachable', `${who} is out of order`);
  return nonsense(who, 'an error that it does not document');
}
