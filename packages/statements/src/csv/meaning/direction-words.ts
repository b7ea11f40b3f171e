import type { StatementProblem } from '../../statement/statement-error.ts';
import type { Direction } from '../../words/meanings.ts';

/** Rows that show how a column of words and the signs of the amounts go together. */
export interface Words {
  readonly column: number;
  /** The first word that is not known. */
  unknown: Pick<StatementProblem, 'line' | 'value'> | null;
  blanks: number;
  in: number;
  out: number;
  agree: number;
  contradictions: number;
  /** The first row whose word contradicts the sign of its amount. */
  first: Pick<StatementProblem, 'line' | 'value'> & { amount: string };
}

/** Counts a word next to an amount with a sign of -1, 0 or 1. */
export function countWord(words: Words, direction: Direction, sign: number): void {
  if (direction > 0) words.in += 1;
  else words.out += 1;
  if (direction * sign > 0) words.agree += 1;
  if (direction * sign < 0) words.contradictions += 1;
}

/** Where one mark, such as `CR`, is the only word, a blank is its opposite. */
export function blankWord(words: Words): Direction | null {
  if (words.blanks === 0) return null;
  return words.in > 0 ? -1 : 1;
}
