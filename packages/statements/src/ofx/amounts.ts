import { AMOUNTS, parseAmount, type Decimal } from '../amounts.ts';
import type { ProblemList } from '../statement-error.ts';

const LONGEST_AMOUNT = 64;

/** An amount in ten-thousandths, or why it is none. */
export type AmountReading = number | string;

/**
 * Reads an amount exactly, in ten-thousandths. A single comma or point is the decimal sign, as OFX has it; where both
 * stand, the last one is, and the other parts groups of three; `decimal` settles it beforehand. Blanks do not count.
 * Edges: at most four decimals, zeros beyond them do not count; at most 2^53 − 1. Source: OFX 1.6, 3.2.9.2.
 */
export function readAmount(text: string, decimal: Decimal | undefined): AmountReading {
  if (text.length > LONGEST_AMOUNT) return 'Not an amount';
  const bare = text.replace(/\s/g, '');
  return parseAmount(bare, decimal ?? decimalOf(bare)) ?? AMOUNTS.fault(bare);
}

function decimalOf(text: string): Decimal {
  const comma = text.lastIndexOf(',');
  const point = text.lastIndexOf('.');
  const isComma = comma > point;
  // A sign that stands twice parts thousands: the decimal sign would be the other.
  const isRepeated = text.indexOf(isComma ? ',' : '.') < Math.max(comma, point);
  return isComma === isRepeated ? 'point' : 'comma';
}

/** Tells whether amounts of one file contradict each other: `1,234` is 1.234, unless `1,234.50` stands elsewhere. */
export class ThousandsDoubt {
  readonly #grouped = new Set<string>();
  readonly #doubtful = new Map<string, { readonly text: string; readonly line: number }>();

  /** Takes an amount into account that reads. */
  note(text: string, line: number): void {
    const signs = text.replace(/[^.,]/g, '');
    if (signs.length > 1) this.#grouped.add(signs[0]!);
    if (signs.length !== 1 || this.#doubtful.has(signs)) return;
    if (/^[-+\s]*[1-9]\d{0,2}[.,]\d{3}\s*$/.test(text)) this.#doubtful.set(signs, { text, line });
  }

  /** Reports an amount that the others make doubtful. */
  finish(problems: ProblemList): void {
    for (const sign of this.#grouped) {
      const doubtful = this.#doubtful.get(sign);
      if (doubtful === undefined) continue;
      const reason = `Could have decimals or thousands, which "${sign}" parts elsewhere: give the decimal sign`;
      problems.add(doubtful.line, '<TRNAMT>', doubtful.text, reason);
    }
  }
}
