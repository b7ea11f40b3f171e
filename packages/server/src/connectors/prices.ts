import type { CryptoBalance, CryptoHolding } from '../records/crypto.ts';
import { addressBelow, boundedFetch } from './bounded-fetch.ts';
import { isJsonObject, NumberLiteral, readJsonLiterals } from './json.ts';
import { parsePrice, worthOf } from './price.ts';
import type { Price } from './price.ts';
import { parseQuantity } from './quantity.ts';

const who = 'The price source';
/** Clocks differ, but no price is of the day after tomorrow. */
const maxAheadSeconds = 86_400;

/** What the price source is asked for. */
export interface PriceRequest {
  /** The address below which `/simple/price` is found; a query that it has stays. */
  readonly pricesUrl: string;
  /** Ids of assets as CoinGecko has them. */
  readonly ids: readonly string[];
  /** A lower-case currency code. */
  readonly currency: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/**
 * Reads prices by the id of the asset. Those that the source does not have, or not with a time, are missing.
 *
 * Numbers are read as they were written, never as doubles. Nothing is asked when no id is given. Throws
 * CryptoRefreshError when the source cannot be read.
 *
 * Source: CoinGecko API v3, `/simple/price`.
 */
export async function readPrices(request: PriceRequest): Promise<ReadonlyMap<string, Price>> {
  const { ids, currency, nowMs, signal } = request;
  const prices = new Map<string, Price>();
  if (ids.length === 0) return prices;
  const url = addressBelow(who, request.pricesUrl, '/simple/price');
  url.searchParams.set('ids', ids.join(','));
  url.searchParams.set('vs_currencies', currency);
  url.searchParams.set('include_last_updated_at', 'true');
  url.searchParams.set('precision', 'full');
  const answer = readJsonLiterals(who, await boundedFetch({ who, method: 'GET', url, signal }));
  for (const id of ids) {
    const price = readPrice(answer[id], currency, nowMs);
    if (price !== null) prices.set(id, price);
  }
  return prices;
}

/** Holdings with what they are worth by these prices; without a price, without a worth. */
export function withWorth(
  holdings: readonly CryptoHolding[],
  prices: ReadonlyMap<string, Price>,
): CryptoBalance[] {
  return holdings.map((holding) => {
    const price = prices.get(holding.coingeckoId ?? '');
    const quantity = parseQuantity(holding.quantity);
    const toBase = price && quantity !== null ? worthOf(quantity, price) : null;
    return { ...holding, toBase, priceAsOfIso: toBase === null ? null : price!.asOfIso };
  });
}

function readPrice(entry: unknown, currency: string, nowMs: number): Price | null {
  if (!isJsonObject(entry)) return null;
  const amount = entry[currency];
  const updatedAt = entry['last_updated_at'];
  if (!(amount instanceof NumberLiteral) || !(updatedAt instanceof NumberLiteral)) return null;
  const price = parsePrice(amount.source);
  const asOfIso = readTime(updatedAt.source, nowMs);
  return price === null || asOfIso === null ? null : { ...price, asOfIso };
}

/** Whole seconds since 1970 as ISO 8601; null for what cannot be the time of a price. */
function readTime(source: string, nowMs: number): string | null {
  const seconds = /^[1-9][0-9]{0,11}$/.test(source) ? Number(source) : Infinity;
  if (seconds > nowMs / 1000 + maxAheadSeconds) return null;
  return new Date(seconds * 1000).toISOString();
}
