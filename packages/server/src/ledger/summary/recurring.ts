import type { Steps } from '../../db/engine.ts';
import { expectedOccurrences } from '../recurring/actions.ts';

/** A transaction that a recurring item expects. */
export interface ExpectedRecurring {
  /** Null for an item that shows the category of the transaction. */
  readonly categoryId: number | null;
  readonly isIncome: boolean;
  /** In ten-thousandths of the primary currency; money out is positive. */
  readonly toBase: number;
  /** Whether the transaction was found. */
  readonly isMatched: boolean;
}

/** Returns what the recurring items of a book expect in a range of dates, both inclusive. */
export function* expectedRecurring(
  bookId: number,
  from: string,
  to: string,
): Steps<readonly ExpectedRecurring[]> {
  const range = { start_date: from, end_date: to };
  const occurrences = yield* expectedOccurrences(bookId, range);
  return occurrences.map(({ item, isFound }) => ({
    categoryId: item.override_category_id,
    isIncome: item.amount < 0,
    toBase: item.to_base,
    isMatched: isFound,
  }));
}
