import { anyDay, integer, text, sortedText, sorted, oneOf, serverTable } from '../table.ts';
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

/** The records of a book about exchange rates of currencies. A table comes after those that it refers to. */
export const ratesRecords: readonly Table<'book'>[] = [];

/** The other tables about exchange rates of currencies, which a move copies. */
export const ratesTables: readonly Table<'server'>[] = [exchangeRates, rerates];
