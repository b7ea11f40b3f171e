import { computedTables } from '../computed-tables.ts';
import { searchedText } from '../derived-tables.ts';
import { idBlock, postgresWords, sqliteWords, transactionJson } from '../dialect.ts';
import { keyOf, type Column, type ColumnType, type Table } from '../table.ts';
import {
  accessTokens,
  bookTables,
  books,
  databaseIdentity,
  leases,
  serverTables,
  users,
} from './tables.ts';

/** What differs between the schemas of SQLite and PostgreSQL. */
interface SchemaWords {
  readonly engine: 'sqlite' | 'postgres';
  readonly types: Readonly<Record<ColumnType, string>>;
  /** Follows the type of text that is ordered by bytes. */
  readonly byBytes: string;
  /** Follows the type of the column `id` that the engine fills in. */
  readonly assigned: string;
  /** The condition that a column has one of some words. */
  readonly oneOf: (column: string, values: readonly string[]) => string;
  /** The expressions of the columns that the database computes. */
  readonly generated: Readonly<Record<string, string>>;
  /** An expression for 32 random hexadecimal digits, different in each row. */
  readonly randomId: string;
  /** Statements before the tables, and after the indexes. */
  readonly before: string;
  readonly after: string;
}

/** Each table after those that it refers to. */
const tables: readonly Table[] = [
  users,
  books,
  accessTokens,
  databaseIdentity,
  leases,
  ...bookTables,
  ...serverTables,
  ...computedTables,
];

/**
 * Returns the script that creates the newest schema in an empty database of an engine: the tables as they are
 * described, their indexes, and the rows that every database has.
 *
 * Text is ordered by bytes wherever it is compared, whatever the collation of a PostgreSQL database is.
 */
export function schemaScript(engine: SchemaWords['engine']): string {
  const words = { sqlite, postgres }[engine];
  return [
    words.before,
    ...tables.map((table) => createTable(table, words)),
    ...tables.flatMap(uniqueIndexes),
    indexes(words),
    ...['id', 'file_links', 'account_numbers'].map(
      (name) =>
        `INSERT INTO database_identity (name, value) VALUES ('${name}', ${words.randomId});`,
    ),
    words.after,
  ].join('\n');
}

function createTable(table: Table, words: SchemaWords): string {
  const generated = table.generated.map((name) => {
    const type = words.types[name === 'json' ? 'text' : 'flag'];
    return `${name} ${type} GENERATED ALWAYS AS (${words.generated[name]!}) STORED`;
  });
  const parts = [
    ...Object.entries(table.columns).map((column) => columnSql(table, column, words)),
    ...generated,
    ...keySql(table, words),
    ...table.uniqueTogether
      .filter(([first]) => !table.columns[first!]!.isNullable)
      .map((group) => `UNIQUE (book_id, ${group.join(', ')})`),
    ...table.checks.map((check) => `CHECK (${check})`),
    ...table.exclusive.map(
      (columns) => `CHECK (${columns.map((name) => `${name} IS NULL`).join(' OR ')})`,
    ),
    ...Object.entries(table.columns).flatMap((column) => recordKeySql(column, words)),
  ];
  return `CREATE TABLE ${table.name} (\n  ${parts.join(',\n  ')}\n)${optionsOf(table, words)};`;
}

type NamedColumn = readonly [name: string, column: Column];

function columnSql(table: Table, [name, column]: NamedColumn, words: SchemaWords): string {
  const { isSorted, isAssigned, isUnique, default: value, check } = column.stored ?? {};
  const isKey = !isAssigned && isSqliteId(table, name, words);
  const condition = typeof check === 'object' ? check[words.engine] : check;
  return [
    name,
    words.types[column.type] + (isSorted ? words.byBytes : ''),
    ...(isAssigned ? [words.assigned] : []),
    ...(isKey ? ['PRIMARY KEY'] : []),
    ...(column.isNullable || isAssigned || isKey ? [] : ['NOT NULL']),
    ...(isUnique ? ['UNIQUE'] : []),
    ...(value === undefined ? [] : [`DEFAULT ${typeof value === 'number' ? value : `'${value}'`}`]),
    ...(condition ? [`CHECK (${condition.replaceAll('@', name)})`] : []),
    ...(column.words ? [`CHECK (${words.oneOf(name, column.words)})`] : []),
    ...ownerSql(table, name, column),
  ].join(' ');
}

