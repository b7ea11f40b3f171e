import type { MigrationWords } from '../words.ts';

/** Manual crypto accounts of books; the assets that users added, and the last known prices, of all books. */
export function crypto(words: MigrationWords): string {
  const { id, integer, text, sortedText, bookKey, serverKey } = words;
  const { endOfTable, endOfKeyedTable } = words;
  return `
CREATE TABLE crypto_manual_accounts (
  id ${id},
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  name ${text} NOT NULL,
  display_name ${text},
  institution_name ${text},
  symbol ${sortedText} NOT NULL,
  coingecko_id ${sortedText} NOT NULL,
  quantity ${text} NOT NULL,
  to_base ${integer},
  price_as_of ${sortedText},
  balance_as_of ${sortedText} NOT NULL,
  created_by_name ${text} NOT NULL,
  created_at ${sortedText} NOT NULL,
  updated_at ${sortedText} NOT NULL,
  ${bookKey},
  CHECK ((to_base IS NULL) = (price_as_of IS NULL))
)${endOfTable};

CREATE TABLE cryptocurrencies (
  id ${id},
  coingecko_id ${sortedText} NOT NULL UNIQUE,
  symbol ${sortedText} NOT NULL UNIQUE,
  full_name ${text} NOT NULL,
  created_at ${sortedText} NOT NULL,
  ${serverKey}
)${endOfTable};

CREATE TABLE cryptocurrency_prices (
  coingecko_id ${sortedText} NOT NULL,
  currency ${sortedText} NOT NULL,
  price ${text} NOT NULL,
  as_of ${sortedText} NOT NULL,
  PRIMARY KEY (coingecko_id, currency)
)${endOfKeyedTable};
`;
}
