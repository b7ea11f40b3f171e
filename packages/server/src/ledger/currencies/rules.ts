import { divideHalfToEven, maxAmount } from '@coffer/core/money';

/** An exact positive decimal: `mantissa` / 10^`places`. */
export interface Decimal {
  readonly mantissa: bigint;
  /** 0 to 15. */
  readonly places: number;
}

/** The currency that all rates are for. Other pairs are converted through it. */
export const baseCurrency = 'eur';

const ratePattern = /^([0-9]+)(?:\.([0-9]+))?$/;
const mostDigits = 15;

/**
 * Returns a rate as it is stored, without needless zeros: `01.20` gives `1.2`.
 *
 * Accepts 1 to 15 ASCII digits, and 1 to 15 more after a point. Returns null for zero and for any other text.
 */
export function normalRate(text: string): string | null {
  const [, whole, decimals = ''] = ratePattern.exec(text) ?? [];
  if (whole === undefined) return null;
  const units = whole.replace(/^0+(?=[0-9])/, '');
  const fraction = decimals.replace(/(?<!0)0+$/, '');
  if (Math.max(units.length, fraction.length) > mostDigits) return null;
  const rate = fraction === '' ? units : `${units}.${fraction}`;
  return /[1-9]/.test(rate) ? rate : null;
}

/** Parses a rate as it is stored. */
export function parseRate(rate: string): Decimal {
  const [units = '', fraction = ''] = rate.split('.');
  return { mantissa: BigInt(units + fraction), places: fraction.length };
}

/**
 * Converts an amount in ten-thousandths from one currency to another by their units per euro. Exact, then rounded once,
 * half to even. Returns null for a result outside ±(2^53 - 1).
 */
export function convertAmount(amount: number, from: Decimal, to: Decimal): number | null {
  const dividend = BigInt(amount) * to.mantissa * 10n ** BigInt(from.places);
  const divisor = from.mantissa * 10n ** BigInt(to.places);
  const converted = divideHalfToEven(dividend, divisor);
  const isAmount = converted <= BigInt(maxAmount) && converted >= -BigInt(maxAmount);
  return isAmount ? Number(converted) : null;
}
