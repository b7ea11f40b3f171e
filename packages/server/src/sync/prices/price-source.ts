import { boundedFetch, urlBelow } from '../../outside/bounded-fetch.ts';
import type { WayOut } from '../../outside/bounded-fetch.ts';
import { isJsonObject, NumberLiteral, parseJsonLiterals } from '../../outside/json.ts';
import type { AssetPrice } from './holding.ts';
import type { Price } from './worth.ts';

const who = 'The price source';
/** Clocks differ, but by no more than a day. */
const maxAheadSeconds = 86_400;
const maxLiteralLength = 100;
const maxExponent = 100;
const literal = /^([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/;

/** The prices to read. */
export interface PriceRequest extends WayOut {
  /** The base URL of `/simple/price`; its query is kept. */
  readonly pricesUrl: string;
  /** CoinGecko's ids of the assets. */
  readonly ids: readonly string[];
  /** A lower-case currency code. */
  readonly currency: string;
  readonly nowMs: number;
}

/**
 * Reads prices by the id of the asset. Assets that the price source does not list with a price and its time are left
 * out.
 *
 * Numbers are parsed as they were written, never as doubles. Without ids nothing is requested. Rejects with
 * CryptoRefreshError when the price source cannot be read.
 *
 * Source: CoinGecko API v3, `/simple/price`.
 */
export async function readPrices(request: PriceRequest): Promise<ReadonlyMap<string, Price>> {
  const { ids, currency, nowMs, signal, privateTargets } = request;
  const prices = new Map<string, Price>();
  if (ids.length === 0) return prices;
  const url = urlBelow(who, request.pricesUrl, '/simple/price');
  url.searchParams.set('ids', ids.join(','));
  url.searchParams.set('vs_currencies', currency);
  url.searchParams.set('include_last_updated_at', 'true');
  url.searchParams.set('precision', 'full');
  const entries = parseJsonLiterals(
    who,
    await boundedFetch({ who, method: 'GET', url, signal, privateTargets }),
  );
  for (const id of ids) {
    const price = priceOf(entries[id], currency, nowMs);
    if (price !== null) prices.set(id, price);
  }
  return prices;
}

/** Parses a JSON number literal exactly, such as `0.5` or `1.2e-8`; null below zero and out of bounds. */
export function parsePrice(source: string): Pick<Price, 'mantissa' | 'exponent'> | null {
  const match = source.length <= maxLiteralLength ? literal.exec(source) : null;
  if (match === null) return null;
  const [, units = '', fraction = '', power = '0'] = match;
  const exponent = Number(power) - fraction.length;
  if (Math.abs(exponent) > maxExponent) return null;
  return { mantissa: BigInt(units + fraction), exponent };
}

/** Returns prices with their literals, which {@link parsePrice} can read. */
export function toAssetPrices(prices: ReadonlyMap<string, Price>): AssetPrice[] {
  return [...prices].flatMap(([coingeckoId, { mantissa, exponent, asOfIso }]) => {
    const price = exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`;
    return price.length > maxLiteralLength ? [] : [{ coingeckoId, price, asOfIso }];
  });
}

function priceOf(entry: unknown, currency: string, nowMs: number): Price | null {
  if (!isJsonObject(entry)) return null;
  const amount = entry[currency];
  const updatedAt = entry['last_updated_at'];
  if (!(amount instanceof NumberLiteral) || !(updatedAt instanceof NumberLiteral)) return null;
  const price = parsePrice(amount.source);
  const asOfIso = parseTime(updatedAt.source, nowMs);
  return price === null || asOfIso === null ? null : { ...price, asOfIso };
}

/** Returns whole seconds since 1970 as ISO 8601; null when they cannot be the time of a price. */
function parseTime(source: string, nowMs: number): string | null {
  const seconds = /^[1-9][0-9]{0,11}$/.test(source) ? Number(source) : Infinity;
  if (seconds > nowMs / 1000 + maxAheadSeconds) return null;
  return new Date(seconds * 1000).toISOString();
}
