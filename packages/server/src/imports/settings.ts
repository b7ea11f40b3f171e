import { nameKey } from '@coffer/core/text';
import { deleteUnlogged, insertUnlessTaken, updateUnlogged } from '../book/unlogged.ts';
import { now } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import { importSettings } from '../db/tables/tables.ts';

/** What a user settled for files of a bank. Everything is optional: what is missing is detected. */
export interface ImportSettings {
  /** The column of each part of an entry, by name or number; empty for none. */
  readonly map?: Readonly<Record<string, string>>;
  readonly dateFormat?: 'y-m-d' | 'd/m/y' | 'm/d/y';
  readonly decimal?: 'point' | 'comma';
  /** Whether money out is positive in the files. */
  readonly negate?: boolean;
  /** Whether years that cannot be are imported as they are. Settles one import, and is not remembered. */
  readonly anyYear?: boolean;
  /** A WHATWG label. */
  readonly encoding?: string;
  /** The lower-case code for rows without a currency. */
  readonly currency?: string;
  /** The name of the account for rows without one; null to import them without an account. */
  readonly account?: string | null;
  /** Whether the user said that no column has the payee. */
  readonly isWithoutPayee?: boolean;
}

/** Returns what is remembered for files with this shape, or null. */
export function* importSettingsOf(bookId: number, shape: string): Steps<ImportSettings | null> {
  const row = yield* find(importSettings, { book_id: bookId, shape });
  return row === undefined ? null : (JSON.parse(row.settings) as ImportSettings);
}

/** Whether earlier files of an account had money out as positive amounts, as cards do. */
export function* importsAsCard(bookId: number, account: string): Steps<boolean> {
  const rows = yield* select(importSettings, { book_id: bookId });
  return rows.some((row) => {
    const { negate, account: own } = JSON.parse(row.settings) as ImportSettings;
    return negate === true && typeof own === 'string' && nameKey(own) === nameKey(account);
  });
}

/** Remembers settings for files with this shape instead of those before. */
export function* keepImportSettings(
  bookId: number,
  { shape, format }: { readonly shape: string; readonly format: string },
  settings: ImportSettings,
): Steps<void> {
  const values = { format, settings: JSON.stringify(settings), updated_at: yield* now() };
  const where = { book_id: bookId, shape };
  if ((yield* insertUnlessTaken(importSettings, { ...where, ...values })) === undefined)
    yield* updateUnlogged(importSettings, where, values);
}

/** Forgets the settings for a shape, or with null all settings of the book. Returns how many there were. */
export function* forgetImportSettings(bookId: number, shape: string | null): Steps<number> {
  const where = { book_id: bookId, ...(shape !== null && { shape }) };
  const { length } = yield* select(importSettings, where);
  yield* deleteUnlogged(importSettings, where);
  return length;
}
