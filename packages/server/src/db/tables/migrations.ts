import { randomBytes } from 'node:crypto';
import sql, { raw, type Sql } from 'sql-template-tag';
import { schemaScript } from './schema.ts';
import { databaseIdentity } from './tables.ts';

/** One change of the schema, as a script for each engine. */
export interface Migration {
  readonly sqlite: string;
  readonly postgres: string;
}

/** The schemas that a program can open. */
export interface Schemas {
  /** The oldest one. */
  readonly base: number;
  /** The changes after it: each raises the version by one. */
  readonly migrations: readonly Migration[];
}

/**
 * The schema of the first release, and the changes since.
 *
 * A new database gets the newest schema at once, from the descriptions of the tables (`schema.ts`); these scripts are
 * for databases that exist. A test compares the two results. A script that was released never changes. It only adds, so
 * that nodes of the previous release continue to work: see docs/operate/upgrading.md.
 */
export const schemas: Schemas = {
  base: 11,
  migrations: [
    storedEntries(),
    countsOfFilters(),
    searchBlocks(),
    looseBooks(),
    anchors(),
    pairsOfTransfers(),
    rulesOnAndOff(),
    settingsOfCategories(),
    wordsOfBlocks(),
    settingsOfBooks(),
  ],
};

/** The entries of previews are stored. Those of earlier previews are not, so these have expired. */
function storedEntries(): Migration {
  const script = (integer: string, options: string): string => `
    ALTER TABLE import_previews ADD COLUMN compared TEXT;
    CREATE TABLE import_preview_entries (
      book_id ${integer} NOT NULL,
      import_id ${integer} NOT NULL,
      place ${integer} NOT NULL,
      verdicts TEXT NOT NULL,
      entries TEXT NOT NULL,
      decisions TEXT NOT NULL,
      PRIMARY KEY (book_id, import_id, place),
      FOREIGN KEY (book_id, import_id) REFERENCES imports (book_id, id) ON DELETE CASCADE
    )${options};`;
  return { sqlite: script('INTEGER', ' STRICT'), postgres: script('BIGINT', '') };
}

/** Indexes by status and by the times of rows, and the tables `status_counts` and `activity_sums`, still empty. */
function countsOfFilters(): Migration {
  const script = (integer: string, text: string, options: string): string => `
    ALTER TABLE books ADD COLUMN activity_version ${integer} NOT NULL DEFAULT 1;
    UPDATE books SET activity_version = 0;
    CREATE TABLE status_counts (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      granularity ${text} NOT NULL CHECK (granularity = 'month' OR granularity = 'day'),
      kind ${integer} NOT NULL CHECK (kind BETWEEN 0 AND 7),
      status ${text} NOT NULL CHECK (status = 'reviewed' OR status = 'delete_pending'),
      period ${text} NOT NULL,
      number ${integer} NOT NULL CHECK (number > 0),
      PRIMARY KEY (book_id, granularity, status, period, kind)
    )${options};
    CREATE TABLE activity_sums (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      month ${text} NOT NULL,
      category_id ${integer} NOT NULL,
      kind ${integer} NOT NULL CHECK (kind BETWEEN 0 AND 3),
      listed ${integer} NOT NULL,
      high ${integer} NOT NULL,
      low ${integer} NOT NULL,
      PRIMARY KEY (book_id, month, category_id, kind)
    )${options};
    CREATE INDEX transactions_by_status ON transactions (book_id, status, date, id, listed);
    CREATE INDEX transactions_unchanged
      ON transactions (book_id, updated_at, date, id, listed, created_at) WHERE created_at = updated_at;
    CREATE INDEX transactions_by_update
      ON transactions (book_id, updated_at, date, id, listed, created_at) WHERE created_at <> updated_at;
    CREATE INDEX transactions_by_creation
      ON transactions (book_id, created_at, date, id, listed, updated_at) WHERE created_at <> updated_at;`;
  return {
    sqlite: `${script('INTEGER', 'TEXT', ' STRICT, WITHOUT ROWID')}
    INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
      ('transactions', 'transactions_by_status', '1000000 1000000 300000 100 1 1'),
      ('transactions', 'transactions_unchanged', '1000000 1000000 10 1 1 1 1'),
      ('transactions', 'transactions_by_update', '1000000 1000000 10 1 1 1 1'),
      ('transactions', 'transactions_by_creation', '1000000 1000000 10 1 1 1 1');
    ANALYZE sqlite_schema;`,
    postgres: script('BIGINT', 'TEXT COLLATE "C"', '').replaceAll(
      /CHECK \((\w+) = ('\w+') OR \1 = ('\w+')\)/g,
      'CHECK ($1 IN ($2, $3))',
    ),
  };
}

