import sql, { join } from 'sql-template-tag';
import { foldText } from '@coffer/core/fold';
import { piecesOf } from './blocks.ts';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './derived.ts';
import { run } from './engine.ts';
import type { Steps } from './engine.ts';

/**
 * How many characters of a payee and of notes are searched. An entry of an index of PostgreSQL has at most 2704 bytes,
 * a character has up to 4, and one index has both.
 */
export const searchedLength = 300;

/** Returns the expression for the searched text of a column, as it is in the indexes. */
export function searchedText(column: string): string {
  return `substr(${column}, 1, ${searchedLength})`;
}

/**
 * `transaction_texts`: the different payees and notes of a book, each with the form in which search compares it, and
 * whether it is, or was, a payee.
 *
 * A text stays when its last row is gone: every result comes from rows, so it is only read in vain.
 */
export const transactionTexts: DerivedTable = { begin: (bookId) => new TextChanges(bookId) };

/** Texts, and whether each is a payee. */
type Texts = Map<string, boolean>;

class TextChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #texts: Texts = new Map();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (after === null) return;
    const { payee, notes = null } = after as { payee: string; notes?: string | null };
    if (payee !== before?.['payee']) this.#texts.set(payee, true);
    if (notes === null || notes === before?.['notes'] || this.#texts.has(notes)) return;
    this.#texts.set(notes, false);
  }

  *apply(): Steps<void> {
    if (this.#texts.size === 0) return;
    const heads: Texts = new Map();
    for (const [text, isPayee] of this.#texts) {
      const head = headOf(text);
      heads.set(head, isPayee || heads.get(head) === true);
    }
    this.#texts.clear();
    yield* addTexts(this.#bookId, heads);
  }
}

/**
 * Adds texts that a book may already have. None is longer than {@link searchedLength}.
 *
 * In the order of the table they take a quarter less time: neighbours are in the same pages.
 */
export function* addTexts(bookId: number, texts: ReadonlyMap<string, boolean>): Steps<void> {
  const sorted = [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const piece of piecesOf(sorted)) {
    const values = piece.map(
      ([text, isPayee]) => sql`(${bookId}, ${text}, ${foldedText(text)}, ${Number(isPayee)})`,
    );
    yield* run(sql`
      INSERT INTO transaction_texts (book_id, text, folded, is_payee) VALUES ${join(values)}
      ON CONFLICT (book_id, text) DO UPDATE SET is_payee = 1
      WHERE transaction_texts.is_payee < excluded.is_payee`);
  }
}

/** Returns the column `folded` of a text. It begins with a space, so that a space precedes each of its words. */
export function foldedText(text: string): string {
  return ` ${foldText(text)}`;
}

/** Returns the searched characters of a text, as the database stores them. */
function headOf(text: string): string {
  const stored = text.toWellFormed();
  if (stored.length <= searchedLength) return stored;
  // A character beyond U+FFFF has two UTF-16 units.
  return [...stored.slice(0, 2 * searchedLength)].slice(0, searchedLength).join('');
}
