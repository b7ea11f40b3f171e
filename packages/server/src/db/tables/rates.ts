import { primaryCurrencies } from '../derived-currency.ts';
import {
  anyDay,
  bookTable,
  checked,
  currency,
  integer,
  text,
  sortedText,
  sorted,
  oneOf,
  serverTable,
} from '../table.ts';
import type { Table } from '../table.ts';

/** What one euro is worth on a date: `per_eur` units of a currency, as an exact decimal without needless zeros. */
export const exchangeRates = serverTable(
  'exchange_rates',
  {
    currency: sortedText,
    date: sorted(anyDay),
    per_eur: text,
    /** Where the rate comes from: a file that was imported, or the URL of the server's settings. */
    source: oneOf('file', 'url'),
    read_at: text,
  },
  { noun: 'exchange rate', key: ['currency', 'date'] },
);

/**
 * New rates that not all books have been updated for; no row if there are none. `since` is the first date with a new
 * rate, and books up to `last_book_id` are done. `mark` changes when more rates arrive.
 */
export const rerates = serverTable(
  'rerates',
  { name: sortedText, since: text, last_book_id: integer, mark: integer },
  { key: ['name'] },
);

/**
 * The primary currency of a book that was changed when the book had amounts, as a record with a history. Other books
 * have none. The row of the book always has the same currency.
 */
export const bookSettings = bookTable(
  'book_settings',
  {
    book_id: integer,
    // Always 1, because a record has an integer in its key, and a book has one record.
    number: checked(integer, '@ = 1'),
    primary_currency: currency,
    /** The primary currency before the record was created. */
    first_currency: currency,
  },
  { noun: 'book settings', key: ['number'], derived: [primaryCurrencies] },
);

/** The records of a book about exchange rates of currencies. A table comes after those that it refers to. */
export const ratesRecords: readonly Table<'book'>[] = [bookSettings];

/** The other tables about exchange rates of currencies, which a move copies. */
export const ratesTables: readonly Table<'server'>[] = [exchangeRates, rerates];
