import { divideHalfToEven, maxAmount, parseAmount } from '@coffer/core/money';
import { Type } from 'typebox';
import type { TUnsafe } from 'typebox';

/** An amount of money in a request: a JSON number, or a decimal text with up to four decimals. */
export function amountInput(description: string): TUnsafe<number | string> {
  return Type.Unsafe<number | string>({
    type: ['number', 'string'],
    pattern: '^-?\\d+(\\.\\d{1,4})?$',
    description,
  });
}

const numberText = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;
const places = 4;

/**
 * Returns an amount of a request in ten-thousandths.
 *
 * A JSON number is rounded to four decimals, half to even, as it would be printed. Returns null for a text with more
 * decimals, and for an amount outside ±{@link maxAmount}.
 */
export function parseAmountInput(value: number | string): number | null {
  if (typeof value === 'string') return parseAmount(value);
  const match = numberText.exec(String(value));
  if (match === null) return null;
  const [, sign, units = '', fraction = '', power = '0'] = match;
  const exponent = Number(power) - fraction.length + places;
  // Larger than any amount, whatever its digits; a double has at most 17 of them.
  if (exponent > 20) return null;
  const digits = BigInt(units + fraction);
  const size =
    exponent >= 0
      ? digits * 10n ** BigInt(exponent)
      : divideHalfToEven(digits, 10n ** BigInt(-exponent));
  if (size > BigInt(maxAmount)) return null;
  return sign === '-' && size !== 0n ? -Number(size) : Number(size);
}
