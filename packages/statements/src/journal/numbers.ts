import type { Decimal } from '../statement/statement.ts';
import { Refusal } from '../statement/statement-error.ts';

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
