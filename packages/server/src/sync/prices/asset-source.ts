import { isStorable } from '@coffer/core/text';
import { fetchIfFound, nonsense, urlBelow } from '../../outside/bounded-fetch.ts';
import type { WayOut } from '../../outside/bounded-fetch.ts';
import type { PrivateTargets } from '../../outside/guarded-request.ts';
import { parseJsonObject } from '../../outside/json.ts';
import type { JsonObject } from '../../outside/json.ts';
import { readPrices, toAssetPrices } from './price-source.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import type { AssetPrice } from './holding.ts';

const who = 'The price source';
const defaultTimeoutMs = 5000;
/** Paths of the API below `/coins/` that are not ids of assets. */
const reserved = new Set(['list', 'markets', 'categories', 'top_gainers_losers', 'id']);
/** Parts of the response that are not needed, and are most of its size. */
const leftOut = ['localization', 'tickers', 'market_data', 'community_data', 'developer_data'];

/** A crypto asset as the price source lists it. */
export interface Asset {
  readonly coingeckoId: string;
  /** In lower case. */
  readonly symbol: string;
  readonly name: string;
}

/** Finds crypto assets and their prices. Rejects with CryptoRefreshError when the price source fails. */
export interface AssetSource {
  /** Returns the asset with this id; null when the price source has none. */
  find(coingeckoId: string): Promise<Asset | null>;
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
    find: (coingeckoId) => {
      const signal = AbortSignal.timeout(timeoutMs);
      return findAsset(pricesUrl, coingeckoId, { signal, privateTargets });
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
  coingeckoId: string,
  way: WayOut,
): Promise<Asset | null> {
  if (reserved.has(coingeckoId)) return null;
  const url = urlBelow(who, pricesUrl, `/coins/${encodeURIComponent(coingeckoId)}`);
  for (const part of leftOut) url.searchParams.set(part, 'false');
  const text = await fetchIfFound({ ...way, who, method: 'GET', url });
  return text === null ? null : assetOf(parseJsonObject(who, text));
}

function assetOf(json: JsonObject): Asset {
  const [coingeckoId, symbol, name] = ['id', 'symbol', 'name'].map((key) => textOf(json, key));
  return { coingeckoId: coingeckoId!, symbol: symbol!.toLowerCase(), name: name! };
}

function textOf(json: JsonObject, key: string): string {
  const text = json[key];
  if (typeof text === 'string' && text.trim() !== '' && isStorable(text)) return text.trim();
  throw nonsense(who, `${key} is not a text`);
}
