import { divideHalfToEven } from '@coffer/core/money';
import { parseQuantity, quantityPlaces } from '@coffer/core/quantities';

/** The exact price of one unit of an asset: `mantissa` × 10^`exponent` of a currency. */
export interface Price {
  readonly mantissa: bigint;
  readonly exponent: number;
  /** ISO 8601 in UTC. */
  readonly as_of: string;
}

/** The value of a balance, and the time of its price. */
export type Worth = Pick<CryptoBalance, 'to_base' | 'price_as_of'>;

/** Money is kept in ten-thousandths. */
const moneyPlaces = 4;
export const noWorth: Worth = { to_base: null, price_as_of: null };

/**
 * Returns holdings with their values at these prices, which are listed by CoinGecko's id.
 *
 * A holding without a price keeps the price of the known balance with the same symbol, and the time of that price.
 */
export function withWorth(
  holdings: readonly CryptoHolding[],
  prices: ReadonlyMap<string, Price>,
  known: readonly CryptoBalance[],
): CryptoBalance[] {
  const knownBySymbol = new Map(known.map((balance) => [balance.symbol, balance]));
  return holdings.map((holding) => {
    const price = prices.get(holding.coingecko_id ?? '');
    const quantity = parseQuantity(holding.quantity);
    if (quantity === null) return { ...holding, ...noWorth };
    if (price === undefined) {
      return { ...holding, ...previousWorth(quantity, knownBySymbol.get(holding.symbol)) };
    }
    const to_base = worthOf(quantity, price);
    return { ...holding, to_base, price_as_of: to_base === null ? null : price.as_of };
  });
}

/**
 * Returns the value of a quantity of 10^-18 units in ten-thousandths; null above 2^53 − 1.
 *
 * The product is exact and is rounded once, half to even.
 */
export function worthOf(
  quantity: bigint,
  { mantissa, exponent }: Pick<Price, 'mantissa' | 'exponent'>,
): number | null {
  const product = quantity * mantissa;
  const power = exponent + moneyPlaces - quantityPlaces;
  return power >= 0
    ? toSafeNumber(product * 10n ** BigInt(power))
    : toSafeNumber(divideHalfToEven(product, 10n ** BigInt(-power)));
}

/** The known value, in proportion to the new quantity. */
function previousWorth(quantity: bigint, known: CryptoBalance | undefined): Worth {
  if (known === undefined || known.to_base === null) return noWorth;
  const knownQuantity = parseQuantity(known.quantity);
  if (knownQuantity === null || knownQuantity === 0n) return noWorth;
  const to_base = toSafeNumber(divideHalfToEven(BigInt(known.to_base) * quantity, knownQuantity));
  return to_base === null ? noWorth : { to_base, price_as_of: known.price_as_of };
}

function toSafeNumber(value: bigint): number | null {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null;
}

/** The quantity of one asset in an account. */
export interface CryptoHolding {
  /** Lower-case letters and digits, 1 to 25 characters, unique within a reading: `btc`. */
  readonly symbol: string;
  /** The name in responses, 1 to 45 characters: `BTC`. */
  readonly name: string;
  /** A decimal text with exactly 18 decimals, such as `0.100020003000400050`. */
  readonly quantity: string;
  /** The id of the asset at the price source; null when unknown. */
  readonly coingecko_id: string | null;
}

/** A holding with its value. */
export interface CryptoBalance extends CryptoHolding {
  /** Ten-thousandths of the book's primary currency, an integer within ±(2^53 − 1); null without a price. */
  readonly to_base: number | null;
  /** The time of the price, ISO 8601 in UTC; null without a price. */
  readonly price_as_of: string | null;
}

/** The price of one unit of an asset in a currency that the context names. */
export interface AssetPrice {
  readonly coingecko_id: string;
  /** A number literal such as `65000.12` or `12e-9`. */
  readonly price: string;
  /** The time of the price, ISO 8601 in UTC. */
  readonly as_of: string;
}
