import type { MigrationWords } from '../words.ts';

/** The responses to requests with an Idempotency-Key. Rows are kept for a day. */
export function idempotency(words: MigrationWords): string {
  const { integer, text, sortedText, endOfKeyedTable } = words;
  return `
CREATE TABLE idempotency_keys (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  token_id ${integer} NOT NULL,
  operation ${sortedText} NOT NULL,
  request_key ${sortedText} NOT NULL,
  fingerprint ${text} NOT NULL,
  claim ${text},
  status ${integer},
  body ${text},
  expires_at_ms ${integer} NOT NULL,
  PRIMARY KEY (book_id, token_id, operation, request_key)
)${endOfKeyedTable};
`;
}
