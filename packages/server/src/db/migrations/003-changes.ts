import type { MigrationWords } from './words.ts';

/** Tables with the columns `book_id` and `updated_at`. */
const timedTables = [
  'transactions',
  'categories',
  'tags',
  'manual_accounts',
  'crypto_synced_accounts',
];

const latestOf = (table: string): string =>
  `SELECT book_id, max(updated_at) FROM ${table} GROUP BY book_id`;

/**
 * The third schema: the change log of each book, the identity of the database, and leases.
 *
 * `changed_at` starts at the latest time in the book, so that every later change gets a later time. A row of
 * `changed_records` covers the ids from `first_id` to `last_id`; `diff` is JSON, or NULL for created records. The id of
 * the database is part of what clients keep, such as ETags, so a copy in another place gets another id. PostgreSQL also
 * stores a fingerprint of the place, from the first time when the database is opened.
 */
export function changes(words: MigrationWords): string {
  const { integer, text, sortedText, endOfKeyedTable } = words;
  return `
ALTER TABLE books ADD COLUMN changed_at ${sortedText} NOT NULL DEFAULT '1970-01-01T00:00:00.000Z';
UPDATE books SET changed_at = latest.at FROM (
  SELECT book_id, max(at) AS at FROM (
    SELECT id AS book_id, created_at AS at FROM books
    UNION ALL ${timedTables.map(latestOf).join('\n    UNION ALL ')}
  ) times GROUP BY book_id
) latest WHERE latest.book_id = books.id;

CREATE TABLE changes (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  version ${integer} NOT NULL,
  at ${sortedText} NOT NULL,
  actor ${text} NOT NULL,
  operation ${text} NOT NULL,
  undoes ${integer},
  PRIMARY KEY (book_id, version)
)${endOfKeyedTable};

CREATE TABLE changed_records (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  version ${integer} NOT NULL,
  place ${integer} NOT NULL,
  record ${sortedText} NOT NULL,
  first_id ${integer} NOT NULL,
  last_id ${integer} NOT NULL,
  kind ${sortedText} NOT NULL CHECK (kind IN ('made', 'changed', 'removed')),
  diff ${text},
  PRIMARY KEY (book_id, version, place)
)${endOfKeyedTable};
CREATE INDEX changed_records_by_record ON changed_records (book_id, record, first_id, version);

CREATE TABLE database_identity (
  name ${sortedText} PRIMARY KEY,
  value ${text} NOT NULL
)${endOfKeyedTable};
INSERT INTO database_identity (name, value) VALUES ('id', ${words.randomId});

CREATE TABLE leases (
  name ${sortedText} PRIMARY KEY,
  holder ${text} NOT NULL,
  expires_at_ms ${integer} NOT NULL,
  number ${integer} NOT NULL
)${endOfKeyedTable};
`;
}
