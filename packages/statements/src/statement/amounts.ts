import { DECIMAL_SIGNS, type Decimal, type Entry, type StatementProblem } from './statement.ts';
import { formatAmount, parseAmount as parseExact } from '@coffer/core/money';
import { ARABIC_UNITS } from './currencies.ts';
import { withAsciiDigits } from '../words/vocabulary.ts';
import { shorten } from '@coffer/core/text';
import { MAX_SHOWN_LENGTH } from './statement-error.ts';

const MAX_AMOUNT_LENGTH = 64;
const NOT_AN_AMOUNT = 'Not an amount';
const TOO_PRECISE = 'More than 4 decimals';
/** Digits of a number that a program printed with all that it has. */
const NOISE_DIGITS = 15;
const TOO_LARGE = 'Outside ±900719925474.0991';

// Currency signs and abbreviations, in addition to the ISO 4217 codes that the runtime knows.
const CODES = Intl.supportedValuesOf('currency').join('|');
const UNITS =
  'kr. kr Kč zł Ft fr. fr sFr. sFr Rs. Rs руб. руб р. грн. грн лв. лв lei din TL RM Rp ש"ח 元 円 원 ' +
  'R$ US$ A$ AU$ C$ CA$ NZ$ HK$ S$ MX$ NT$';
const ARABIC = [...ARABIC_UNITS.keys()].map((unit) => `${unit.replace('.', '\\.')}\\.?`).join('|');
const KNOWN_UNITS = `${UNITS.replace(/[.$]/g, '\\$&').replaceAll(' ', '|')}|${ARABIC}`;
const UNIT = `${KNOWN_UNITS}|${CODES}|RUR|\\p{Sc}`;
const LEADING_UNIT = new RegExp(`^(?:${UNIT})(?!\\p{L})\\s*`, 'iu');
const TRAILING_UNIT = new RegExp(`(?<!\\p{L})(?:${UNIT})$`, 'iu');