/** The reference to the user or the book that a row goes with. A part of a record goes with the record. */
function ownerSql(table: Table, name: string, { references, foreignKey }: Column): string[] {
  const cascades = 'ON DELETE CASCADE';
  if (foreignKey === 'cascades' && references === undefined)
    return [`REFERENCES users (id) ${cascades}`];
  const isPart = Object.values(table.columns).some(
    (each) => each.references !== undefined && each.foreignKey === 'cascades',
  );
  const isKept = name === 'book_id' && !isPart && foreignKey !== 'ignores';
  return isKept ? [`REFERENCES books (id) ${cascades}`] : [];
}

/** A reference to a record of the same book. */
function recordKeySql([name, column]: NamedColumn, words: SchemaWords): string[] {
  const { references, foreignKey } = column;
  if (references === undefined || foreignKey === 'ignores') return [];
  const end = foreignKey === 'cascades' ? ' ON DELETE CASCADE' : '';
  const target = tables.find((table) => table.name === references)!;
  const book = isSqliteId(target, 'id', words) ? '' : 'book_id, ';
  return [`FOREIGN KEY (${book}${name}) REFERENCES ${references} (${book}id)${end}`];
}

/** Whether SQLite finds the rows of a table by this column alone. */
function isSqliteId(table: Table, name: string, { engine }: SchemaWords): boolean {
  return engine === 'sqlite' && table.sqliteRows === 'id' && name === 'id';
}

/** SQLite finds the rows of a table with assigned ids by them; the key is then another one, which others refer to. */
function keySql(table: Table, words: SchemaWords): string[] {
  if (isSqliteId(table, 'id', words)) return [];
  const isAssigned = words.engine === 'sqlite' && table.columns['id']?.stored?.isAssigned;
  return [`${isAssigned ? 'UNIQUE' : 'PRIMARY KEY'} (${keyOf(table).join(', ')})`];
}

function optionsOf(table: Table, { engine }: SchemaWords): string {
  if (engine === 'postgres') return '';
  const isNumbered = Object.hasOwn(table.columns, 'id') || table.sqliteRows === 'row';
  return isNumbered ? ' STRICT' : ' STRICT, WITHOUT ROWID';
}

/** An index for each group of columns that are unique together, with the name of the first: see {@link Table}. */
function uniqueIndexes({ name, columns, uniqueTogether }: Table): string[] {
  const groups = uniqueTogether.filter(([first]) => columns[first!]!.isNullable);
  return groups.map((group) => {
    const [first = ''] = group;
    const subject = columns[first]!.references === undefined ? first : first.replace(/_id$/, '');
    return `CREATE UNIQUE INDEX ${name}_by_${subject}
  ON ${name} (book_id, ${group.join(', ')}) WHERE ${first} IS NOT NULL;`;
  });
}

/**
 * All indexes, besides those of keys and unique columns.
 *
 * The indexes of transactions have `listed`, so that lists and counts read no hidden rows. Those of texts have what a
 * search without other filters adds up, and no column that people change often: each such change would write two
 * entries of each index, in other pages than those of the row. The index of notes has the payee, because a row that
 * matches by both must count once. `transactions_to_sum` has all that a summary and a filtered list compare or add up,
 * in the order of lists; and the columns of its condition, which SQLite would otherwise read the rows for. Its
 * condition is what `listed` is computed from, because SQLite reads the row for a generated column.
 *
 * Rows are found by the times of their creation and of their last change. Most rows never change, so these have one
 * entry for both times, in `transactions_unchanged`: two indexes of all rows would make an import 6 % slower.
 *
 * Most lines of the log are about one record; those about a range of ids have two indexes of their own, because the id
 * of a record does not say where a range that contains it begins: for ranges of at most 512 ids it is near, and longer
 * ranges are few. `repeats` is 1 for a line whose version has an earlier line about the same table, so that the
 * versions that changed a table are found without reading all lines.
 */
