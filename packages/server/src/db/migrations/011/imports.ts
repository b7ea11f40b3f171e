import type { MigrationWords } from '../words.ts';

/**
 * What files and banks had said of transactions that users changed or deleted, and the version of the texts of search.
 *
 * `import_origins` has no reference to transactions, because a row stays when its transaction is deleted. Texts are
 * folded in another way than before, so `transaction_texts` is filled again. An older node would still fold in the old
 * way: `books.texts_version` is the version of the texts that are folded in the new one.
 */
export function imports({
  integer,
  text,
  sortedText,
  flag,
  endOfKeyedTable,
}: MigrationWords): string {
  return `
CREATE TABLE import_origins (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  transaction_id ${integer} NOT NULL,
  manual_account_id ${integer},
  plaid_account_id ${integer},
  date ${sortedText} NOT NULL,
  amount ${integer} NOT NULL,
  currency ${sortedText} NOT NULL,
  payee ${text} NOT NULL,
  external_id ${sortedText},
  remote_id ${sortedText},
  import_id ${integer},
  is_pending ${flag} NOT NULL CHECK (is_pending IN (0, 1)),
  PRIMARY KEY (book_id, transaction_id)
)${endOfKeyedTable};
CREATE INDEX import_origins_by_date ON import_origins (book_id, date);
CREATE INDEX import_origins_by_external_id
  ON import_origins (book_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX import_origins_by_remote_id
  ON import_origins (book_id, plaid_account_id, remote_id) WHERE remote_id IS NOT NULL;
ALTER TABLE books ADD COLUMN texts_version ${integer} NOT NULL DEFAULT 1;
UPDATE books SET texts_version = 0;
`;
}
