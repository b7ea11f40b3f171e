import type { Steps } from '../../db/engine.ts';

/** The text of a transaction as its user wrote it, and its recurring item. */
export interface OwnText {
  readonly recurring_id: number | null;
  readonly payee: string;
  readonly notes: string | null;
  readonly category_id: number | null;
}

/** The columns of a transaction that depend on its recurring item. */
export interface ShownText {
  readonly payee: string;
  readonly notes: string | null;
  readonly category_id: number | null;
  readonly own_payee: string | null;
  readonly own_notes: string | null;
  readonly own_category_id: number | null;
}

/**
 * Returns the text columns of a transaction. With a recurring item, payee, notes and category are those of the item, and
 * the `own_` columns keep the transaction's own; without one the `own_` columns are null.
 */
export function* shownText(_bookId: number, own: OwnText): Steps<ShownText> {
  const { payee, notes, category_id } = own;
  return { payee, notes, category_id, own_payee: null, own_notes: null, own_category_id: null };
}

/** Returns the text columns of many transactions, in their order, as {@link shownText} does. */
export function* shownTexts(bookId: number, all: readonly OwnText[]): Steps<ShownText[]> {
  const texts: ShownText[] = [];
  for (const own of all) texts.push(yield* shownText(bookId, own));
  return texts;
}

/** Returns those of the ids that are recurring items of the book. */
export function* knownRecurringIds(
  _bookId: number,
  _ids: readonly number[],
): Steps<ReadonlySet<number>> {
  return new Set();
}
