import type { Decimal } from '../../statement/amounts.ts';

/** A quantity or a price: an integer of 10^-36, so that products stay exact enough for any currency. */
export type Fixed = bigint;

export const PLACES = 36;
const ONE: Fixed = 10n ** 36n;
/** One ten-thousandth. */
export const STEP: Fixed = 10n ** 32n;

const MAX_LENGTH = 64;
const MAX_EXPONENT = 18;
const GROUPING = "'’ \u00a0\u2009\u202f";
const SIZE: Readonly<Record<Decimal, RegExp>> = {
  point: new RegExp(
    `^(\\d*|[1-9]\\d{0,2}(?:[,${GROUPING}]\\d{2,3})*[,${GROUPING}]\\d{3})(?:\\.(\\d*))?$`,
  ),
  comma: new RegExp(
    `^(\\d*|[1-9]\\d{0,2}(?:[.${GROUPING}]\\d{2,3})*[.${GROUPING}]\\d{3})(?:,(\\d*))?$`,
  ),
};

/** A number without sign, as one decimal mark reads it. */
export interface Size {
  readonly value: Fixed;
  /** Decimals as written. */
  readonly places: number;
}

/** Parses digits with groups of thousands, a fraction and an exponent; null if the mark does not fit. */
export function parseSize(text: string, decimal: Decimal): Size | null {
  if (text.length > MAX_LENGTH) return null;
  const [body = '', exponent = '0'] = text.split(/e/i);
  const match = SIZE[decimal].exec(body);
  if (match === null || !/\d/.test(body)) return null;
  const digits = match[1]!.replace(/\D/g, '');
  const fraction = match[2] ?? '';
  const shift = Number(exponent);
  if (Math.abs(shift) > MAX_EXPONENT) return null;
  const places = Math.max(0, fraction.length - shift);
  const shown = fraction.replace(/(?<!0)0+$/, '');
  if (shown.length - shift > PLACES) return null;
  const zeros = PLACES + shift - shown.length;
  return { value: BigInt(digits + shown) * 10n ** BigInt(zeros), places };
}

/** The exact product. */
export function multiply(a: Fixed, b: Fixed): Fixed {
  return divideEvenly(a * b, ONE);
}

/** The quotient; null for a divisor of zero. */
export function divide(a: Fixed, b: Fixed): Fixed | null {
  return b === 0n ? null : divideEvenly(a * ONE, b);
}

/** Rounds to a multiple of 10^-places, a half to the even one. */
export function round(value: Fixed, places: number): Fixed {
  if (places >= PLACES) return value;
  const step = 10n ** BigInt(PLACES - places);
  return divideEvenly(value, step) * step;
}

/** Divides and rounds to the nearest integer; a half goes to the even one. */
export function divideEvenly(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n !== divisor < 0n;
  const size = abs(dividend);
  const by = abs(divisor);
  const floor = size / by;
  const twice = (size % by) * 2n;
  const rounded = twice > by || (twice === by && floor % 2n === 1n) ? floor + 1n : floor;
  return isNegative ? -rounded : rounded;
}

/** The value without its sign. */
export function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** The digits of a value, without zeros at its end. */
export function shown(value: Fixed): string {
  const digits = String(abs(value)).padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/(?<!0)0+$/, '');
  const units = digits.slice(0, -PLACES);
  return `${value < 0n ? '-' : ''}${units}${fraction === '' ? '' : `.${fraction}`}`;
}
