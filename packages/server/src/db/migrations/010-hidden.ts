import type { MigrationWords } from './words.ts';

/**
 * The tenth schema: the counts of the rows that plain lists hide, so that a page of a list that shows them is found at
 * any depth.
 *
 * `hidden_counts` has the number of hidden rows in each month and on each day of a book, by their kind: 1 pending, 2
 * split parent, 4 group member, or the sum of those that hold. Listed rows are in `transaction_counts`. An older node
 * does not write it: `books.hidden_counts_version` is the version that it has. Until it is filled, such lists are read
 * without counts.
 */
export function hidden({ integer, sortedText, endOfKeyedTable }: MigrationWords): string {
  return `
CREATE TABLE hidden_counts (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  granularity ${sortedText} NOT NULL CHECK (granularity IN ('month', 'day')),
  period ${sortedText} NOT NULL,
  kind ${integer} NOT NULL CHECK (kind BETWEEN 1 AND 7),
  number ${integer} NOT NULL CHECK (number > 0),
  PRIMARY KEY (book_id, granularity, period, kind)
)${endOfKeyedTable};
ALTER TABLE books ADD COLUMN hidden_counts_version ${integer} NOT NULL DEFAULT 1;
UPDATE books SET hidden_counts_version = 0;
`;
}
