import { divideHalfToEven, formatAmount, maxAmount, parseAmount } from '@coffer/core/money';

/** How an amount is written. */
export interface MoneyFormat {
  /** A BCP 47 tag; empty for that of the browser. */
  readonly locale: string;
  /** Three letters in either case; codes that are not of a currency, such as those of crypto, are written behind. */
  readonly currency: string;
  /** Whether the currency is written too; true by default. */
  readonly hasCurrency?: boolean;
  /** For sums: no more digits than the currency usually has, rounded. */
  readonly isRounded?: boolean;
}

type DecimalText = `${number}`;

const formatters = new Map<string, Intl.NumberFormat>();
const currencyCode = /^[A-Z]{3}$/;

/**
 * Formats a decimal such as `-12.5000` by the locale, exactly: the digits never pass through a float.
 *
 * Digits that the currency usually lacks are shown only if they are not zeros.
 */
export function formatMoney(amount: string, format: MoneyFormat): string {
  const { locale, hasCurrency = true, isRounded = false } = format;
  const currency = format.currency.toUpperCase();
  const isKnown = currencyCode.test(currency);
  const code = isKnown && hasCurrency ? currency : '';
  const text = formatterOf(locale, code, isKnown, isRounded).format(exact(amount));
  return isKnown || !hasCurrency ? text : `${text} ${currency}`;
}

function formatterOf(
  locale: string,
  currency: string,
  hasCents: boolean,
  isRounded: boolean,
): Intl.NumberFormat {
  const key = `${locale} ${currency} ${hasCents} ${isRounded}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(locale === '' ? undefined : locale, {
    ...(currency !== '' && { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
    ...(currency === '' && { minimumFractionDigits: hasCents ? 2 : 0 }),
    ...(isRounded ? currency === '' && { maximumFractionDigits: 2 } : { maximumFractionDigits: 4 }),
  });
  formatters.set(key, made);
  return made;
}

/** A decimal text; zero has no sign. */
function exact(amount: string): DecimalText {
  return (/^-0*(\.0*)?$/.test(amount) ? '0' : amount) as DecimalText;
}

/** Returns the amount with the other sign. */
export function negate(amount: string): string {
  if (/^-?0*(\.0*)?$/.test(amount)) return amount.replace('-', '');
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

/** Returns the sum of decimals with four places. */
export function sumOf(amounts: readonly string[]): string {
  return formatAmount(amounts.reduce((sum, amount) => sum + unitsOf(amount), 0n));
}

/** The ten-thousandths of a decimal with up to four places, to calculate with; `formatAmount` is the way back. */
export function unitsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(4, '0').slice(0, 4));
}

/** The ten-thousandths of a number of the API, such as `to_base`. Numbers of JSON have at most four places there. */
export function unitsOfNumber(amount: number): bigint {
  return BigInt(Math.round(amount * 10_000));
}

/**
 * Returns a sum with the places that its currency usually has, half to even. Sums of converted amounts have more
 * places, which only distract.
 */
export function roundedSum(units: bigint, currency: string): string {
  const code = currency.toUpperCase();
  const places = currencyCode.test(code)
    ? (formatterOf('en', code, true, true).resolvedOptions().minimumFractionDigits ?? 2)
    : 2;
  const step = 10n ** BigInt(4 - Math.min(places, 4));
  return formatAmount(divideHalfToEven(units, step) * step);
}

const compact = new Map<string, Intl.NumberFormat>();

/** Formats whole units of a currency shortly, such as `€12K`, for the axes of charts; amounts are never shown so. */
export function formatCompact(amount: number, { locale, currency }: MoneyFormat): string {
  const code = currency.toUpperCase();
  const key = `${locale} ${code}`;
  const known = compact.get(key);
  const made =
    known ??
    new Intl.NumberFormat(locale === '' ? undefined : locale, {
      notation: 'compact',
      maximumFractionDigits: 1,
      ...(currencyCode.test(code) && {
        style: 'currency',
        currency: code,
        currencyDisplay: 'narrowSymbol',
        minimumFractionDigits: 0,
      }),
    });
  if (known === undefined) compact.set(key, made);
  return made.format(amount);
}

/** The decimal and the group separator of a locale. */
export function separatorsOf(locale: string): { readonly decimal: string; readonly group: string } {
  const format = new Intl.NumberFormat(locale === '' ? undefined : locale, { useGrouping: true });
  const parts = format.formatToParts(1_234_567.5);
  const find = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  return { decimal: find('decimal'), group: find('group') };
}

/**
 * Parses what a person typed, such as `1.234,50` in German, as a decimal with four places; also a calculation such as
 * `12.40+3` or `80/3`, whose result is rounded half to even.
 *
 * A point and a comma both work as the decimal separator when the other reading is impossible. Returns null for
 * anything that is not an amount, and for a result beyond the largest one.
 */
export function parseTypedAmount(text: string, locale: string): string | null {
  const { decimal, group } = separatorsOf(locale);
  const plain = text
    .replaceAll(/[\s\u00a0\u202f'’]/g, '')
    .replaceAll('\u2212', '-')
    .replaceAll(/[×·]/g, '*')
    .replaceAll('÷', '/');
  const unitsOfText = (number: string): number | null =>
    parseAmount(decimalOf(number, decimal, group).replace(/^\+/, ''));
  const units = calculated(plain, unitsOfText);
  return units === null || units > largest || units < -largest ? null : formatAmount(units);
}

const largest = BigInt(maxAmount);

/** An operator comes after a number; a sign belongs to the number after it. */
const operators = /(?<=[\d.,])([-+*/])/;

/** Calculates in ten-thousandths, products before sums. Returns null for what is no calculation. */
function calculated(text: string, unitsOfText: (number: string) => number | null): bigint | null {
  let [sum, product] = [0n, 0n];
  const parts = ['+', ...text.split(operators)];
  for (let at = 0; at < parts.length; at += 2) {
    const operator = parts[at];
    const units = unitsOfText(parts[at + 1] ?? '');
    if (units === null || (operator === '/' && units === 0)) return null;
    const value = BigInt(units);
    if (operator === '*') product = divideHalfToEven(product * value, oneUnit);
    else if (operator === '/') product = quotient(product * oneUnit, value);
    else [sum, product] = [sum + product, operator === '-' ? -value : value];
  }
  return sum + product;
}

const oneUnit = 10_000n;

function quotient(dividend: bigint, divisor: bigint): bigint {
  return divisor < 0n ? divideHalfToEven(-dividend, -divisor) : divideHalfToEven(dividend, divisor);
}

function decimalOf(text: string, decimal: string, group: string): string {
  const other = decimal === ',' ? '.' : ',';
  const grouped = other === '.' ? /^[-+]?\d{1,3}(?:\.\d{3})+$/ : /^[-+]?\d{1,3}(?:,\d{3})+$/;
  if (text.includes(decimal) || (group === other && grouped.test(text)))
    return text.replaceAll(other, '').replace(decimal, '.').replace(/\.$/, '');
  return text.replace(other, '.').replace(/\.$/, '');
}
