import sql, { join } from 'sql-template-tag';
import { foldText } from '@coffer/core/fold';
import { blocksOf, padded } from './blocks.ts';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './derived.ts';
import { run } from './engine.ts';
import type { Steps } from './engine.ts';

/**
 * How many characters of a payee and of notes are searched. An entry of an index of PostgreSQL has at most 2704 bytes,
 * and a character has up to 4.
 */
export const searchedLength = 500;

/** Returns the expression for the searched text of a column, as it is in the indexes. */
export function searchedText(column: string): string {
  return `substr(${column}, 1, ${searchedLength})`;
}

/** The columns of `transaction_texts` that have a transaction's texts. */
const columns = ['payee', 'notes'] as const;

/**
 * `transaction_texts`: the different payees and notes of a book, each with the form in which search compares it.
 *
 * A text stays when its last row is gone: every result comes from rows, so it is only read in vain.
 */
export const transactionTexts: DerivedTable = { begin: (bookId) => new TextChanges(bookId) };

class TextChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #texts = new Set<string>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    for (const column of columns) {
      const text = after?.[column] as string | null | undefined;
      if (text === null || text === undefined || text === before?.[column]) continue;
      this.#texts.add(text);
    }
  }

  *apply(): Steps<void> {
    if (this.#texts.size === 0) return;
    const texts = [...new Set([...this.#texts].map(headOf))];
    this.#texts.clear();
    yield* addTexts(this.#bookId, texts);
  }
}

/** Adds texts that a book may already have. None is longer than {@link searchedLength}. */
export function* addTexts(bookId: number, texts: readonly string[]): Steps<void> {
  for (const block of blocksOf(texts)) {
    const values = padded(block, block[0]!).map(
      (text) => sql`(${bookId}, ${text}, ${foldedText(text)})`,
    );
    yield* run(sql`
      INSERT INTO transaction_texts (book_id, text, folded) VALUES ${join(values)}
      ON CONFLICT (book_id, text) DO NOTHING`);
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
