import type { Conventions } from './convention.ts';

/** The sign between an amount's units and its fraction. */
export type Decimal = 'point' | 'comma';

const LONGEST_AMOUNT = 64;
const SCALE = 10_000;
const DECIMAL_SCALES = [SCALE, 1000, 100, 10, 1];
const NOT_AN_AMOUNT = 'Not an amount';

// Signs and abbreviations that stand beside amounts, besides the codes of ISO 4217 that the runtime knows.
const CODES = Intl.supportedValuesOf('currency').join('|');
const UNITS =
  'kr. kr Kč zł Ft fr. fr sFr. sFr Rs. Rs руб. р. лв. лв R$ US$ A$ AU$ C$ CA$ NZ$ HK$ S$';
const KNOWN_UNITS = UNITS.replace(/[.$]/g, '\\$&').replaceAll(' ', '|');
const UNIT = `${KNOWN_UNITS}|${CODES}|RUR|\\p{Sc}`;
const LEADING_UNIT = new RegExp(`^(?:${UNIT})(?!\\p{L})\\s*`, 'iu');
const TRAILING_UNIT = new RegExp(`(?<!\\p{L})(?:${UNIT})$`, 'iu');

const SIMPLE = {
  point: /^(-?)(\d{1,11})(?:\.(\d{1,4}))?$/,
  comma: /^(-?)(\d{1,11})(?:,(\d{1,4}))?$/,
};
const PLAIN = { point: plainPattern('\\.'), comma: plainPattern(',') };
const GROUPED = { point: groupedPattern('\\.', ','), comma: groupedPattern(',', '.') };

function plainPattern(decimal: string): RegExp {
  return new RegExp(`^(\\d*)(?:${decimal}(\\d+))?$`);
}

// Groups of three, all parted by the same sign: the other decimal sign, an apostrophe or a kind of blank.
function groupedPattern(decimal: string, other: string): RegExp {
  const separator = `[${other}'’ \\u00a0\\u2009\\u202f]`;
  return new RegExp(`^([1-9]\\d{0,2}(${separator})\\d{3}(?:\\2\\d{3})*)(?:${decimal}(\\d+))?$`);
}

/**
 * Reads an amount exactly, in ten-thousandths; null if the text is no amount.
 * Taken: a sign before or behind, parentheses (negative), `CR` (positive) or `DR` (negative) behind, one currency
 * sign or abbreviation on either side, thousands in groups of three parted by `,` or `.` (whichever is not the decimal
 * sign), an apostrophe or a blank. Edges: at most four decimals, zeros beyond them do not count; at most 2^53 − 1.
 */
export function parseAmount(text: string, decimal: Decimal): number | null {
  const read = readAmount(text, decimal);
  return typeof read === 'number' ? read : null;
}

/** As parseAmount, with the reason for what is no amount. */
function readAmount(text: string, decimal: Decimal): number | string {
  if (text.length > LONGEST_AMOUNT) return NOT_AN_AMOUNT;
  const simple = SIMPLE[decimal].exec(text); // nearly every amount of nearly every file
  if (simple !== null) {
    const amount = Number(simple[2]) * SCALE + fractionOf(simple[3] ?? '');
    return simple[1] === '-' ? negated(amount) : amount;
  }
  const signed = unsign(text.trim());
  if (signed === null) return NOT_AN_AMOUNT;
  const size = readSize(signed.body, decimal);
  return typeof size === 'number' && signed.isNegative ? negated(size) : size;
}

/** Decimal signs to be found out or given. */
export const AMOUNTS: Conventions<Decimal, number> = {
  all: ['point', 'comma'],
  read: parseAmount,
  fault: (text) => {
    const faults = AMOUNTS.all.map((decimal) => readAmount(text, decimal));
    return String(faults.find((fault) => fault !== NOT_AN_AMOUNT) ?? NOT_AN_AMOUNT);
  },
  label: (decimal) => `decimal ${decimal}`,
  print: printAmount,
  advice: 'give the decimal sign',
};

/** Turns money out into money in and back, without ever making a negative zero. */
export function negated(amount: number): number {
  return amount === 0 ? 0 : -amount;
}

/** Prints ten-thousandths with a decimal point, and with no more decimals than they need. */
function printAmount(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(5, '0');
  const [, fraction = ''] = /^(\d*?)0{0,4}$/.exec(digits.slice(-4)) ?? [];
  const point = fraction === '' ? '' : '.';
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -4)}${point}${fraction}`;
}

function readSize(body: string, decimal: Decimal): number | string {
  const plain = PLAIN[decimal].exec(body);
  if (plain !== null) return tenThousandths(plain[1]!, plain[2] ?? '');
  const grouped = GROUPED[decimal].exec(body);
  if (grouped !== null) return tenThousandths(grouped[1]!.replace(/\D/g, ''), grouped[3] ?? '');
  return NOT_AN_AMOUNT;
}

function tenThousandths(units: string, fraction: string): number | string {
  if (units === '' && fraction === '') return NOT_AN_AMOUNT;
  if (fraction.length > 4 && /[1-9]/.test(fraction.slice(4))) return 'More than 4 decimals';
  // Both terms are below 2^53 or round to at least 2^53: what passes the check is exact.
  const amount = Number(units) * SCALE + fractionOf(fraction);
  return amount > Number.MAX_SAFE_INTEGER ? 'Beyond ±900719925474.0991' : amount;
}

/** The first four decimals as ten-thousandths. */
function fractionOf(decimals: string): number {
  return Number(decimals.slice(0, 4)) * DECIMAL_SCALES[Math.min(decimals.length, 4)]!;
}

/** Takes signs and units off an amount; null if it bears more than one sign. */
function unsign(text: string): { body: string; isNegative: boolean } | null {
  const signs: string[] = [];
  let body = text;
  if (body.startsWith('(') && body.endsWith(')')) {
    signs.push('-');
    body = body.slice(1, -1).trim();
  }
  const mark = /(?<!\p{L})[CD]R$/iu.exec(body);
  if (mark !== null) {
    signs.push(mark[0].toUpperCase() === 'DR' ? '-' : '+');
    body = body.slice(0, mark.index).trim();
  }
  body = takeSign(body, signs).replace(LEADING_UNIT, '');
  body = takeSign(body, signs).replace(TRAILING_UNIT, '').trim();
  body = takeSign(body, signs);
  return signs.length > 1 ? null : { body, isNegative: signs[0] === '-' };
}

function takeSign(text: string, signs: string[]): string {
  const leading = /^([-+\u2212\u2013])\s*/.exec(text);
  const trailing = leading === null ? /([-+\u2212\u2013])$/.exec(text) : null;
  const sign = leading?.[1] ?? trailing?.[1];
  if (sign === undefined) return text;
  signs.push(sign === '+' ? '+' : '-');
  return leading === null
    ? text.slice(0, trailing!.index).trimEnd()
    : text.slice(leading[0].length);
}
