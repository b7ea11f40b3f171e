import { Refusal } from '../statement/statement-error.ts';
import { currencyOf } from '../statement/currencies.ts';
import type { Decimal } from '../statement/statement.ts';

/** A quantity of a commodity; `''` is no commodity. */
export interface Quantity {
  readonly value: Fixed;
  readonly commodity: string;
  /** Decimals as written. */
  readonly places: number;
}

/** What a commodity was bought or sold for. */
export interface Price {
  /** Null: not written, as in `{}`. */
  readonly quantity: Quantity | null;
  /** For all of it, not for each unit. */
  readonly isTotal: boolean;
  /** Added to the total, as in `{5 # 9.95 USD}`. */
  readonly fee: Fixed;
}

/** The amount of a posting. */
export interface Amount {
  /** Null: not written. */
  readonly quantity: Quantity | null;
  /** The commodity of a quantity that is not written, if it is. */
  readonly commodity: string | null;
  /** In braces: what the lot was bought for. */
  readonly cost: Price | null;
  /** After `@`. */
  readonly price: Price | null;
  /** After `=`: the balance of the account. */
  readonly balance: Quantity | null;
  /** Whether the balance includes the accounts below it, as with `=*`. */
  readonly isInclusive: boolean;
}

/** The notation of amounts. */
export type Dialect = 'beancount' | 'ledger';

const CASH_PLACES = 4;
const MAX_DEPTH = 32;
const MAX_TEXT_LENGTH = 4096;
const GROUP = "['’ \\u00a0\\u2009\\u202f]";
const NUMBER = new RegExp(
  `(?:\\d{1,3}(?:${GROUP}\\d{3})+(?!\\d)(?:[.,]\\d*)?|[.,]?\\d[\\d.,]*)(?:[eE][-+]?\\d{1,2}(?![\\p{L}\\d]))?`,
  'uy',
);
const COMMODITIES: Readonly<Record<Dialect, RegExp>> = {
  beancount: /[A-Z][A-Z0-9'._-]*/y,
  ledger: /"[^"]*"|[^\s\d.,;:+\-*/^?!=<>[\](){}@"&|~#−][^\s\d.,;+\-*/^?!=<>[\](){}@"&|~#−]*/y,
};
const DATE = /\d{4}[-/.]\d{1,2}[-/.]\d{1,2}/y;

/** Parses the amount of a posting. Errors: Refusal with the reason if the text is not one. */
export function parseAmount(text: string, dialect: Dialect, marks: Marks, line: number): Amount {
  return new AmountParser(text, dialect, marks, line).parse();
}

/** A quantity whose parts are not put together yet. */
interface Term {
  readonly value: Fixed;
  readonly places: number;
  readonly commodity: string | null;
  /** Whether it is a sum, a product or a quotient. */
  readonly isComputed: boolean;
}

class AmountParser {
  readonly #text: string;
  readonly #dialect: Dialect;
  readonly #marks: Marks;
  readonly #line: number;
  #at = 0;
  #depth = 0;

  constructor(text: string, dialect: Dialect, marks: Marks, line: number) {
    if (text.length > MAX_TEXT_LENGTH) throw this.#fault();
    this.#text = text;
    this.#dialect = dialect;
    this.#marks = marks;
    this.#line = line;
  }

