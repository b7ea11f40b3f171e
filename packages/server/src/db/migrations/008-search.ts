import type { MigrationWords } from './words.ts';

/** The searched part of a column. Frozen, as the migration is; `searchedText` must give the same. */
const head = (column: string): string => `substr(${column}, 1, 300)`;

/** Rows of each index, and for each value of its first column, of its first two columns, and so on. */
const statistics = {
  transactions_by_payee: '1000000 1000000 100 2 1 1 1',
  transactions_by_notes: '100000 100000 2 1 1 1 1 1',
  transactions_to_sum: '1000000 1000000 100 1 1 1 1 1 1 1 1 1 1 1',
};

/**
 * The eighth schema: search, and sums by month, category and account.
 *
 * `transaction_texts` has the different payees and notes of a book. `transaction_sums` has the number and the sum of
 * listed rows; a sum has two parts, because it can leave the range of integers. Both are derived from `transactions`,
 * but an older node does not write them: `books.derived_version` is the version that they have. They are filled when
 * they are first read, because SQL cannot fold texts.
 *
 * The indexes of texts have what a search without other filters adds up, and no column that people change often: each
 * such change would write two entries of each index, in other pages than those of the row. The index of notes has the
 * payee, because a row that matches by both must count once.
 *
 * `transactions_to_sum` gets amounts, accounts and the import, which rarely change, and the order of lists; the status
 * is not in it. Its name and its condition stay, so an older node uses it. It has the columns of its condition, too:
 * otherwise SQLite reads rows to check them again.
 */
export function search(words: MigrationWords): string {
  const { integer, sortedText, flag, byBytes, endOfKeyedTable, plannerStatistics } = words;
  return `
CREATE TABLE transaction_texts (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  text ${sortedText} NOT NULL,
  folded ${sortedText} NOT NULL,
  is_payee ${flag} NOT NULL CHECK (is_payee IN (0, 1)),
  PRIMARY KEY (book_id, text)
)${endOfKeyedTable};
CREATE TABLE transaction_sums (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  month ${sortedText} NOT NULL,
  category_id ${integer} NOT NULL,
  manual_account_id ${integer} NOT NULL,
  plaid_account_id ${integer} NOT NULL,
  listed ${integer} NOT NULL,
  high ${integer} NOT NULL,
  low ${integer} NOT NULL,
  PRIMARY KEY (book_id, month, category_id, manual_account_id, plaid_account_id)
)${endOfKeyedTable};
ALTER TABLE books ADD COLUMN derived_version ${integer} NOT NULL DEFAULT 1;
UPDATE books SET derived_version = 0;
CREATE INDEX transactions_by_payee
  ON transactions (book_id, ${byBytes(head('payee'))}, date, id, listed, to_base);
CREATE INDEX transactions_by_notes
  ON transactions (book_id, ${byBytes(head('notes'))}, date, id, listed, to_base, ${byBytes(head('payee'))})
  WHERE ${head('notes')} IS NOT NULL;
DROP INDEX transactions_to_sum;
CREATE INDEX transactions_to_sum
  ON transactions (book_id, date, id, category_id, recurring_id, to_base, amount, manual_account_id, plaid_account_id,
    import_id, is_pending, is_split_parent, group_parent_id)
  WHERE is_pending = 0 AND is_split_parent = 0 AND group_parent_id IS NULL;
${plannerStatistics(statistics)}
`;
}
