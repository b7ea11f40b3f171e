import type { Cryptocurrency } from './schema.ts';

/** The longest texts that CoinGecko's pages have before the id: a language such as `zh-tw`. */
const coinPath = /^(?:\/[a-z]{2,3}(?:-[a-z0-9]{2,8})?)?\/coins\/([a-z0-9._~-]{1,100})(?:\/.*)?$/i;

/** Returns CoinGecko's id in the URL of a page of an asset, in lower case; null for any other URL. */
export function coingeckoIdIn(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (url.port !== '' || !/^(www\.)?coingecko\.com$/.test(url.hostname)) return null;
  return coinPath.exec(url.pathname)?.[1]?.toLowerCase() ?? null;
}

/** Returns the cryptocurrency that prevents adding an asset: the one with its id, or with its symbol. */
export function conflictOf(
  all: readonly Cryptocurrency[],
  coingeckoId: string,
  symbol?: string,
): Cryptocurrency | undefined {
  return (
    all.find((each) => each.coingecko_id === coingeckoId) ??
    all.find((each) => each.symbol === symbol)
  );
}