  parse(): Amount {
    let quantity: Quantity | null = null;
    let commodity: string | null = null;
    let cost: Price | null = null;
    let price: Price | null = null;
    let balance: Quantity | null = null;
    let isInclusive = false;
    if (!this.#sees(/[={@]|$/y)) {
      const isBare = this.#dialect === 'beancount' && this.#sees(/[A-Z]/y);
      if (isBare) commodity = this.#commodity();
      else quantity = this.#quantity();
    }
    for (;;) {
      if (this.#takes(/\{/y)) cost = this.#cost();
      else if (this.#takes(/\(@@\)|@@/y)) price = this.#price(true);
      else if (this.#takes(/\(@\)|@/y)) price = this.#price(false);
      else if (this.#sees(/=/y)) {
        isInclusive = this.#takes(/==?\*?/y)!.endsWith('*');
        balance = this.#quantity();
        this.#costOfBalance();
      } else if (!this.#takes(/\[[^\]]*\]|\([^()]*\)/y)) break; // the date and the note of a lot
    }
    if (!this.#sees(/$/y)) throw this.#fault();
    return { quantity, commodity, cost, price, balance, isInclusive };
  }

  /** hledger allows the cost of the asserted lot, which is no part of the posting. */
  #costOfBalance(): void {
    if (this.#takes(/\{/y)) this.#cost();
    if (this.#takes(/@@?/y)) this.#price(true);
  }

  #cost(): Price {
    const isTotal = this.#takes(/\{/y) !== null;
    this.#takes(/=/y);
    let quantity: Quantity | null = null;
    let fee = 0n;
    while (!this.#takes(isTotal ? /\}\}/y : /\}/y)) {
      if (this.#takes(/,|\*|"[^"]*"/y) || this.#takes(DATE)) continue;
      if (this.#takes(/#/y)) {
        const added = this.#quantity();
        fee = added.value;
        quantity ??= { ...added, value: 0n };
        if (quantity.commodity === '') quantity = { ...quantity, commodity: added.commodity };
      } else if (quantity === null) quantity = this.#quantity();
      else throw this.#fault();
    }
    return { quantity, isTotal, fee };
  }

  #price(isTotal: boolean): Price {
    const isMissing = this.#dialect === 'beancount' && this.#sees(/[A-Z]|$/y);
    if (isMissing) this.#commodity();
    return { quantity: isMissing ? null : this.#quantity(), isTotal, fee: 0n };
  }

  #quantity(): Quantity {
    const term = this.#dialect === 'beancount' ? this.#sum() : this.#term();
    const commodity = term.commodity ?? this.#commodity() ?? '';
    const isCash = commodity === '' || currencyOf(commodity) !== null;
    // What is computed may have any number of decimals; cash has four.
    const value = term.isComputed && isCash ? round(term.value, CASH_PLACES) : term.value;
    return { value, commodity, places: term.places };
  }

  #sum(): Term {
    let left = this.#product();
    for (;;) {
      const sign = this.#takes(/[-+]/y);
      if (sign === null) return left;
      const right = this.#product();
      const value = sign === '+' ? left.value + right.value : left.value - right.value;
      left = { value, ...this.#shared(left, right) };
    }
  }

  #product(): Term {
    let left = this.#term();
    for (;;) {
      const sign = this.#takes(/[*/]/y);
      if (sign === null) return left;
      const right = this.#term();
      const value =
        sign === '*' ? multiply(left.value, right.value) : divide(left.value, right.value);
      if (value === null) throw new Refusal('Division by zero');
      left = { value, ...this.#shared(left, right) };
    }
  }

  #shared(left: Term, right: Term): Omit<Term, 'value'> {
    const commodity = left.commodity ?? right.commodity;
    const isMixed = right.commodity !== null && right.commodity !== commodity;
    if (isMixed) throw new Refusal('Expression has several commodities');
    return { commodity, places: Math.max(left.places, right.places), isComputed: true };
  }

  /** A number with its commodity before or after, or an expression in parentheses. */
  #term(): Term {
    let isNegative = this.#isNegative();
    const before = this.#dialect === 'ledger' ? this.#commodity() : null;
    if (this.#isNegative()) isNegative = !isNegative;
    const inner = this.#takes(/\(/y) === null ? this.#number(before) : this.#group(before);
    return isNegative ? { ...inner, value: -inner.value } : inner;
  }

  #group(before: string | null): Term {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new Refusal(`More than ${MAX_DEPTH} nested parentheses`);
    const inner = this.#sum();
    if (this.#takes(/\)/y) === null) throw this.#fault();
    this.#depth -= 1;
    const own = before ?? inner.commodity;
    const after = own === null && this.#dialect === 'ledger' ? this.#commodity() : null;
    return { ...inner, commodity: own ?? after };
  }

  #number(before: string | null): Term {
    const text = this.#takes(NUMBER);
    if (text === null) throw this.#fault();
    const after = before === null && this.#dialect === 'ledger' ? this.#commodity() : null;
    const size = this.#marks.read(text, before ?? after ?? '', this.#line);
    if (typeof size === 'string') throw new Refusal(size);
    const places = Math.min(size.places, PLACES);
    return { value: size.value, places, commodity: before ?? after, isComputed: false };
  }

  #isNegative(): boolean {
    let isNegative = false;
    for (let sign = this.#takes(/[-+−]/y); sign !== null; sign = this.#takes(/[-+−]/y)) {
      if (sign !== '+') isNegative = !isNegative;
    }
    return isNegative;
  }

  #commodity(): string | null {
    const text = this.#takes(COMMODITIES[this.#dialect]);
    return text?.startsWith('"') === true ? text.slice(1, -1) : text;
  }

  #sees(pattern: RegExp): boolean {
    this.#skipBlanks();
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #takes(pattern: RegExp): string | null {
    this.#skipBlanks();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #fault(): Refusal {
    return new Refusal('Not an amount');
  }
}

