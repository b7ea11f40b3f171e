import { quantityPlaces } from './quantity.ts';

/** A price for one unit of an asset: `mantissa` × 10^`exponent` of a currency, exactly. */
export interface Price {
  readonly mantissa: bigint;
  readonly exponent: number;
  /** ISO 8601 in UTC. */
  readonly asOfIso: string;
}

/** Money is kept in ten-thousandths. */
const moneyPlaces = 4;
const maxLiteralLength = 100;
const maxExponent = 100;
const literal = /^([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/;

/** Reads a number literal of JSON, such as `0.5` or `1.2e-8`, exactly; null below zero and beyond all bounds. */
export function parsePrice(source: string): Pick<Price, 'mantissa' | 'exponent'> | null {
  const match = source.length <= maxLiteralLength ? literal.exec(source) : null;
  if (match === null) return null;
  const [, units = '', fraction = '', power = '0'] = match;
  const exponent = Number(power) - fraction.length;
  if (Math.abs(exponent) > maxExponent) return null;
  return { mantissa: BigInt(units + fraction), exponent };
}

/**
 * What a quantity of 10^-18 units is worth, in ten-thousandths; null when that is beyond ±(2^53 − 1).
 *
 * The product is exact, and is rounded once, a half to the even neighbour.
 */
export function worthOf(
  quantity: bigint,
  { mantissa, exponent }: Pick<Price, 'mantissa' | 'exponent'>,
): number | null {
  const product = quantity * mantissa;
  const power = exponent + moneyPlaces - quantityPlaces;
  const worth = power >= 0 ? product * 10n ** BigInt(power) : divideHalfEven(product, -power);
  return worth <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(worth) : null;
}

/** Divides what is not negative by a power of ten. */
function divideHalfEven(value: bigint, power: number): bigint {
  const divisor = 10n ** BigInt(power);
  const quotient = value / divisor;
  const twiceRest = (value % divisor) * 2n;
  const isUp = twiceRest > divisor || (twiceRest === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}
