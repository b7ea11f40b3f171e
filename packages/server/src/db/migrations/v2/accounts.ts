import type { MigrationWords } from '../words.ts';

/** The balance of each account in the primary currency of its book, at the latest known rate; 0 without a rate. */
export function accounts({ integer }: MigrationWords): string {
  return `
ALTER TABLE manual_accounts ADD COLUMN to_base ${integer} NOT NULL DEFAULT 0;
ALTER TABLE plaid_accounts ADD COLUMN to_base ${integer} NOT NULL DEFAULT 0;
UPDATE manual_accounts SET to_base = balance
  WHERE currency = (SELECT primary_currency FROM books WHERE books.id = manual_accounts.book_id);
UPDATE plaid_accounts SET to_base = balance
  WHERE currency = (SELECT primary_currency FROM books WHERE books.id = plaid_accounts.book_id);
`;
}
