import type { MigrationWords } from '../words.ts';

/**
 * Tables for connections to banks.
 *
 * `remote_id` is the id of a record at the bank: of an account within its connection, of a transaction within its
 * account.
 */
export function sync(words: MigrationWords): string {
  const { id, bookKey, integer, text, sortedText, bytes, endOfTable, endOfKeyedTable } = words;
  return `
CREATE TABLE connections (
  id ${id},
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  provider ${text} NOT NULL,
  status ${text} NOT NULL CHECK (status IN ('active', 'relink', 'error')),
  name ${text} NOT NULL,
  sealed_credentials ${bytes} NOT NULL CHECK (length(sealed_credentials) > 0),
  created_by_name ${text} NOT NULL,
  created_at ${sortedText} NOT NULL,
  updated_at ${sortedText} NOT NULL,
  last_read ${text},
  problems ${text},
  ${bookKey}
)${endOfTable};

CREATE TABLE sync_requests (
  book_id ${integer} PRIMARY KEY REFERENCES books (id) ON DELETE CASCADE,
  requested_at_ms ${integer} NOT NULL,
  first_date ${text},
  last_date ${text},
  plaid_account_id ${integer},
  is_done ${integer} NOT NULL
)${endOfKeyedTable};

ALTER TABLE plaid_accounts ADD COLUMN connection_id ${integer};
ALTER TABLE plaid_accounts ADD COLUMN remote_id ${sortedText};
CREATE UNIQUE INDEX plaid_accounts_by_remote_id
  ON plaid_accounts (book_id, remote_id, connection_id) WHERE remote_id IS NOT NULL;
ALTER TABLE transactions ADD COLUMN remote_id ${sortedText};
CREATE UNIQUE INDEX transactions_by_remote_id
  ON transactions (book_id, remote_id, plaid_account_id) WHERE remote_id IS NOT NULL;
`;
}
