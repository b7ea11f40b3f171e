import { isStorable } from '@coffer/core/text';
import {
  fetchIfFound,
  nonsense,
  urlBelow,
  parseJsonObject,
  boundedFetch,
  isJsonObject,
  NumberLiteral,
  parseJsonLiterals,
} from '../../outside/bounded-fetch.ts';
import type { WayOut, JsonObject } from '../../outside/bounded-fetch.ts';
import type { PrivateTargets } from '../../outside/guarded-request.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import type { AssetPrice, Price } from './worth.ts';

const who = 'The price source';
const defaultTimeoutMs = 5000;
/** Paths of the API below `/coins/` that are not ids of assets. */
const reserved = new Set(['list', 'markets', 'categories', 'top_gainers_losers', 'id']);
/** Parts of the response that are not needed, and are most of its size. */
const leftOut = ['localization', 'tickers', 'market_data', 'community_data', 'developer_data'];

/** A crypto asset as the price source lists it. */
export interface Asset {
  readonly coingecko_id: string;
  /** In lower case. */
  readonly symbol: string;
  readonly name: string;
}

/** Finds crypto assets and their prices. Rejects with CryptoRefreshError when the price source fails. */
export interface AssetSource {
  /** Returns the asset with this id; null when the price source has none. */
  find(coingecko_id: string): Promise<Asset | null>;
  /** Returns the prices in a lower-case currency. Assets without a price are left out. */
  prices(
    ids: readonly string[],
    currency: string,
    signal?: AbortSignal,
  ): Promise<readonly AssetPrice[]>;
}

/** The settings of an asset source. */
export interface AssetSourceOptions {
  /** The base URL of `/coins/` and `/simple/price`; its query is kept. Null for {@link noAssetSource}. */
  readonly pricesUrl: string | null;
  /** Private networks that the name of the source may lead to; none by default. */
  readonly privateTargets?: PrivateTargets;
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number;
  /** The time limit of each request; 5,000 by default. */
  readonly timeoutMs?: number;
}

/** Creates an asset source. Source: CoinGecko API v3, `/coins/{id}` and `/simple/price`. */
export function createAssetSource(options: AssetSourceOptions): AssetSource {
  const { pricesUrl, privateTargets, now = Date.now, timeoutMs = defaultTimeoutMs } = options;
  if (pricesUrl === null) return noAssetSource;
  return {
    find: (coingecko_id) => {
      const signal = AbortSignal.timeout(timeoutMs);
      return findAsset(pricesUrl, coingecko_id, { signal, privateTargets });
    },
    async prices(ids, currency, signal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      const request = { pricesUrl, ids, currency, nowMs: now(), signal: either, privateTargets };
      return toAssetPrices(await readPrices(request));
    },
  };
}

const unconfigured = (): Promise<never> =>
  Promise.reject(
    new CryptoRefreshError('unconfigured', 'This service has no price source: set PRICES_URL'),
  );

/** The source of a server without a setting for one. It rejects everything. */
export const noAssetSource: AssetSource = { find: unconfigured, prices: unconfigured };

async function findAsset(
  pricesUrl: string,
  coingecko_id: string,
  way: WayOut,
): Promise<Asset | null> {
  if (reserved.has(coingecko_id)) return null;
  const url = urlBelow(who, pricesUrl, `/coins/${encodeURIComponent(coingecko_id)}`);
  for (const part of leftOut) url.searchParams.set(part, 'false');
  const text = await fetchIfFound({ ...way, who, method: 'GET', url });
  return text === null ? null : assetOf(parseJsonObject(who, text));
}

function assetOf(json: JsonObject): Asset {
  const [coingecko_id, symbol, name] = ['id', 'symbol', 'name'].map((key) =>
    requiredText(json, key),
  );
  return { coingecko_id: coingecko_id!, symbol: symbol!.toLowerCase(), name: name! };
}

function requiredText(json: JsonObject, key: string): string {
  const text = json[key];
  if (typeof text === 'string' && text.trim() !== '' && isStorable(text)) return text.trim();
  throw nonsense(who, `${key} is not a text`);
}

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
  const { ids, currency, nowMs, pricesUrl, ...way } = request;
  const prices = new Map<string, Price>();
  if (ids.length === 0) return prices;
  const url = urlBelow(who, pricesUrl, '/simple/price');
  url.searchParams.set('ids', ids.join(','));
  url.searchParams.set('vs_currencies', currency);
  url.searchParams.set('include_last_updated_at', 'true');
  url.searchParams.set('precision', 'full');
  const entries = parseJsonLiterals(who, await boundedFetch({ ...way, who, method: 'GET', url }));
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
  return [...prices].flatMap(([coingecko_id, { mantissa, exponent, as_of }]) => {
    const price = exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`;
    return price.length > maxLiteralLength ? [] : [{ coingecko_id, price, as_of }];
  });
}

function priceOf(entry: unknown, currency: string, nowMs: number): Price | null {
  if (!isJsonObject(entry)) return null;
  const amount = entry[currency];
  const updatedAt = entry['last_updated_at'];
  if (!(amount instanceof NumberLiteral) || !(updatedAt instanceof NumberLiteral)) return null;
  const price = parsePrice(amount.source);
  const as_of = parseTime(updatedAt.source, nowMs);
  return price === null || as_of === null ? null : { ...price, as_of };
}

/** Returns whole seconds since 1970 as ISO 8601; null when they cannot be the time of a price. */
function parseTime(source: string, nowMs: number): string | null {
  const seconds = /^[1-9][0-9]{0,11}$/.test(source) ? Number(source) : Infinity;
  if (seconds > nowMs / 1000 + maxAheadSeconds) return null;
  return new Date(seconds * 1000).toISOString();
}
