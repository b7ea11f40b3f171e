import type { CryptoBalance, CryptoHolding } from './holding.ts';
import { divideHalfToEven } from '@coffer/core/money';
import { parseQuantity, quantityPlaces } from '@coffer/core/quantities';

/** The exact price of one unit of an asset: `mantissa` × 10^`exponent` of a currency. */
export interface Price {
  readonly mantissa: bigint;
  readonly exponent: number;
  /** ISO 8601 in UTC. */
  readonly asOfIso: string;
}

/** The value of a balance, and the time of its price. */
type Worth = Pick<CryptoBalance, 'toBase' | 'priceAsOfIso'>;

/** Money is kept in ten-thousandths. */
const moneyPlaces = 4;
const noWorth: Worth = { toBase: null, priceAsOfIso: null };

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
    const price = prices.get(holding.coingeckoId ?? '');
    const quantity = parseQuantity(holding.quantity);
    if (quantity === null) return { ...holding, ...noWorth };
    if (price === undefined) {
      return { ...holding, ...keptWorth(quantity, knownBySymbol.get(holding.symbol)) };
    }
    const toBase = worthOf(quantity, price);
    return { ...holding, toBase, priceAsOfIso: toBase === null ? null : price.asOfIso };
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
function keptWorth(quantity: bigint, known: CryptoBalance | undefined): Worth {
  if (known === undefined || known.toBase === null) return noWorth;
  const knownQuantity = parseQuantity(known.quantity);
  if (knownQuantity === null || knownQuantity === 0n) return noWorth;
  const toBase = toSafeNumber(divideHalfToEven(BigInt(known.toBase) * quantity, knownQuantity));
  return toBase === null ? noWorth : { toBase, priceAsOfIso: known.priceAsOfIso };
}

function toSafeNumber(value: bigint): number | null {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null;
}
