import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { context, run } from './engine.ts';
import type { Steps } from './engine.ts';
import { rowAs } from './rows.ts';
import { text } from './table.ts';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './table.ts';

/** Where a transaction remembers the primary currency of a book. */
export const currencyKey = (bookId: number): string => `primary currency of ${bookId}`;

/** `books.primary_currency`, of a book whose currency is a record: see `book_settings`. */
export const primaryCurrencies: DerivedTable = {
  reads: ['primary_currency', 'first_currency'],
  begin: (bookId) => new CurrencyChanges(bookId),
};

class CurrencyChanges implements DerivedChanges {
  readonly #bookId: number;
  #currency: unknown;

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    this.#currency = after?.['primary_currency'] ?? before?.['first_currency'];
  }

  *noteSet(rows: Sql, sign: 1 | -1): Steps<void> {
    const found = yield* rowAs(
      { primary_currency: text, first_currency: text },
      sql`SELECT t.primary_currency, t.first_currency FROM (${rows}) t`,
    );
    if (found === undefined) return;
    if (sign > 0) this.note(null, found);
    else this.note(found, null);
  }

  *apply(): Steps<void> {
    if (this.#currency === undefined) return;
    yield* run(
      sql`UPDATE books SET primary_currency = ${this.#currency} WHERE id = ${this.#bookId}`,
    );
    (yield* context()).memory.delete(currencyKey(this.#bookId));
    this.#currency = undefined;
  }
}