/** What a quantity is worth by its price; null if the price is not written. */
export function worth(
  quantity: Quantity,
  { quantity: price, isTotal, fee }: Price,
): Quantity | null {
  if (price === null) return null;
  const sign = quantity.value < 0n ? -1n : 1n;
  const size = isTotal ? abs(price.value) : multiply(abs(quantity.value), price.value);
  return { ...price, value: sign * (size + fee) };
}

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

/** 10^-places: one unit of the last decimal. */
export function unit(places: number): Fixed {
  return 10n ** BigInt(PLACES - places);
}

/** Rounds to a multiple of 10^-places, a half to the even one. */
export function round(value: Fixed, places: number): Fixed {
  if (places >= PLACES) return value;
  const step = unit(places);
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

const MAX_COMMODITIES = 10_000;

/** The decimal marks that the unambiguous amounts of a file show. */
export class MarkEvidence {
  readonly #byCommodity = new Map<string, Set<Decimal>>();
  readonly #ofFile = new Set<Decimal>();

  note(commodity: string, decimal: Decimal): void {
    let marks = this.#byCommodity.get(commodity);
    if (marks === undefined) {
      if (this.#byCommodity.size >= MAX_COMMODITIES) {
        throw new Refusal(`File has more than ${MAX_COMMODITIES} commodities`);
      }
      this.#byCommodity.set(commodity, (marks = new Set()));
    }
    marks.add(decimal);
    this.#ofFile.add(decimal);
  }

  /** The marks of a commodity, or else of the file. */
  of(commodity: string): ReadonlySet<Decimal> {
    return this.#byCommodity.get(commodity) ?? this.#ofFile;
  }
}

/** A number, or why it is none. */
type Reading = Size | string;

/**
 * Reads numbers with the decimal mark that is given, declared or shown by others.
 * `1,000` alone is one thousand and `1.000` is one, because this is how most people write them.
 */
export class Marks {
  readonly #given: Decimal | undefined;
  readonly #evidence: MarkEvidence;
  readonly #isSurvey: boolean;
  readonly #declared = new Map<string, Decimal>();
  #ofFile: Decimal | null = null;
  /** The first number such as `1,000`, if no other number of the file shows what its comma means. */
  firstUnclear: { readonly text: string; readonly line: number } | null = null;

  /** A survey adds to the evidence, and reads ambiguous numbers as it can. */
  constructor(given: Decimal | undefined, evidence: MarkEvidence, isSurvey: boolean) {
    this.#given = given;
    this.#evidence = evidence;
    this.#isSurvey = isSurvey;
  }

  /** Declares the mark of a commodity, or of all others if it is null. */
  declare(commodity: string | null, decimal: Decimal): void {
    if (commodity === null) this.#ofFile = decimal;
    else this.#declared.set(commodity, decimal);
  }

  /** Declares the mark that the format of a directive shows, such as `1.000,00`. */
  declareLike(commodity: string, text: string): void {
    const point = parseSize(text, 'point');
    const comma = parseSize(text, 'comma');
    // `1,000.` and `1000.00` have one mark only.
    if (point === null || comma === null) {
      if (point !== comma) this.declare(commodity, point === null ? 'comma' : 'point');
    } else if (/[.,]$/.test(text)) this.declare(commodity, text.endsWith(',') ? 'comma' : 'point');
  }

  read(text: string, commodity: string, line: number): Reading {
    const known = this.#given ?? this.#declared.get(commodity) ?? this.#ofFile;
    if (known !== null) return parseSize(text, known) ?? 'Not an amount';
    const point = parseSize(text, 'point');
    const comma = parseSize(text, 'comma');
    if (point === null && comma === null) return 'Not an amount';
    if (point === null || comma === null) {
      if (this.#isSurvey) this.#evidence.note(commodity, point === null ? 'comma' : 'point');
      return (point ?? comma)!;
    }
    return point.value === comma.value
      ? point
      : this.#choose(text, commodity, line, { point, comma });
  }

  #choose(
    text: string,
    commodity: string,
    line: number,
    sizes: Readonly<Record<Decimal, Size>>,
  ): Reading {
    const shown = this.#evidence.of(commodity);
    if (shown.size === 1) return sizes[[...shown][0]!];
    if (shown.size === 2) return 'Could be thousands or a fraction: specify the decimal sign';
    if (text.includes(',')) this.firstUnclear ??= { text, line };
    return sizes.point;
  }
}
