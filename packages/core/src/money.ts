/** Largest amount of money, in ten-thousandths, inclusive: 2^53 - 1. The smallest is its negative. */
export const maxAmount = Number.MAX_SAFE_INTEGER;
const amountScale = 10_000;
const amountPattern = /^(-?)(\d+)(?:\.(\d{1,4}))?$/;

/**
 * Formats ten-thousandths as a decimal with four places: `-12.5000`.
 *
 * Exact for every integer; zero has no sign. A sum may exceed {@link maxAmount}: pass it as a bigint.
 */
export function formatAmount(tenThousandths: number | bigint): string {
  const value = BigInt(tenThousandths);
  const digits = String(value < 0n ? -value : value).padStart(5, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}

/**
 * Parses a decimal such as `-12.5` exactly, in ten-thousandths.
 *
 * Accepts an optional minus, one or more ASCII digits, and one to four digits after a point. `-0` gives 0.
 * Returns null for any other text (a plus, an exponent, spaces, more places, even if they are zeros) and for an
 * amount outside ±{@link maxAmount}.
 */
export function parseAmount(text: string): number | null {
  const match = amountPattern.exec(text);
  if (match === null) return null;
  const [, sign, units, fraction = ''] = match;
  // Each term is exact, or so large that the sum fails the check.
  const size = Number(units) * amountScale + Number(fraction.padEnd(4, '0'));
  if (size > maxAmount) return null;
  return sign === '-' && size !== 0 ? -size : size;
}

/** Divides by a positive divisor and rounds to the nearest integer; a half rounds to the even integer. */
export function divideHalfToEven(dividend: bigint, divisor: bigint): bigint {
  const size = dividend < 0n ? -dividend : dividend;
  const floor = size / divisor;
  const twiceRemainder = (size % divisor) * 2n;
  const roundsUp = twiceRemainder > divisor || (twiceRemainder === divisor && floor % 2n === 1n);
  const quotient = roundsUp ? floor + 1n : floor;
  return dividend < 0n ? -quotient : quotient;
}
