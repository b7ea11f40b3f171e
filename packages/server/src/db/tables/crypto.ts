import { bookTable, integer, nullable, serverTable, text, withDefault } from '../table.ts';
import type { Table } from '../table.ts';

const id = withDefault(integer);

/**
 * Balances of crypto assets that users enter. `quantity` is a decimal with 18 places, with a minus sign below zero.
 * `to_base` and the time of its price are null without a price.
 */
export const manualCryptoAccounts = bookTable('crypto_manual_accounts', {
  id,
  book_id: integer,
  name: text,
  display_name: nullable(text),
  institution_name: nullable(text),
  symbol: text,
  coingecko_id: text,
  quantity: text,
  to_base: nullable(integer),
  price_as_of: nullable(text),
  balance_as_of: text,
  created_by_name: text,
  created_at: text,
  updated_at: text,
});

/** Assets that users added to the built-in catalogue, for all books. */
export const cryptocurrencies = serverTable('cryptocurrencies', {
  id,
  coingecko_id: text,
  symbol: text,
  full_name: text,
  created_at: text,
});

/** The last known price of one unit of an asset: a number literal such as `65000.12` or `12e-9`. */
export const cryptocurrencyPrices = serverTable(
  'cryptocurrency_prices',
  { coingecko_id: text, currency: text, price: text, as_of: text },
  { key: ['coingecko_id', 'currency'] },
);

/** The records of a book about cryptocurrencies and manual crypto. A table comes after those that it refers to. */
export const cryptoRecords: readonly Table<'book'>[] = [manualCryptoAccounts];

/** The other tables about cryptocurrencies and manual crypto, which a move copies. */
export const cryptoTables: readonly Table<'server'>[] = [cryptocurrencies, cryptocurrencyPrices];
