import { cardText } from '../words/meanings.ts';
import type { StatementWarning } from './statement.ts';

const TEXT =
  'The entries whose type or text says which way money went have the other sign: if money out is positive, use --negate';
/** One type may be an error of the bank. */
const MIN_TYPES = 2;

/** An amount of a file, and what else says which way the money went. */
interface SignedAmount {
  readonly line: number;
  readonly amount: number;
  readonly payee: string;
  /** The direction by the type of the entry: 1 for money in, −1 for money out, 0 if it says nothing. */
  readonly direction: number;
}

/**
 * Detects files in which money out is positive, as of some cards: the signs contradict the types of all entries, or the
 * texts of all payments to the card.
 */
export class SignCheck {
  #types = { agree: 0, turned: 0 };
  #texts = { agree: 0, turned: 0 };
  #positive = 0;
  #negative = 0;
  #line: number | null = null;

  add({ line, amount, payee, direction }: SignedAmount): void {
    if (amount > 0) this.#positive += 1;
    if (amount < 0) this.#negative += 1;
    const isTurned = [
      addTo(this.#types, direction * amount),
      addTo(this.#texts, cardText(payee) * amount),
    ].includes(true);
    if (isTurned) this.#line ??= line;
  }

  /** What the user should know of the signs. */
  get warnings(): StatementWarning[] {
    const { agree, turned } = this.#types;
    const isByTypes = turned >= MIN_TYPES;
    const isByTexts = this.#texts.turned > 0 && this.#texts.agree === 0;
    const isMostlyIn = this.#positive > this.#negative;
    const isTurned = agree === 0 && (isByTypes || (isByTexts && isMostlyIn));
    return isTurned ? [{ line: this.#line, text: TEXT }] : [];
  }
}

function addTo(found: { agree: number; turned: number }, product: number): boolean {
  if (product > 0) found.agree += 1;
  if (product < 0) found.turned += 1;
  return product < 0;
}
