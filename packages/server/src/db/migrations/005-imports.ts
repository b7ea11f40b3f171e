import type { MigrationWords } from './words.ts';

/**
 * The fifth schema: where imported transactions come from, which accounts of banks are which accounts of a book, and
 * how files are read.
 *
 * A transaction has the import that created it, and thereby a format; `import_forms` are the other forms in which files
 * had it. A preview is an import that has not happened yet: it has the id of the import, the bytes of the file in
 * blocks, and a row for each row of the file, with its place among all rows and among those with its verdict.
 * `account_numbers` has hashes instead of numbers. Their key is in `database_identity`.
 */
export function imports(words: MigrationWords): string {
  const { id, bookKey, integer, text, sortedText, flag, randomId } = words;
  const { endOfTable, endOfKeyedTable } = words;
  return `
CREATE TABLE imports (
  id ${id},
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  version ${integer},
  undone_version ${integer},
  format ${text},
  at ${sortedText} NOT NULL,
  actor ${text} NOT NULL,
  file_name ${text},
  file_hash ${text},
  first_date ${text},
  last_date ${text},
  imported ${integer} NOT NULL DEFAULT 0,
  known ${integer} NOT NULL DEFAULT 0,
  replaced ${integer} NOT NULL DEFAULT 0,
  doubtful ${integer} NOT NULL DEFAULT 0,
  skipped ${integer} NOT NULL DEFAULT 0,
  left_out ${integer} NOT NULL DEFAULT 0,
  accounts_created ${integer} NOT NULL DEFAULT 0,
  categories_created ${integer} NOT NULL DEFAULT 0,
  tags_created ${integer} NOT NULL DEFAULT 0,
  is_preview ${flag} NOT NULL DEFAULT 0 CHECK (is_preview IN (0, 1)),
  ${bookKey}
)${endOfTable};

${previews(words)}
ALTER TABLE transactions ADD COLUMN import_id ${integer};

CREATE TABLE import_forms (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  transaction_id ${integer} NOT NULL,
  version ${integer} NOT NULL,
  format ${sortedText},
  date ${sortedText} NOT NULL,
  amount ${integer} NOT NULL,
  payee ${text} NOT NULL,
  external_id ${sortedText},
  is_pending ${flag} NOT NULL CHECK (is_pending IN (0, 1)),
  PRIMARY KEY (book_id, transaction_id, version)
)${endOfKeyedTable};
CREATE INDEX import_forms_by_external_id
  ON import_forms (book_id, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE account_numbers (
  id ${id},
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  manual_account_id ${integer} NOT NULL,
  number_hash ${sortedText} NOT NULL,
  ${bookKey},
  UNIQUE (book_id, number_hash)
)${endOfTable};

CREATE TABLE import_settings (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  shape ${sortedText} NOT NULL,
  format ${text} NOT NULL,
  settings ${text} NOT NULL,
  updated_at ${text} NOT NULL,
  PRIMARY KEY (book_id, shape)
)${endOfKeyedTable};
INSERT INTO database_identity (name, value) VALUES ('account_numbers', ${randomId});
`;
}

function previews(words: MigrationWords): string {
  const { integer, text, sortedText, bytes, endOfTable, endOfKeyedTable } = words;
  return `CREATE TABLE import_previews (
  book_id ${integer} NOT NULL,
  import_id ${integer} NOT NULL,
  status ${text} NOT NULL CHECK (status IN ('reading', 'ready', 'failed', 'committing')),
  expires_at_ms ${integer} NOT NULL,
  worker_until_ms ${integer} NOT NULL,
  bytes ${integer} NOT NULL,
  options ${text} NOT NULL,
  entry_count ${integer} NOT NULL DEFAULT 0,
  report ${text} NOT NULL DEFAULT '{}',
  PRIMARY KEY (book_id, import_id),
  FOREIGN KEY (book_id, import_id) REFERENCES imports (book_id, id) ON DELETE CASCADE
)${endOfKeyedTable};

CREATE TABLE import_preview_blocks (
  book_id ${integer} NOT NULL,
  import_id ${integer} NOT NULL,
  place ${integer} NOT NULL,
  content ${bytes} NOT NULL,
  PRIMARY KEY (book_id, import_id, place),
  FOREIGN KEY (book_id, import_id) REFERENCES imports (book_id, id) ON DELETE CASCADE
)${endOfTable};

CREATE TABLE import_preview_rows (
  book_id ${integer} NOT NULL,
  import_id ${integer} NOT NULL,
  place ${integer} NOT NULL,
  verdict ${sortedText} NOT NULL
    CHECK (verdict IN ('new', 'known', 'replaces', 'doubtful', 'bad')),
  nth ${integer} NOT NULL,
  number ${integer},
  known_id ${integer},
  content ${text} NOT NULL,
  PRIMARY KEY (book_id, import_id, place),
  UNIQUE (book_id, import_id, verdict, nth),
  FOREIGN KEY (book_id, import_id) REFERENCES imports (book_id, id) ON DELETE CASCADE
)${endOfKeyedTable};`;
}
