import { isCurrencyCode } from '@coffer/contract/currencies';
import { maxAccountNameLength, maxCategoryNameLength } from '@coffer/contract/limits';
import sql from 'sql-template-tag';
import type { ImportEntry } from '../records/import.ts';
import type { ImportProblems } from '../records/import-problems.ts';
import { row, rows } from './engine.ts';
import type { Operation } from './engine.ts';

/** A manual account that entries of the file go to. */
export interface ImportAccount {
  readonly id: number;
  readonly currency: string;
  /** False for an account that this import made: it can hold no earlier rows. */
  readonly isEarlier: boolean;
}

/**
 * Finds the accounts and categories that a file names, and makes the missing ones.
 *
 * Names are compared without regard to letter case and to blanks around them.
 */
export class ImportNames {
  readonly #bookId: number;
  readonly #primaryCurrency: string;
  readonly #nowIso: string;
  readonly #problems: ImportProblems;
  readonly #accounts = new Map<string, ImportAccount>();
  readonly #categories = new Map<string, { id: number; isGroup: boolean }>();
  #loaded = false;
  accountsCreated = 0;
  categoriesCreated = 0;

  constructor(
    book: { id: number; primaryCurrency: string },
    nowIso: string,
    problems: ImportProblems,
  ) {
    this.#bookId = book.id;
    this.#primaryCurrency = book.primaryCurrency;
    this.#nowIso = nowIso;
    this.#problems = problems;
  }

  /** The account of that name, or null when no account is named or the name cannot be taken. */
  *account(name: string | null, entry: ImportEntry): Operation<ImportAccount | null> {
    if (name === null) return null;
    if (!this.#loaded) yield* this.#load();
    const key = nameKey(name);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const tooLong = isTooLong(name, maxAccountNameLength);
    if (tooLong !== null) {
      this.#problems.add({ line: entry.line, column: 'account', value: name, reason: tooLong });
      return null;
    }
    const made = yield* this.#makeAccount(name.trim(), entry);
    this.#accounts.set(key, made);
    return made;
  }

  /** The id of the category of that name, or null when none is named or the name cannot be taken. */
  *category(name: string | null, entry: ImportEntry): Operation<number | null> {
    if (name === null) return null;
    if (!this.#loaded) yield* this.#load();
    const key = nameKey(name);
    const known = this.#categories.get(key) ?? (yield* this.#tryMakeCategory(name.trim(), entry));
    if (known === null) return null;
    this.#categories.set(key, known);
    if (!known.isGroup) return known.id;
    this.#problems.add({
      line: entry.line,
      column: 'category',
      value: name,
      reason: 'is the name of a category group, and a transaction needs a category',
    });
    return null;
  }

  *#load(): Operation<void> {
    const accounts = yield* rows<{
      id: number;
      name: string;
      display_name: string | null;
      currency: string;
    }>(
      sql`SELECT id, name, display_name, currency FROM manual_accounts
        WHERE book_id = ${this.#bookId} ORDER BY id DESC`,
    );
    for (const { id, name, display_name, currency } of accounts) {
      this.#accounts.set(nameKey(name), { id, currency, isEarlier: true });
      if (display_name !== null) {
        this.#accounts.set(nameKey(display_name), { id, currency, isEarlier: true });
      }
    }
    const categories = yield* rows<{ id: number; name: string; is_group: number }>(
      sql`SELECT id, name, is_group FROM categories WHERE book_id = ${this.#bookId} ORDER BY id DESC`,
    );
    for (const { id, name, is_group } of categories) {
      this.#categories.set(nameKey(name), { id, isGroup: is_group === 1 });
    }
    this.#loaded = true;
  }

  *#makeAccount(name: string, entry: ImportEntry): Operation<ImportAccount> {
    const currency = entry.currency ?? this.#primaryCurrency;
    const known = isCurrencyCode(currency) ? currency : this.#primaryCurrency;
    const made = yield* row<{ id: number }>(sql`
      INSERT INTO manual_accounts
        (book_id, name, type, currency, balance, balance_as_of, created_by_name, created_at, updated_at)
      VALUES (${this.#bookId}, ${name}, 'cash', ${known}, 0, ${this.#nowIso},
        (SELECT u.name FROM books b JOIN users u ON u.id = b.user_id WHERE b.id = ${this.#bookId}),
        ${this.#nowIso}, ${this.#nowIso})
      RETURNING id`);
    this.accountsCreated += 1;
    return { id: made?.id ?? 0, currency: known, isEarlier: false };
  }

  *#tryMakeCategory(
    name: string,
    entry: ImportEntry,
  ): Operation<{ id: number; isGroup: boolean } | null> {
    const tooLong = isTooLong(name, maxCategoryNameLength);
    if (tooLong !== null) {
      this.#problems.add({ line: entry.line, column: 'category', value: name, reason: tooLong });
      return null;
    }
    const made = yield* row<{ id: number }>(sql`
      INSERT INTO categories (book_id, name, created_at, updated_at)
      VALUES (${this.#bookId}, ${name}, ${this.#nowIso}, ${this.#nowIso}) RETURNING id`);
    this.categoriesCreated += 1;
    return { id: made?.id ?? 0, isGroup: false };
  }
}

function isTooLong(name: string, maxLength: number): string | null {
  const { length } = [...name.trim()];
  return length <= maxLength ? null : `is ${length} characters long; ${maxLength} are allowed`;
}

function nameKey(name: string): string {
  return name.trim().toLowerCase();
}