function indexes({ byBytes, engine }: SchemaWords): string {
  const text = (column: string): string => `${column}${byBytes}`;
  const book = engine === 'sqlite' ? '' : 'book_id, ';
  return `
CREATE UNIQUE INDEX users_by_email ON users (lower(email));
CREATE INDEX books_by_user ON books (user_id);
CREATE INDEX access_tokens_by_book ON access_tokens (book_id);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_book ON sessions (book_id);
CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id);
CREATE INDEX sign_in_links_by_book ON sign_in_links (book_id);
CREATE INDEX passkeys_by_user ON passkeys (user_id);
CREATE INDEX passkey_challenges_by_user ON passkey_challenges (user_id);

CREATE INDEX categories_by_group ON categories (book_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX recurring_items_by_category
  ON recurring_items (book_id, override_category_id) WHERE override_category_id IS NOT NULL;
CREATE INDEX budgets_by_start ON budgets (book_id, start_date);

CREATE INDEX transactions_by_date ON transactions (book_id, date, id, listed);
CREATE INDEX transactions_by_manual_account ON transactions (book_id, manual_account_id, date, id, listed);
CREATE INDEX transactions_by_category ON transactions (book_id, category_id, date, id, listed);
CREATE INDEX transactions_by_plaid_account
  ON transactions (book_id, plaid_account_id, date, id, listed) WHERE plaid_account_id IS NOT NULL;
CREATE INDEX transactions_by_recurring
  ON transactions (book_id, recurring_id, date, id, listed) WHERE recurring_id IS NOT NULL;
CREATE INDEX transactions_by_status ON transactions (book_id, status, date, id, listed);
CREATE INDEX transactions_unchanged
  ON transactions (book_id, updated_at, date, id, listed, created_at) WHERE created_at = updated_at;
CREATE INDEX transactions_by_update
  ON transactions (book_id, updated_at, date, id, listed, created_at) WHERE created_at <> updated_at;
CREATE INDEX transactions_by_creation
  ON transactions (book_id, created_at, date, id, listed, updated_at) WHERE created_at <> updated_at;
CREATE INDEX transactions_by_split_parent ON transactions (book_id, split_parent_id) WHERE split_parent_id IS NOT NULL;
CREATE INDEX transactions_by_group_parent ON transactions (book_id, group_parent_id) WHERE group_parent_id IS NOT NULL;
CREATE INDEX transactions_pending ON transactions (book_id, date, id) WHERE is_pending = 1;
CREATE INDEX transactions_group_parents ON transactions (book_id, date, id) WHERE is_group_parent = 1;
CREATE INDEX transactions_by_payee
  ON transactions (book_id, ${text(searchedText('payee'))}, date, id, listed, to_base);
CREATE INDEX transactions_by_notes
  ON transactions (book_id, ${text(searchedText('notes'))}, date, id, listed, to_base, ${text(searchedText('payee'))})
  WHERE ${searchedText('notes')} IS NOT NULL;
CREATE INDEX transactions_to_sum
  ON transactions (book_id, date, id, category_id, recurring_id, to_base, amount, manual_account_id, plaid_account_id,
    import_id, status, is_pending, is_split_parent, group_parent_id)
  WHERE is_pending = 0 AND is_split_parent = 0 AND group_parent_id IS NULL;
CREATE INDEX transaction_tags_by_transaction ON transaction_tags (${book}transaction_id);
CREATE INDEX transaction_files_by_transaction ON transaction_files (book_id, transaction_id);

CREATE INDEX changed_records_by_record ON changed_records (book_id, record, first_id, version);
CREATE INDEX changed_records_by_table ON changed_records (book_id, record, version) WHERE repeats = 0;
CREATE INDEX changed_record_ranges ON changed_records (book_id, record, first_id, last_id) WHERE last_id > first_id;
CREATE INDEX changed_record_long_ranges
  ON changed_records (book_id, record, first_id, last_id) WHERE last_id - first_id >= 512;
CREATE INDEX changes_by_actor ON changes (book_id, ${text('actor')}, version);
CREATE INDEX changes_by_operation ON changes (book_id, ${text('operation')}, version);
CREATE INDEX changes_by_time ON changes (book_id, at);
CREATE INDEX changes_by_undone_version ON changes (book_id, undoes) WHERE undoes IS NOT NULL;
CREATE INDEX enabled_webhooks ON webhooks (next_attempt_ms) WHERE disabled_reason IS NULL;

CREATE INDEX import_forms_by_external_id ON import_forms (book_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX import_origins_by_date ON import_origins (book_id, date);
CREATE INDEX import_origins_by_external_id ON import_origins (book_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX import_origins_by_remote_id
  ON import_origins (book_id, plaid_account_id, remote_id) WHERE remote_id IS NOT NULL;
`;
}

