import { sqliteWords, transactionJson } from '../transaction-json.ts';

/**
 * Index statistics for SQLite's planner, the same in every database: the rows in the index, then the rows for each
 * value of its first column, of its first two columns, and so on.
 *
 * Without them the planner uses the date index instead of the index of a filter, and a rare filter reads a whole book.
 * Fixed figures give a small book and a large one the same plans (https://sqlite.org/fileformat2.html#stat1tab).
 */
const plannerStatistics = `
ANALYZE;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('transactions', 'transactions_by_date', '1000000 1000000 100 1 1'),
  ('transactions', 'transactions_by_manual_account', '1000000 1000000 50000 50 1 1'),
  ('transactions', 'transactions_by_category', '1000000 1000000 10000 10 1 1'),
  ('transactions', 'transactions_by_plaid_account', '1000000 1000000 50000 50 1 1'),
  ('transactions', 'transactions_by_recurring', '100000 100000 100 1 1 1'),
  ('transactions', 'transactions_by_external_id', '1000000 1000000 1 1'),
  ('transactions', 'transactions_by_split_parent', '10000 10000 3'),
  ('transactions', 'transactions_by_group_parent', '10000 10000 3'),
  ('transactions', 'transactions_pending', '100 100 10 1'),
  ('transactions', 'transactions_group_parents', '1000 1000 1 1');
ANALYZE sqlite_schema;
`;

const sources = ['api', 'csv', 'manual', 'merge', 'plaid', 'recurring', 'rule', 'split', 'user'];

/** `IN` with more than two values builds a table for every row to check: 3 µs, a third of the cost of a row. */
function oneOf(column: string, values: readonly string[]): string {
  return values.map((value) => `${column} = '${value}'`).join(' OR ');
}

/**
 * The first schema: users, books, tokens, and all records of a book that the API's transactions refer to.
 *
 * Times are ISO 8601 text in UTC with milliseconds, so that text order is time order. Amounts are integer
 * ten-thousandths within ±(2^53 - 1). `listed` marks the rows that a plain list shows and the counts include. The
 * `own_` columns keep the row's own values while those of a recurring item are shown instead.
 */
