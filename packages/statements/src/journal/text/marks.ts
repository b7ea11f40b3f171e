import type { Decimal } from '../../statement/amounts.ts';
import { Refusal } from '../../statement/statement-error.ts';
import { parseSize, type Size } from './decimals.ts';

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
 * `1,000` alone is one thousand and `1.000` is one, because this is how most people write them; `doubt` has the first
 * such number whose mark nothing in the file shows.
 */
export class Marks {
  readonly #given: Decimal | undefined;
  readonly #evidence: MarkEvidence;
  readonly #isSurvey: boolean;
  readonly #declared = new Map<string, Decimal>();
  #ofFile: Decimal | null = null;
  doubt: { readonly text: string; readonly line: number } | null = null;

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
    if (text.includes(',')) this.doubt ??= { text, line };
    return sizes.point;
  }
}
