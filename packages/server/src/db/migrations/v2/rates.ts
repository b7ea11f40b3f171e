import type { MigrationWords } from '../words.ts';

/** Tables for exchange rates of currencies. The key finds the last rate before a date. */
export function rates({ integer, text, sortedText, endOfKeyedTable }: MigrationWords): string {
  return `
CREATE TABLE exchange_rates (
  currency ${sortedText} NOT NULL,
  date ${sortedText} NOT NULL,
  per_eur ${text} NOT NULL,
  source ${text} NOT NULL CHECK (source IN ('file', 'url')),
  read_at ${text} NOT NULL,
  PRIMARY KEY (currency, date)
)${endOfKeyedTable};

CREATE TABLE rerates (
  name ${sortedText} PRIMARY KEY,
  since ${text} NOT NULL,
  last_book_id ${integer} NOT NULL,
  mark ${integer} NOT NULL
)${endOfKeyedTable};
`;
}