export const records = `
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  email TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX users_by_email ON users (lower(email));

CREATE TABLE books (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  primary_currency TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX books_by_user ON books (user_id);

CREATE TABLE access_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  book_id INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  label TEXT,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  expires_at TEXT,
  revoked_at TEXT
) STRICT;
CREATE INDEX access_tokens_by_book ON access_tokens (book_id);

CREATE TABLE id_sequences (
  name TEXT PRIMARY KEY,
  next_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO id_sequences (name, next_id) VALUES ('transactions', 1);

CREATE TABLE manual_accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  book_id INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  display_name TEXT,
  institution_name TEXT,
  type TEXT NOT NULL,
  subtype TEXT,
  currency TEXT NOT NULL,
  balance INTEGER NOT NULL,
  balance_as_of TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'closed')),
  closed_on TEXT,
  external_id TEXT,
  custom_metadata TEXT,
  exclude_from_transactions INTEGER NOT NULL DEFAULT 0 CHECK (exclude_from_transactions IN (0, 1)),
  created_by_name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX manual_accounts_by_book ON manual_accounts (book_id);

CREATE TABLE plaid_accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  book_id INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  display_name TEXT,
  institution_name TEXT NOT NULL,
  type TEXT NOT NULL,
  subtype TEXT NOT NULL,
  mask TEXT NOT NULL,
  currency TEXT NOT NULL,
  balance INTEGER NOT NULL,
  credit_limit INTEGER,
  status TEXT NOT NULL DEFAULT 'active',
  allow_transaction_modifications INTEGER NOT NULL DEFAULT 1,
  plaid_item_id TEXT,
  linked_by_name TEXT NOT NULL,
  date_linked TEXT NOT NULL,
  import_start_date TEXT,
  balance_last_update TEXT,
  last_import TEXT,
  last_fetch TEXT,
  plaid_last_successful_update TEXT
) STRICT;
CREATE INDEX plaid_accounts_by_book ON plaid_accounts (book_id);

CREATE TABLE categories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  book_id INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  is_income INTEGER NOT NULL DEFAULT 0 CHECK (is_income IN (0, 1)),
  exclude_from_budget INTEGER NOT NULL DEFAULT 0 CHECK (exclude_from_budget IN (0, 1)),
  exclude_from_totals INTEGER NOT NULL DEFAULT 0 CHECK (exclude_from_totals IN (0, 1)),
  is_group INTEGER NOT NULL DEFAULT 0 CHECK (is_group IN (0, 1)),
  group_id INTEGER,
  sort_order INTEGER,
  collapsed INTEGER NOT NULL DEFAULT 0 CHECK (collapsed IN (0, 1)),
  archived_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (book_id, id),
  FOREIGN KEY (book_id, group_id) REFERENCES categories (book_id, id)
) STRICT;
CREATE INDEX categories_by_group ON categories (book_id, group_id) WHERE group_id IS NOT NULL;

CREATE TABLE tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  book_id INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  text_color TEXT,
  background_color TEXT,
  archived_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (book_id, id)
) STRICT;

CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  book_id INTEGER NOT NULL,
  date TEXT NOT NULL CHECK (length(date) = 10),
  amount INTEGER NOT NULL CHECK (amount BETWEEN -9007199254740991 AND 9007199254740991),
  currency TEXT NOT NULL,
  to_base INTEGER NOT NULL CHECK (to_base BETWEEN -9007199254740991 AND 9007199254740991),
  payee TEXT NOT NULL,
  original_name TEXT,
  notes TEXT,
  category_id INTEGER,
  manual_account_id INTEGER,
  plaid_account_id INTEGER,
  recurring_id INTEGER,
  external_id TEXT,
  tag_ids TEXT NOT NULL DEFAULT '[]',
  status TEXT NOT NULL CHECK (${oneOf('status', ['reviewed', 'unreviewed', 'delete_pending'])}),
  is_pending INTEGER NOT NULL DEFAULT 0 CHECK (is_pending IN (0, 1)),
  is_split_parent INTEGER NOT NULL DEFAULT 0 CHECK (is_split_parent IN (0, 1)),
  split_parent_id INTEGER,
  is_group_parent INTEGER NOT NULL DEFAULT 0 CHECK (is_group_parent IN (0, 1)),
  group_parent_id INTEGER,
  source TEXT CHECK (${oneOf('source', sources)}),
  plaid_metadata TEXT,
  custom_metadata TEXT,
  own_payee TEXT,
  own_notes TEXT,
  own_category_id INTEGER,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  listed INTEGER GENERATED ALWAYS AS
    (is_pending = 0 AND is_split_parent = 0 AND group_parent_id IS NULL) STORED,
  json TEXT GENERATED ALWAYS AS (${transactionJson(sqliteWords)}) STORED,
  CHECK (manual_account_id IS NULL OR plaid_account_id IS NULL),
  FOREIGN KEY (book_id) REFERENCES books (id) ON DELETE CASCADE,
  FOREIGN KEY (book_id, category_id) REFERENCES categories (book_id, id)
) STRICT;
CREATE INDEX transactions_by_date ON transactions (book_id, date, id, listed);
CREATE INDEX transactions_by_manual_account
  ON transactions (book_id, manual_account_id, date, id, listed);
CREATE INDEX transactions_by_category ON transactions (book_id, category_id, date, id, listed);
CREATE INDEX transactions_by_plaid_account
  ON transactions (book_id, plaid_account_id, date, id, listed) WHERE plaid_account_id IS NOT NULL;
CREATE INDEX transactions_by_recurring
  ON transactions (book_id, recurring_id, date, id, listed) WHERE recurring_id IS NOT NULL;
CREATE UNIQUE INDEX transactions_by_external_id
  ON transactions (book_id, external_id, manual_account_id) WHERE external_id IS NOT NULL;
CREATE INDEX transactions_by_split_parent
  ON transactions (book_id, split_parent_id) WHERE split_parent_id IS NOT NULL;
CREATE INDEX transactions_by_group_parent
  ON transactions (book_id, group_parent_id) WHERE group_parent_id IS NOT NULL;
CREATE INDEX transactions_pending
  ON transactions (book_id, date, id) WHERE is_pending = 1;
CREATE INDEX transactions_group_parents
  ON transactions (book_id, date, id) WHERE is_group_parent = 1;

CREATE TABLE transaction_tags (
  book_id INTEGER NOT NULL,
  tag_id INTEGER NOT NULL,
  date TEXT NOT NULL,
  transaction_id INTEGER NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  PRIMARY KEY (book_id, tag_id, date, transaction_id),
  FOREIGN KEY (book_id, tag_id) REFERENCES tags (book_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX transaction_tags_by_transaction ON transaction_tags (transaction_id);

CREATE TABLE transaction_files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  book_id INTEGER NOT NULL,
  transaction_id INTEGER NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  uploaded_by INTEGER NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  size INTEGER NOT NULL,
  notes TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX transaction_files_by_transaction ON transaction_files (book_id, transaction_id);

CREATE TABLE transaction_counts (
  book_id INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  granularity TEXT NOT NULL CHECK (granularity IN ('month', 'day')),
  period TEXT NOT NULL,
  listed INTEGER NOT NULL CHECK (listed > 0),
  PRIMARY KEY (book_id, granularity, period)
) STRICT, WITHOUT ROWID;
${plannerStatistics}`;