/**
 * Tokens, sessions and links refer to no book: they are found before the book is known, so a database that is spread by
 * book keeps them elsewhere. SQLite drops a key only with its table; these have few rows, and no table refers to them.
 * A table keeps its last id, because an id is not used twice.
 */
function looseBooks(): Migration {
  const keys = ['access_tokens', 'sessions', 'sign_in_links'].map(
    (table) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_book_id_fkey;`,
  );
  const owner =
    'user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, book_id INTEGER NOT NULL';
  const secret = 'secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32)';
  const rebuilt = (table: string, columns: string, names: string): string => `
    CREATE TABLE new_${table} (id INTEGER PRIMARY KEY AUTOINCREMENT, ${columns}) STRICT;
    INSERT INTO new_${table} (id, ${names}) SELECT id, ${names} FROM ${table};
    DELETE FROM sqlite_sequence WHERE name = 'new_${table}';
    INSERT INTO sqlite_sequence (name, seq) SELECT 'new_${table}', seq FROM sqlite_sequence WHERE name = '${table}';
    DROP TABLE ${table};
    ALTER TABLE new_${table} RENAME TO ${table};
    CREATE INDEX ${table}_by_book ON ${table} (book_id);`;
  const sqlite = [
    rebuilt(
      'access_tokens',
      `${owner}, token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32), label TEXT, created_at TEXT NOT NULL,
        last_used_at TEXT, expires_at TEXT, revoked_at TEXT`,
      'user_id, book_id, token_hash, label, created_at, last_used_at, expires_at, revoked_at',
    ),
    rebuilt(
      'sessions',
      `${secret}, ${owner}, method TEXT NOT NULL CHECK (method IN ('link', 'password', 'passkey')), user_agent TEXT,
        database_id TEXT NOT NULL, created_at TEXT NOT NULL, seen_at TEXT NOT NULL, ends_at TEXT NOT NULL, UNIQUE (id)`,
      'secret_hash, user_id, book_id, method, user_agent, database_id, created_at, seen_at, ends_at',
    ),
    rebuilt(
      'sign_in_links',
      `${secret}, ${owner}, database_id TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL, UNIQUE (id)`,
      'secret_hash, user_id, book_id, database_id, created_at, expires_at',
    ),
    'CREATE INDEX sessions_by_user ON sessions (user_id);',
    'CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id);',
  ];
  return { sqlite: sqlite.join('\n'), postgres: keys.join('\n') };
}

/**
 * Search has blocks of its own, which the server fills in the background, and the first search of a book that is not
 * filled yet. The texts that were folded in another way are filled again, too.
 */
function searchBlocks(): Migration {
  const script = (integer: string, bytes: string, options: string, keyed: string): string => `
    CREATE TABLE search_blocks (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      first_id ${integer} NOT NULL,
      first_day ${integer} NOT NULL,
      last_day ${integer} NOT NULL,
      block ${bytes} NOT NULL,
      PRIMARY KEY (book_id, first_id)
    )${options};
    CREATE TABLE search_progress (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      version ${integer} NOT NULL,
      filled_id ${integer},
      PRIMARY KEY (book_id)
    )${keyed};
    UPDATE books SET derived_version = 0 WHERE texts_version <> version;`;
  return {
    sqlite: script('INTEGER', 'BLOB', ' STRICT', ' STRICT, WITHOUT ROWID'),
    postgres: `${script('BIGINT', 'BYTEA', '', '')}
    ALTER TABLE search_blocks ALTER COLUMN block SET STORAGE EXTERNAL;`,
  };
}

/**
 * The balances that are known for a day, and `account_days`, still empty. The balance that each account has becomes one
 * for the day since which it has it.
 */
function anchors(): Migration {
  const sources = "source = 'statement' OR source = 'user' OR source = 'bank' OR source = 'api'";
  const script = (integer: string, text: string, assigned: string, keyed: string): string => `
    ALTER TABLE books ADD COLUMN account_days_version ${integer} NOT NULL DEFAULT 1;
    UPDATE books SET account_days_version = 0;
    CREATE TABLE balance_anchors (
      id ${integer} ${assigned},
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      manual_account_id ${integer},
      plaid_account_id ${integer},
      day ${text} NOT NULL CHECK (length(day) = 10),
      source ${text} NOT NULL CHECK (${sources}),
      balance ${integer} NOT NULL,
      currency TEXT NOT NULL,
      ahead ${integer} NOT NULL DEFAULT 0,
      import_id ${integer},
      set_at ${text} NOT NULL,
      ${keyed}
      CHECK (manual_account_id IS NULL OR plaid_account_id IS NULL)
    )`;
  const days = (integer: string, text: string, options: string): string => `
    CREATE TABLE account_days (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      manual_account_id ${integer} NOT NULL,
      plaid_account_id ${integer} NOT NULL,
      date ${text} NOT NULL,
      currency ${text} NOT NULL,
      listed ${integer} NOT NULL,
      high ${integer} NOT NULL,
      low ${integer} NOT NULL,
      PRIMARY KEY (book_id, manual_account_id, plaid_account_id, date, currency)
    )${options};`;
  const rest = `
    CREATE UNIQUE INDEX balance_anchors_by_manual_account_id
      ON balance_anchors (book_id, manual_account_id, day, source) WHERE manual_account_id IS NOT NULL;
    CREATE UNIQUE INDEX balance_anchors_by_plaid_account_id
      ON balance_anchors (book_id, plaid_account_id, day, source) WHERE plaid_account_id IS NOT NULL;
    INSERT INTO balance_anchors (book_id, manual_account_id, day, source, balance, currency, set_at)
      SELECT book_id, id, substr(balance_as_of, 1, 10), 'api',
        CASE WHEN type IN ('credit', 'loan', 'other liability') THEN -balance ELSE balance END, currency, balance_as_of
      FROM manual_accounts ORDER BY book_id, id;
    INSERT INTO balance_anchors (book_id, plaid_account_id, day, source, balance, currency, set_at)
      SELECT book_id, id, substr(balance_last_update, 1, 10), 'bank',
        CASE WHEN type IN ('credit', 'loan', 'other liability') THEN -balance ELSE balance END, currency,
        balance_last_update
      FROM plaid_accounts WHERE balance_last_update IS NOT NULL ORDER BY book_id, id;`;
  const bytes = 'TEXT COLLATE "C"';
  const identity = 'GENERATED BY DEFAULT AS IDENTITY';
  return {
    sqlite: `${script('INTEGER', 'TEXT', 'PRIMARY KEY AUTOINCREMENT', 'UNIQUE (book_id, id),')} STRICT;
      ${days('INTEGER', 'TEXT', ' STRICT, WITHOUT ROWID')}${rest}`,
    postgres: `${script('BIGINT', bytes, identity, 'PRIMARY KEY (book_id, id),')};
      ${days('BIGINT', bytes, '')}${rest}`.replaceAll(
      sources,
      "source IN ('statement', 'user', 'bank', 'api')",
    ),
  };
}

/** Transfers between own accounts: an empty table, so that it takes no time. */
function pairsOfTransfers(): Migration {
  const script = (
    { integer, key, text, sorted }: Readonly<Record<'integer' | 'key' | 'text' | 'sorted', string>>,
    words: string,
    end: string,
  ): string => `
    CREATE TABLE transfers (
      id ${key},
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      sent_id ${integer} NOT NULL,
      received_id ${integer} NOT NULL,
      found_by ${text} NOT NULL CHECK (${words}),
      created_at ${sorted} NOT NULL,
      ${end};`;
  const unique = 'UNIQUE (book_id, sent_id),\n      UNIQUE (book_id, received_id)';
  const words = ['account_number', 'rows', 'user'].map((word) => `'${word}'`);
  return {
    sqlite: script(
      {
        integer: 'INTEGER',
        key: 'INTEGER PRIMARY KEY AUTOINCREMENT',
        text: 'TEXT',
        sorted: 'TEXT',
      },
      words.map((word) => `found_by = ${word}`).join(' OR '),
      `${unique}) STRICT`,
    ),
    postgres: script(
      {
        integer: 'BIGINT',
        key: 'BIGINT GENERATED BY DEFAULT AS IDENTITY',
        text: 'TEXT',
        sorted: 'TEXT COLLATE "C"',
      },
      `found_by IN (${words.join(', ')})`,
      `PRIMARY KEY (book_id, id),\n      ${unique})`,
    ),
  };
}

/** Rules can be off; those that exist are on. */
function rulesOnAndOff(): Migration {
  const script = (integer: string): string =>
    `ALTER TABLE rules ADD COLUMN enabled ${integer} NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1));`;
  return { sqlite: script('INTEGER'), postgres: script('SMALLINT') };
}

/** The table `category_settings`, still empty: a category without a row has the default settings. */
function settingsOfCategories(): Migration {
  const script = (integer: string, flag: string, options: string): string => `
    CREATE TABLE category_settings (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      category_id ${integer} NOT NULL,
      rollover ${flag} NOT NULL CHECK (rollover IN (0, 1)),
      icon TEXT,
      colour TEXT,
      PRIMARY KEY (book_id, category_id),
      FOREIGN KEY (book_id, category_id) REFERENCES categories (book_id, id)
    )${options};`;
  return {
    sqlite: script('INTEGER', 'INTEGER', ' STRICT, WITHOUT ROWID'),
    postgres: script('BIGINT', 'SMALLINT', ''),
  };
}

/** The blocks of the search have the words of their rows apart. They are filled again, as new ones are. */
function wordsOfBlocks(): Migration {
  const script = (integer: string, bytes: string, options: string, keyed: string): string => `
    DROP TABLE search_blocks;
    DROP TABLE search_progress;
    CREATE TABLE search_progress (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      version ${integer} NOT NULL,
      filled_id ${integer},
      PRIMARY KEY (book_id)
    )${keyed};
    CREATE TABLE search_blocks (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      first_id ${integer} NOT NULL,
      first_day ${integer} NOT NULL,
      last_day ${integer} NOT NULL,
      words ${bytes} NOT NULL,
      block ${bytes} NOT NULL,
      PRIMARY KEY (book_id, first_id)
    )${options};`;
  const uncompressed = ['words', 'block'].map(
    (column) => `ALTER TABLE search_blocks ALTER COLUMN ${column} SET STORAGE EXTERNAL;`,
  );
  return {
    sqlite: script('INTEGER', 'BLOB', ' STRICT', ' STRICT, WITHOUT ROWID'),
    postgres: [script('BIGINT', 'BYTEA', '', ''), ...uncompressed].join('\n'),
  };
}

/** The table `book_settings`, still empty: the currency of a book without a row was not changed when it had amounts. */
function settingsOfBooks(): Migration {
  const script = (integer: string, options: string): string => `
    CREATE TABLE book_settings (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      number ${integer} NOT NULL CHECK (number = 1),
      primary_currency TEXT NOT NULL,
      first_currency TEXT NOT NULL,
      PRIMARY KEY (book_id, number)
    )${options};`;
  return { sqlite: script('INTEGER', ' STRICT, WITHOUT ROWID'), postgres: script('BIGINT', '') };
}

/** The last commit whose program upgrades the schemas before {@link schemas}, which no release had. */
const lastUpgrade = '9dfc56858d9e13e0f0e3b69e9867e8528c2f998a';

/** Returns the newest of some schemas. */
export function newestOf({ base, migrations }: Schemas): number {
  return base + migrations.length;
}

/** The schema version that this program reads and writes. */
export const schemaVersion: number = newestOf(schemas);

/** The database was written by a newer program, whose data this one could damage. */
class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError';
  constructor(found: number, newest: number) {
    super(
      `The database has schema version ${found}, but this program supports at most ${newest}: ` +
        'run a newer version of Coffer',
    );
  }
}

/** The database was written before the first release. */
class OlderDatabaseError extends Error {
  override name = 'OlderDatabaseError';
  constructor(found: number, base: number) {
    super(
      `The database has schema version ${found}, from before Coffer 0.1.0, but this program supports only ${base} ` +
        `and newer. Upgrade it in two steps: first run "git checkout ${lastUpgrade}", "npm ci" and ` +
        `"npx coffer doctor" with its --database in the repository of Coffer; then open it with this program`,
    );
  }
}

/** Throws {@link NewerDatabaseError} or {@link OlderDatabaseError} for a version that cannot be opened; 0 is new. */
export function refuseOthers(found: number, known: Schemas = schemas): void {
  const newest = newestOf(known);
  if (found > newest) throw new NewerDatabaseError(found, newest);
  if (found > 0 && found < known.base) throw new OlderDatabaseError(found, known.base);
}

/** Returns the scripts that bring a database from a version to the newest one, each with the version that it makes. */
export function scriptsFrom(
  found: number,
  engine: keyof Migration,
  known: Schemas,
): { readonly version: number; readonly script: string }[] {
  if (found === 0) return [{ version: newestOf(known), script: schemaScript(engine) }];
  return known.migrations
    .map((each, index) => ({ version: known.base + index + 1, script: each[engine] }))
    .filter(({ version }) => version > found);
}

/**
 * Gives the database a new random id of 32 hexadecimal digits.
 *
 * The id is part of what clients keep, such as ETags and positions in the change feed. A copy of the database uses the
 * same version numbers for different changes, so it needs its own id.
 */
export function drawIdentity(): Sql {
  return sql`UPDATE ${raw(databaseIdentity.name)} SET value = ${randomBytes(16).toString('hex')} WHERE name = 'id'`;
}