/**
 * Statistics about indexes for SQLite's planner, the same in every database: the rows in the index,
 * then the rows for each value of its first column, of its first two columns, and so on.
 *
 * Without them the planner uses the date index instead of the index of a filter, and a rare filter reads a whole book.
 * Fixed figures give a small book and a large one the same plans (https://sqlite.org/fileformat2.html#stat1tab). With 0
 * rows, an index is always preferred.
 */
const statistics = {
  transactions_by_date: '1000000 1000000 100 1 1',
  transactions_by_manual_account: '1000000 1000000 50000 50 1 1',
  transactions_by_category: '1000000 1000000 10000 10 1 1',
  transactions_by_plaid_account: '1000000 1000000 50000 50 1 1',
  transactions_by_recurring: '100000 100000 100 1 1 1',
  transactions_by_external_id: '1000000 1000000 1 1',
  transactions_by_status: '1000000 1000000 300000 100 1 1',
  transactions_unchanged: '1000000 1000000 10 1 1 1 1',
  transactions_by_update: '1000000 1000000 10 1 1 1 1',
  transactions_by_creation: '1000000 1000000 10 1 1 1 1',
  transactions_by_split_parent: '10000 10000 3',
  transactions_by_group_parent: '10000 10000 3',
  transactions_pending: '100 100 10 1',
  transactions_group_parents: '1000 1000 1 1',
  transactions_by_payee: '1000000 1000000 100 2 1 1 1',
  transactions_by_notes: '100000 100000 2 1 1 1 1 1',
  transactions_to_sum: '1000000 1000000 100 1 1 1 1 1 1 1 1 1 1 1 1',
  categories_by_group: '0 0 0',
};

const sqlite: SchemaWords = {
  engine: 'sqlite',
  types: { integer: 'INTEGER', text: 'TEXT', flag: 'INTEGER', bytes: 'BLOB' },
  byBytes: '',
  // `IN` with more than two values builds a table for every row to check: 3 µs, a third of the cost of a row.
  oneOf: (column, values) => values.map((value) => `${column} = '${value}'`).join(' OR '),
  assigned: 'PRIMARY KEY AUTOINCREMENT',
  generated: {
    listed: 'is_pending = 0 AND is_split_parent = 0 AND group_parent_id IS NULL',
    json: transactionJson(sqliteWords),
  },
  randomId: 'lower(hex(randomblob(16)))',
  // In an empty database ANALYZE creates only the table of statistics.
  before: `ANALYZE;
CREATE TABLE id_sequences (name TEXT PRIMARY KEY, next_id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO id_sequences (name, next_id) VALUES ('transactions', 1);`,
  after: `CREATE INDEX manual_accounts_by_book ON manual_accounts (book_id);
CREATE INDEX plaid_accounts_by_book ON plaid_accounts (book_id);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ${Object.entries(statistics)
    .map(([index, stat]) => `('${index.split('_', 1)[0]!}', '${index}', '${stat}')`)
    .join(', ')};
ANALYZE sqlite_schema;`,
};

/**
 * `json_quote` is built into SQLite. Here it uses only immutable functions, so that the server can inline it; its
 * result starts at the seventh character of `{"" : "text"}`.
 */
const postgres: SchemaWords = {
  engine: 'postgres',
  types: { integer: 'BIGINT', text: 'TEXT', flag: 'SMALLINT', bytes: 'BYTEA' },
  byBytes: ' COLLATE "C"',
  oneOf: (column, values) => `${column} IN (${values.map((value) => `'${value}'`).join(', ')})`,
  assigned: 'GENERATED BY DEFAULT AS IDENTITY',
  generated: {
    listed:
      'CASE WHEN is_pending = 0 AND is_split_parent = 0 AND group_parent_id IS NULL THEN 1 ELSE 0 END',
    json: transactionJson(postgresWords),
  },
  randomId: `replace(gen_random_uuid()::text, '-', '')`,
  before: `CREATE FUNCTION json_quote(value TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN left(substr(json_object(ARRAY['', value])::text, 7), -1);
CREATE SEQUENCE transaction_ids INCREMENT BY ${idBlock};`,
  // Blocks are read whole and in parts all the time: to compress them takes longer than to read them.
  after: `ALTER TABLE search_blocks ALTER COLUMN words SET STORAGE EXTERNAL;
ALTER TABLE search_blocks ALTER COLUMN block SET STORAGE EXTERNAL;`,
};
