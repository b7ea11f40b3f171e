import { jsonResponse, startProviderServer } from './provider-server.ts';
import type { Call, ProviderResponse, ProviderServer } from './provider-server.ts';

/** Number literals by id and currency, as in `{ bitcoin: { usd: '65000.12' } }`. */
export type PriceTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface PriceServer extends ProviderServer {
  setPrices(prices: PriceTable): void;
}

export interface ListedAsset {
  readonly id: string;
  readonly symbol: string;
  readonly name: string;
}

/** Starts a price source that sends literals as they were given. Its `url` includes the version of the API. */
export async function startPriceServer(options: {
  readonly prices: PriceTable;
  readonly updatedAt: number;
  /** Returns the asset with an id; undefined for an unknown one. By default there are none. */
  readonly assetOf?: (id: string) => ListedAsset | undefined;
}): Promise<PriceServer> {
  let { prices } = options;
  const { updatedAt, assetOf = () => undefined } = options;
  const server = await startProviderServer((call) => {
    const id = /^\/api\/v3\/coins\/([^/]+)$/.exec(call.path)?.[1];
    if (id === undefined) return responseTo(call, prices, updatedAt);
    const asset = assetOf(decodeURIComponent(id));
    return asset ? jsonResponse(asset) : jsonResponse({ error: 'coin not found' }, 404);
  });
  return Object.assign(server, {
    url: `${server.url}/api/v3`,
    setPrices: (next: PriceTable) => void (prices = next),
  });
}

/** Leaves out assets that it does not list, as CoinGecko does. */
function responseTo(
  { method, path, query }: Call,
  prices: PriceTable,
  updatedAt: number,
): ProviderResponse {
  if (method !== 'GET' || path !== '/api/v3/simple/price') {
    return jsonResponse({ error: 'not found' }, 404);
  }
  const currencies = query.get('vs_currencies')?.split(',') ?? [];
  const ids = query.get('ids')?.split(',') ?? [];
  const time = query.get('include_last_updated_at') === 'true';
  const entries = ids.flatMap((id) => {
    if (!Object.hasOwn(prices, id)) return [];
    const known = prices[id]!;
    const fields = currencies.flatMap((currency) => {
      const isKnown = Object.hasOwn(known, currency);
      return isKnown ? [`${JSON.stringify(currency)}:${known[currency]!}`] : [];
    });
    if (time) fields.push(`"last_updated_at":${updatedAt}`);
    return [`${JSON.stringify(id)}:{${fields.join(',')}}`];
  });
  return { status: 200, text: `{${entries.join(',')}}` };
}
