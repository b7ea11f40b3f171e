import {
  integer,
  text,
  sortedText,
  id,
  nullable,
  unique,
  bookTable,
  serverTable,
  holding,
  anyAmount,
} from '../table.ts';
import type { Table } from '../table.ts';

/**
 * Balances of crypto assets that users enter. `quantity` is a decimal with 18 places, with a minus sign below zero.
 * `to_base` and the time of its price are null without a price.
 */
export const manualCryptoAccounts = bookTable(
  'crypto_manual_accounts',
  {
    id,
    book_id: integer,
    name: text,
    display_name: nullable(text),
    institution_name: nullable(text),
    symbol: sortedText,
    coingecko_id: sortedText,
    quantity: holding('quantity', text),
    to_base: nullable(anyAmount),
    price_as_of: nullable(sortedText),
    balance_as_of: sortedText,
    created_by_name: text,
    created_at: sortedText,
    updated_at: sortedText,
  },
  {
    noun: 'manual crypto account',
    checks: ['(to_base IS NULL) = (price_as_of IS NULL)'],
  },
);

/** Assets that users added to the built-in catalogue, for all books. */
export const cryptocurrencies = serverTable('cryptocurrencies', {
  id,
  coingecko_id: unique(sortedText),
  symbol: unique(sortedText),
  full_name: text,
  created_at: sortedText,
});

/** The last known price of one unit of an asset: a number literal such as `65000.12` or `12e-9`. */
export const cryptocurrencyPrices = serverTable(
  'cryptocurrency_prices',
  { coingecko_id: sortedText, currency: sortedText, price: text, as_of: sortedText },
  { key: ['coingecko_id', 'currency'] },
);

/** The records of a book about cryptocurrencies and manual crypto. A table comes after those that it refers to. */
export const cryptoRecords: readonly Table<'book'>[] = [manualCryptoAccounts];

/** The other tables about cryptocurrencies and manual crypto, which a move copies. */
export const cryptoTables: readonly Table<'server'>[] = [cryptocurrencies, cryptocurrencyPrices];
