import { createHmac, hash } from 'node:crypto';
import { fetchJson, nonsense, urlBelow, isJsonObject } from '../../outside/bounded-fetch.ts';
import type { WayOut, JsonObject } from '../../outside/bounded-fetch.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import type { CryptoHolding } from '../prices/worth.ts';
import { isFiat, Holdings } from './assets.ts';

/** Codes that differ from the symbol in general use. */
const symbols: Readonly<Record<string, string>> = {
  ETH2: 'eth',
  LUNA: 'lunc',
  LUNA2: 'luna',
  REPV2: 'rep',
  UST: 'ustc',
  XBT: 'btc',
  XDG: 'doge',
  XETC: 'etc',
  XETH: 'eth',
  XLTC: 'ltc',
  XMLN: 'mln',
  XREP: 'rep',
  XXBT: 'btc',
  XXDG: 'doge',
  XXLM: 'xlm',
  XXMR: 'xmr',
  XXRP: 'xrp',
  XZEC: 'zec',
};
/** Credits for fees, which are not an asset. */
const credits = 'KFEE';
/** Extensions of the same asset: staked, opted in, earning, yield-bearing, parachain, on hold. */
const sameAsset = /^(.+)\.(?:S|M|F|B|P|HOLD)$/;
/** An asset bonded for a number of days, as in `DOT28.S`. */
const bonded = /^([A-Z]{3,})\d{2}\.S$/;

/**
 * Returns the lower-case symbol of a Kraken asset code; null for fiat money and for credits.
 *
 * `XXBT` -> `btc`, `ETH2.S` -> `eth`, `DOT28.S` -> `dot`, `ZUSD` -> null. A code with any other extension is another
 * asset: `TSLA.T` -> `tslat`.
 *
 * Source: Kraken's list of assets, and its article on extensions.
 */
export function krakenSymbol(code: string): string | null {
  const base = bonded.exec(code)?.[1] ?? sameAsset.exec(code)?.[1] ?? code;
  if (base === credits || isFiat(base) || isFiat(base.replace(/^Z(?=[A-Z]{3}$)/, ''))) return null;
  if (Object.hasOwn(symbols, base)) return symbols[base]!;
  return base.replaceAll('.', '').toLowerCase();
}

const who = 'Kraken';
const path = '/0/private/Balance';

/** An account at Kraken, and how to read it. */
export interface KrakenRequest extends WayOut {
  /** The base URL of the API. */
  readonly url: string;
  readonly apiKey: string;
  /** Base64. */
  readonly privateKey: string;
  /** Greater than every nonce used before with this key; less than 2^64. */
  readonly nonce: bigint;
}

/**
 * Reads the balances of an account at Kraken, ordered by symbol, without fiat money and without zeros.
 *
 * Staked variants of an asset, and others that earn interest, are added to the asset. The key needs only the permission
 * to query funds. No other program may use it, because Kraken accepts a nonce only when it is higher than all earlier
 * ones of that key. Rejects with CryptoRefreshError, which contains no secret.
 *
 * Source: Kraken, Spot REST API: authentication, get account balance, errors.
 */
export async function readKrakenHoldings(request: KrakenRequest): Promise<CryptoHolding[]> {
  const { apiKey, privateKey, nonce: number, url: base, ...way } = request;
  const nonce = String(number);
  const body = `nonce=${nonce}`;
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'api-key': apiKey,
    'api-sign': krakenSignature(privateKey, path, nonce, body),
  };
  const url = urlBelow(who, base, path);
  return holdingsOf(await fetchJson({ ...way, who, method: 'POST', url, headers, body }));
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

function holdingsOf({ error, result }: JsonObject): CryptoHolding[] {
  if (!Array.isArray(error) || !error.every((each) => typeof each === 'string')) {
    throw nonsense(who, 'no list of errors');
  }
  // Entries that begin with W are warnings; the response also has a result.
  const [failure] = error.filter((each) => !each.startsWith('W'));
  if (failure !== undefined) throw failureOf(failure);
  if (!isJsonObject(result)) throw nonsense(who, 'no balances');
  const holdings = new Holdings(who);
  for (const [code, amount] of Object.entries(result)) {
    const symbol = krakenSymbol(code);
    if (symbol !== null) holdings.addDecimal(symbol, amount);
  }
  return holdings.list();
}

/** The meanings of Kraken's errors; the first pattern that matches is used. */
const failures: readonly (readonly [RegExp, CryptoRefreshError['reason'], string])[] = [
  [
    /^(EAPI:Rate limit|EGeneral:Temporary lockout|EService:Throttled|EAuth:(Rate|Too many))/i,
    'rateLimited',
    'limits requests',
  ],
  // The key is valid: another program uses it too, or a clock was set back. The next nonce may be accepted.
  [
    /^EAPI:Invalid nonce/i,
    'rateLimited',
    'refused the nonce: no other program may use the same key',
  ],
  [
    /^(EAPI:Invalid (key|signature|permission)|EGeneral:Permission denied|EAuth:)/i,
    'refused',
    'refused the key, or the key may not query funds',
  ],
  [/^(EService:|EGeneral:Internal error)/i, 'unreachable', 'reported a server error'],
  [
    /^(EAPI:Feature disabled|EGeneral:Unknown method)/i,
    'unsupported',
    'does not provide balances for this account',
  ],
];

/** Uses our own messages, because Kraken's error may quote what was sent. */
function failureOf(error: string): CryptoRefreshError {
  const found = failures.find(([pattern]) => pattern.test(error));
  if (found === undefined) return nonsense(who, 'an error that is not documented');
  const [, reason, message] = found;
  return new CryptoRefreshError(reason, `${who} ${message}`);
}
