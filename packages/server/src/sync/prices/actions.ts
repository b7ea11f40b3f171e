import { clockSkewMs, instantOf } from '@coffer/core/dates';
import sql, { join } from 'sql-template-tag';
import { insertUnlessTaken, updateUnlogged } from '../../book/unlogged.ts';
import { blocksOf } from '../../db/blocks.ts';
import { context, now, type Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { cryptocurrencies, cryptocurrencyPrices } from '../../db/tables/tables.ts';
import { parsePrice } from './asset-source.ts';
import { catalogue, firstAddedId } from './catalogue.ts';
import type { Cryptocurrency } from './schema.ts';
import { noWorth, worthOf, type AssetPrice, type Worth } from './worth.ts';

/**
 * Returns every supported cryptocurrency by id: those of the catalogue, and those that users added.
 *
 * An added one keeps its id when a later catalogue has the same asset or symbol.
 */
export function* listCryptocurrencies(): Steps<Cryptocurrency[]> {
  const added = (yield* select(cryptocurrencies, {})).map(toWire);
  const ids = new Set(added.map((each) => each.coingecko_id));
  const symbols = new Set(added.map((each) => each.symbol));
  const rest = catalogue.filter((each) => !ids.has(each.coingecko_id) && !symbols.has(each.symbol));
  return [...rest, ...added];
}

/** Returns the supported cryptocurrency with a symbol in lower case, or undefined. */
export function* cryptocurrencyOf(symbol: string): Steps<Cryptocurrency | undefined> {
  const added = yield* find(cryptocurrencies, { symbol });
  if (added !== undefined) return toWire(added);
  return (yield* listCryptocurrencies()).find((each) => each.symbol === symbol);
}

/** Adds a cryptocurrency for all books. Returns undefined if its id at CoinGecko or its symbol was just added. */
export function* addCryptocurrency(
  columns: Omit<Cryptocurrency, 'id'>,
): Steps<Cryptocurrency | undefined> {
  const row = { ...columns, created_at: yield* now() };
  const added = yield* insertUnlessTaken(cryptocurrencies, row);
  return added === undefined ? undefined : toWire(added);
}

/**
 * Stores prices of assets in a currency. An older price never replaces a newer one, unless that one is of the future:
 * it was stored before the clock went back.
 */
export function* rememberPrices(currency: string, prices: readonly AssetPrice[]): Steps<void> {
  // In one order on all nodes, so that two of them do not wait for each other.
  const sorted = [...prices].sort((a, b) => (a.coingecko_id < b.coingecko_id ? -1 : 1));
  const known = yield* pricesOf(
    currency,
    sorted.map(({ coingecko_id }) => coingecko_id),
  );
  const latest = instantOf((yield* context()).nowMs + clockSkewMs);
  for (const { coingecko_id, price, as_of } of sorted) {
    const key = { coingecko_id, currency };
    const before = known.get(coingecko_id);
    if (before !== undefined && before.as_of >= as_of && before.as_of <= latest) continue;
    const columns = { price, as_of };
    const inserted =
      before === undefined &&
      (yield* insertUnlessTaken(cryptocurrencyPrices, { ...key, ...columns })) !== undefined;
    if (!inserted) yield* updateUnlogged(cryptocurrencyPrices, key, columns);
  }
}

type PriceRow = Row<typeof cryptocurrencyPrices>;

/** Returns the last known prices of assets in a currency, by CoinGecko's id. */
export function* pricesOf(
  currency: string,
  coingeckoIds: readonly string[],
): Steps<ReadonlyMap<string, PriceRow>> {
  const found: PriceRow[] = [];
  for (const block of blocksOf([...new Set(coingeckoIds)])) {
    const and = sql`coingecko_id IN (${join(block)})`;
    found.push(...(yield* select(cryptocurrencyPrices, { currency }, { and })));
  }
  return new Map(found.map((row) => [row.coingecko_id, row]));
}

/** Returns the value of a quantity in units of 10^-18, which may be negative, at a price. */
export function worthAt(quantity: bigint, row: PriceRow | undefined): Worth {
  const price = row === undefined ? null : parsePrice(row.price);
  const size = quantity < 0n ? -quantity : quantity;
  const value = price === null ? null : worthOf(size, price);
  if (row === undefined || value === null) return noWorth;
  return { to_base: quantity < 0n && value !== 0 ? -value : value, price_as_of: row.as_of };
}

function toWire(row: Row<typeof cryptocurrencies>): Cryptocurrency {
  const { id, coingecko_id, symbol, full_name } = row;
  return { id: firstAddedId + id, coingecko_id, symbol, full_name };
}

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
  coingecko_id: string,
  symbol?: string,
): Cryptocurrency | undefined {
  return (
    all.find((each) => each.coingecko_id === coingecko_id) ??
    all.find((each) => each.symbol === symbol)
  );
}
