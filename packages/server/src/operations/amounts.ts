import { divideHalfToEven, formatAmount, maxAmount, parseAmount } from '@coffer/core/money';
import { Type, type TUnsafe } from 'typebox';

/** An amount of money in a request: a JSON number, or a decimal text with up to four decimals. */
export function amountInput(description: string): TUnsafe<number | string> {
  return Type.Unsafe<number | string>({
    type: ['number', 'string'],
    pattern: '^-?\\d+(\\.\\d{1,4})?$',
    description,
  });
}

/** As {@link amountInput}, for operations of v1: further decimals of a text are rounded by {@link rounded}. */
export function amountInputV1(description: string): TUnsafe<number | string> {
  return Type.Unsafe<number | string>({
    type: ['number', 'string'],
    pattern: '^-?\\d+(\\.\\d+)?$',
    description,
  });
}

/** Returns an amount of a request of v1 with at most four decimals, for what v2 accepts. */
export function rounded(value: number | string): number | string {
  const amount = typeof value === 'string' ? roundedAmount(value) : null;
  return amount === null ? value : formatAmount(amount);
}

const numberText = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;
const places = 4;
const longestNumber = 40;
/** More than a double needs, which is 5e-324 or larger. */
const smallestPower = 400;

/**
 * Returns an amount of a request in ten-thousandths.
 *
 * A JSON number is rounded to four decimals, half to even, as it would be printed. Returns null for a text with more
 * decimals, and for an amount outside ±{@link maxAmount}.
 */
export function parseAmountInput(value: number | string): number | null {
  return typeof value === 'string' ? parseAmount(value) : roundedAmount(String(value));
}

/**
 * Returns an amount in ten-thousandths, half to even: of a JSON number as it would be printed, or of a decimal text of
 * reasonable length. Returns null for another text, and for an amount outside ±{@link maxAmount}.
 */
export function roundedAmount(text: string): number | null {
  // No double is printed longer, and long integers are slow to compute with.
  const match = text.length > longestNumber ? null : numberText.exec(text);
  if (match === null) return null;
  const [, sign, units = '', fraction = '', power = '0'] = match;
  const exponent = Number(power) - fraction.length + places;
  // Larger than any amount, whatever its digits.
  if (exponent > 20 || exponent < -smallestPower) return null;
  const digits = BigInt(units + fraction);
  const size =
    exponent >= 0
      ? digits * 10n ** BigInt(exponent)
      : divideHalfToEven(digits, 10n ** BigInt(-exponent));
  if (size > BigInt(maxAmount)) return null;
  return sign === '-' && size !== 0n ? -Number(size) : Number(size);
}