// With a decimal point. Thousands are groups of three with the same separator: a comma, an apostrophe or a space.
const PLAIN = /^\d*(?:\.\d+)?$/;
const GROUPED_BY_LAKH = /^[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?$/;
const GROUPED = /^[1-9]\d{0,2}([,'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*(?:\.\d+)?$/;

/**
 * Parses an amount exactly, in ten-thousandths; null if the text is not an amount.
 * Accepts a sign before or after, also as `(-)` at the end, parentheses (negative), a trailing `CR` (positive) or `DR` (negative), one currency
 * sign or abbreviation on either side, and thousands in groups of three separated by `,` or `.` (whichever is not the
 * decimal sign), an apostrophe or a space, or grouped as in India (`12,34,567`). Bounds: four decimals, not counting
 * trailing zeros; ±(2^53 − 1).
 */
export function parseAmount(text: string, decimal: Decimal): number | null {
  const read = readAmount(text, decimal);
  return typeof read === 'number' ? read : null;
}

/** Like parseAmount, but returns the reason if the text is not an amount. */
function readAmount(text: string, decimal: Decimal): number | string {
  if (text.length > MAX_AMOUNT_LENGTH) return NOT_AN_AMOUNT;
  // Nearly every amount of nearly every file is a plain decimal.
  const plain = plainAmount(text, decimal === 'point' ? POINT : COMMA);
  if (plain !== null) return plain;
  const exact = parseExact(withPoint(text, decimal));
  if (exact !== null) return exact;
  const signed = unsign(asciiDigits(text, decimal));
  if (signed === null) return NOT_AN_AMOUNT;
  const size = readSize(withPoint(signed.body, decimal));
  return typeof size === 'number' && signed.isNegative ? negated(size) : size;
}

/** Parses an amount with any decimal sign, preferably a point; null if the text is none. */
export function amountIn(text: string): number | null {
  return parseAmount(text, 'point') ?? parseAmount(text, 'comma');
}

/** Whether a cell holds an amount with any decimal sign. */
export function looksLikeAmount(text: string): boolean {
  return amountIn(text) !== null;
}

/** Decimal signs, detected or given. */
export const AMOUNTS: Conventions<Decimal, number> = {
  all: DECIMAL_SIGNS,
  read: parseAmount,
  fault: (text) => {
    const faults = AMOUNTS.all.map((decimal) => readAmount(text, decimal));
    return String(faults.find((fault) => fault !== NOT_AN_AMOUNT) ?? NOT_AN_AMOUNT);
  },
  label: (decimal) => `decimal ${decimal}`,
  print: printAmount,
  advice: 'specify the decimal sign',
  option: 'decimal',
};

/** Changes the sign; never returns -0. */
export function negated(amount: number): number {
  return amount === 0 ? 0 : -amount;
}

/** Changes the sign of an entry and of its parts. */
export function negatedEntry(entry: Entry): Entry {
  const { amount, parts } = entry;
  if (parts === undefined) return { ...entry, amount: negated(amount) };
  const turned = parts.map((part) => ({ ...part, amount: negated(part.amount) }));
  return { ...entry, amount: negated(amount), parts: turned };
}

/** Formats ten-thousandths with a decimal point, without trailing zeros. */
function printAmount(amount: number): string {
  return formatAmount(amount).replace(/\.?0{1,4}$/, '');
}

const [MINUS, COMMA, POINT, ZERO] = [45, 44, 46, 48];
const MAX_PLAIN_LENGTH = 14;
const SCALES = [10_000, 1000, 100, 10, 1];

/** A short decimal without groups; null for any other text. */
function plainAmount(text: string, sign: number): number | null {
  const isNegative = text.charCodeAt(0) === MINUS;
  const begin = isNegative ? 1 : 0;
  if (text.length > MAX_PLAIN_LENGTH) return null;
  let digits = 0;
  let point = -1;
  for (let at = begin; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const digit = code - ZERO;
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit;
    else if (code === sign && point < 0 && at > begin) point = at;
    else return null;
  }
  const decimals = point < 0 ? 0 : text.length - point - 1;
  const scale = SCALES[decimals];
  if (text.length === begin || scale === undefined || (point >= 0 && decimals === 0)) return null;
  const size = digits * scale;
  return size > Number.MAX_SAFE_INTEGER ? null : isNegative ? negated(size) : size;
}

/** Exchanges point and comma where the comma is the decimal sign. */
function withPoint(text: string, decimal: Decimal): string {
  if (decimal === 'point') return text;
  return text.replace(/[.,]/g, (sign) => (sign === ',' ? '.' : ','));
}

/** Reads an amount without sign and unit. */
function readSize(body: string): number | string {
  const isSize = PLAIN.test(body) || GROUPED.test(body) || GROUPED_BY_LAKH.test(body);
  if (body === '' || !isSize) return NOT_AN_AMOUNT;
  const [units = '', fraction = ''] = body.replace(/[^\d.]/g, '').split('.');
  const whole = parseExact(`${units || '0'}.${fraction.slice(0, 4) || '0'}`) ?? TOO_LARGE;
  if (fraction.length <= 4 || !/[1-9]/.test(fraction.slice(4)) || typeof whole === 'string')
    return whole;
  if (units.replace(/^0+/, '').length + fraction.length < NOISE_DIGITS) return TOO_PRECISE;
  // The noise of binary fractions: `12.299999999999999` is 12.3.
  if (/^0{6}/.test(fraction.slice(4))) return whole;
  return /^9{6}/.test(fraction.slice(4)) ? whole + 1 : TOO_PRECISE;
}

/** Writes digits of any script as ASCII, and removes invisible characters. */
function asciiDigits(text: string, decimal: Decimal): string {
  const visible = text.replace(/[\p{Cf}]/gu, '').trim();
  if (/^[\x00-\x7f]*$/.test(visible)) return visible;
  return withAsciiDigits(visible)
    .replace(/[．，]/g, (sign) => sign.normalize('NFKC'))
    .replace(/٬/g, "'")
    .replace(/٫/g, decimal === 'point' ? '.' : ',');
}

/** Removes signs and units; null if there is more than one sign. */
function unsign(text: string): { body: string; isNegative: boolean } | null {
  const signs: string[] = [];
  let body = text.replace(/ ?\(([-+])\)$/, '$1');
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

/** The notations of one kind of value, such as the orders of a date, and their texts for messages. */
export interface Conventions<C extends string, V extends string | number> {
  /** Preferred first. */
  readonly all: readonly C[];
  /** Parses a text; null if it does not fit the convention. */
  readonly read: (text: string, convention: C) => V | null;
  /** Why a text fits no convention. */
  readonly fault: (text: string) => string;
  readonly label: (convention: C) => string;
  readonly print: (value: V) => string;
  /** What the user can do about an ambiguous column. */
  readonly advice: string;
  /** The option that decides it. */
  readonly option: 'dateFormat' | 'decimal';
}

interface Place {
  readonly text: string;
  readonly line: number;
  readonly column: string;
}

/**
 * Finds the convention that fits every value of a column.
 * Starts with all allowed conventions; each value removes those that do not fit it.
 */
export class ConventionFinder<C extends string, V extends string | number> {
  readonly #conventions: Conventions<C, V>;
  #possible: readonly C[];
  #decidedBy: Place | null = null;
  #ambiguous: Place | null = null;
  #lastText: string | null = null;
  #lastValue: V | null = null;

  /** With a convention `given`, values are only checked against it. */
  constructor(conventions: Conventions<C, V>, given: C | undefined) {
    this.#conventions = conventions;
    this.#possible = given === undefined ? conventions.all : [given];
  }

  /** The preferred of the remaining conventions. */
  get convention(): C {
    return this.#possible[0]!;
  }

  /** The conventions that fit every value so far, preferred first. */
  get possible(): readonly C[] {
    return this.#possible;
  }

  /** Whether only one convention is left. */
  get isDecided(): boolean {
    return this.#possible.length === 1;
  }

  /** Whether a valid value was added. */
  get hasValues(): boolean {
    return this.#lastText !== null || this.#decidedBy !== null;
  }

  /** The last valid value, as the preferred of the remaining conventions reads it. */
  get lastValue(): V | null {
    return this.#lastValue;
  }

  /** Chooses a convention for a column that fits several. */
  prefer(convention: C): void {
    if (this.#possible.includes(convention)) this.#possible = [convention];
  }

  /** Adds a value. Returns null if it fits one of the remaining conventions, else the reason why not. */
  note(text: string, line: number, column: string): string | null {
    if (text === this.#lastText) return null; // statements repeat dates, row after row
    const { read } = this.#conventions;
    if (this.#possible.length === 1) return this.#noteOnly(text);
    const fitting = this.#possible.filter((convention) => read(text, convention) !== null);
    if (fitting.length === 0) return this.#misfit(text);
    this.#lastText = text;
    this.#lastValue = read(text, fitting[0]!);
    if (fitting.length < this.#possible.length) {
      this.#decidedBy = { text, line, column };
      this.#possible = fitting;
    }
    if (fitting.length > 1 && this.#ambiguous === null) {
      const values = new Set(fitting.map((convention) => read(text, convention)));
      if (values.size > 1) this.#ambiguous = { text, line, column };
    }
    return null;
  }

  /** The first ambiguous value, unless another value decides it. */
  ambiguity(): StatementProblem | null {
    if (this.#possible.length < 2 || this.#ambiguous === null) return null;
    const { read, print, label, advice, option } = this.#conventions;
    const { text, line, column } = this.#ambiguous;
    const choices = this.#possible.map((convention) => ({
      label: `${print(read(text, convention)!)} (${label(convention)})`,
      options: { [option]: convention },
    }));
    const reason = `Could be ${choices.map((choice) => choice.label).join(' or ')}: ${advice}`;
    return { line, column, value: text, reason, choices };
  }

  #noteOnly(text: string): string | null {
    const value = this.#conventions.read(text, this.#possible[0]!);
    if (value === null) return this.#misfit(text);
    this.#lastText = text;
    this.#lastValue = value;
    return null;
  }

  #misfit(text: string): string {
    const { all, read, fault, label } = this.#conventions;
    const other = all.find((convention) => read(text, convention) !== null);
    if (other === undefined) return fault(text);
    const possible = this.#possible.map(label).join(' or ');
    if (this.#decidedBy === null) return `Fits ${label(other)}, but ${possible} is given`;
    const by = `"${shorten(this.#decidedBy.text, MAX_SHOWN_LENGTH)}" on line ${this.#decidedBy.line}`;
    return `Fits ${label(other)}, but ${by} fits only ${possible}`;
  }
}
