import type { MigrationWords } from '../words.ts';

/**
 * What the bytes of each attached file must be: their number and their SHA-256 in hexadecimal digits. Bytes under one
 * key never change, so neither does a row. An older node writes none; a job adds those that are missing.
 */
export function storedFiles({
  integer,
  text,
  sortedText,
  endOfKeyedTable,
}: MigrationWords): string {
  return `
CREATE TABLE stored_files (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  storage_key ${sortedText} NOT NULL,
  bytes ${integer} NOT NULL CHECK (bytes >= 0),
  sha256 ${text} NOT NULL CHECK (length(sha256) = 64),
  PRIMARY KEY (book_id, storage_key)
)${endOfKeyedTable};
`;
}
