import sql, { empty, raw, join, type Sql } from 'sql-template-tag';

/**
 * Returns the SQL expression that converts a row of `transactions` to the API's transaction object. It is used in a
 * generated column.
 *
 * The keys are in the order of the API. A test compares them with the API document, key by key.
 */
export function transactionJson(words: JsonWords): string {
  const pieces = wireValues(words).flatMap(([key, ...values], index) => [
    `'${index === 0 ? '{' : ','}"${key}":'`,
    ...values,
  ]);
  return words.joined([...pieces, `'}'`]);
}

function wireValues(words: JsonWords): readonly (readonly [key: string, ...pieces: string[]])[] {
  const { text, optionalText, quoted, nullable, boolean, decimal } = words;
  return [
    ['id', words.plain('id')],
    ['date', ...text('date')],
    ['amount', `'"'`, ...decimal('amount'), `'"'`],
    ['currency', ...text('currency')],
    ['to_base', ...decimal('to_base')],
    ['recurring_id', nullable('recurring_id')],
    ['payee', quoted('payee')],
    ['original_name', quoted('original_name')],
    ['category_id', nullable('category_id')],
    ['plaid_account_id', nullable('plaid_account_id')],
    ['manual_account_id', nullable('manual_account_id')],
    ['external_id', quoted('external_id')],
    ['tag_ids', 'tag_ids'],
    ['notes', quoted('notes')],
    ['status', ...text('status')],
    ['is_pending', boolean('is_pending')],
    ['created_at', ...text('created_at')],
    ['updated_at', ...text('updated_at')],
    ['is_split_parent', boolean('is_split_parent')],
    ['split_parent_id', nullable('split_parent_id')],
    ['is_group_parent', boolean('is_group_parent')],
    ['group_parent_id', nullable('group_parent_id')],
    ['source', optionalText('source')],
  ];
}

/** Returns the SQL expression of the JSON of a column, as the change log has it. Throws for bytes. */
export function columnJson(
  words: JsonWords,
  name: string,
  { type, isNullable }: LoggedColumn,
): string {
  if (type === 'bytes') throw new Error(`The column ${name} has bytes, which JSON cannot have`);
  if (type === 'text') return words.quoted(name);
  if (type === 'flag') return words.boolean(name);
  return isNullable ? words.nullable(name) : words.plain(name);
}

interface LoggedColumn {
  readonly type: 'integer' | 'text' | 'flag' | 'bytes';
  readonly isNullable: boolean;
}

/** The parts of the expression in the SQL of one engine. Each accepts a column and returns one or more pieces. */
export interface JsonWords {
  readonly joined: (pieces: readonly string[]) => string;
  readonly plain: (column: string) => string;
  /** Text that needs no escaping, guaranteed by a CHECK or the contract. */
  readonly text: (column: string) => string[];
  readonly optionalText: (column: string) => string;
  readonly quoted: (column: string) => string;
  readonly nullable: (column: string) => string;
  readonly boolean: (column: string) => string;
  /** Ten-thousandths as a decimal with four places. Uses integer arithmetic only, so every digit is exact. */
  readonly decimal: (column: string) => string[];
}

/** SQLite: one call of `concat`, which costs half as much as forty `||`. */
export const sqliteWords: JsonWords = {
  joined: (pieces) => `concat(${pieces.join(', ')})`,
  plain: (column) => column,
  text: (column) => [`'"'`, column, `'"'`],
  optionalText: (column) => `iif(${column} IS NULL, 'null', '"' || ${column} || '"')`,
  quoted: (column) => `json_quote(${column})`,
  nullable: (column) => `ifnull(${column}, 'null')`,
  boolean: (column) => `iif(${column}, 'true', 'false')`,
  decimal: (column) => [
    `iif(${column} < 0, '-', '')`,
    `abs(${column}) / 10000`,
    `'.'`,
    `substr(abs(${column}) % 10000 + 10000, 2)`,
  ],
};

/** PostgreSQL: `||`, because `concat` depends on settings and is not allowed in a generated column. */
export const postgresWords: JsonWords = {
  joined: (pieces) => paired(constantsMerged(pieces)),
  plain: (column) => `${column}::text`,
  text: (column) => [`'"'`, column, `'"'`],
  optionalText: (column) => `coalesce('"' || ${column} || '"', 'null')`,
  quoted: (column) => `json_quote(${column})`,
  nullable: (column) => `coalesce(${column}::text, 'null')`,
  boolean: (column) => `CASE WHEN ${column} = 1 THEN 'true' ELSE 'false' END`,
  decimal: (column) => [
    `CASE WHEN ${column} < 0 THEN '-' ELSE '' END`,
    `(abs(${column}) / 10000)::text`,
    `'.'`,
    `substr((abs(${column}) % 10000 + 10000)::text, 2)`,
  ],
};

/** The keys of the stored JSON of a transaction, in its order. */
export const transactionKeys: readonly string[] = wireValues(sqliteWords).map(([key]) => key);

/** Joins halves recursively. From left to right, each `||` would copy everything before it again. */
function paired(pieces: readonly string[]): string {
  const [piece = "''"] = pieces;
  if (pieces.length < 2) return piece;
  const middle = pieces.length >> 1;
  return `(${paired(pieces.slice(0, middle))} || ${paired(pieces.slice(middle))})`;
}

const constant = /^'[^']*'$/;

function constantsMerged(pieces: readonly string[]): string[] {
  const merged: string[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1) ?? '';
    if (constant.test(last) && constant.test(piece))
      merged.splice(-1, 1, `${last.slice(0, -1)}${piece.slice(1)}`);
    else merged.push(piece);
  }
  return merged;
}

/** Transaction ids reserved at once: few enough to lose, enough for few round trips. */
export const idBlock = 500;

/** Transactions `t` that belong to each row of a relation. */
export interface TransactionsOfEach {
  /** The relation: its name, or a subquery with its alias. */
  readonly of: Sql;
  /** The index by which the transactions of a row are found; null for the primary key. */
  readonly index: string | null;
  /** The columns of `t` that the statement reads. */
  readonly columns: string;
  readonly where: Sql;
}

/** A value of the transaction `t` that belongs to each row of a relation. */
export interface ValueOfEach extends Pick<TransactionsOfEach, 'of' | 'where'> {
  /** An expression on `t`, also one with subqueries. */
  readonly value: Sql;
}

/**
 * The SQL that differs between SQLite and PostgreSQL. All other statements have the same text on both, and no operation
 * checks which engine it runs on.
 */
export interface Dialect {
  /** Converts a text expression to bytes in UTF-8. */
  bytes(text: Sql): Sql;
  /** A text column as it is in an index that orders it by bytes. */
  readonly byBytes: (column: string) => Sql;
  /** Ends a SELECT that locks its rows until the transaction ends. Readers do not wait for the lock. */
  readonly lockingRows: Sql;
  /** The time on the database's clock, which all nodes share, in milliseconds since 1970. */
  readonly databaseNowMs: Sql;
  /** Reserves {@link idBlock} unused transaction ids and returns the first as `first`. */
  readonly reserveIds: Sql;
  /** Reserves the next id of a table other than transactions, and returns it as `id`: no row gets it. */
  readonly reserveId: (table: string) => Sql;
  /** Raises the sequence of a table, so that it assigns no id up to `lastId`. */
  readonly raiseIds: (table: string, lastId: number) => readonly Sql[];
  /** The expression that computes the stored column `json`. */
  readonly transactionJson: Sql;
  /** Follows the name of a table: SQLite must use this index. It has no statistics, and would read far more. */
  readonly withIndex: (name: string) => Sql;
  /** Ends a subquery that PostgreSQL must run for itself, whatever order the outer query wants. */
  readonly asItIs: Sql;
  /** Two columns of bytes as one value: the second follows the first. */
  readonly joinedBytes: (first: string, second: string) => Sql;
  /** Ends a WHERE: the column, of bytes, has all parts. */
  readonly hasParts: (column: string, parts: readonly Uint8Array[]) => Sql;
  /** The position of a text in another one, from 1; 0 if it is not there. Compares characters. */
  readonly position: (text: string, part: string) => Sql;
  /** The FROM and WHERE of a SELECT of transactions `t` for each row of another relation, whatever statistics say. */
  readonly transactionsOfEach: (each: TransactionsOfEach) => Sql;
  /**
   * A SELECT without ORDER BY of such values as `json`. SQLite has a row also where there is no transaction. In
   * PostgreSQL it is no subquery in the list of columns: a database that is spread by book refuses one that refers to a
   * relation without a book.
   */
  readonly valueOfEach: (each: ValueOfEach) => Sql;
  /**
   * Whether conditions on transactions that one index found are compared in another index that has their columns. That
   * takes a third of the time of reading the rows, which PostgreSQL does anyway.
   */
  readonly comparesInIndex: boolean;
  /**
   * Whether each row that gets values of its own has a statement of its own. A statement of SQLite for many rows first
   * copies each page that it changes, because it may fail halfway: it takes two and a half times as long.
   */
  readonly updatesOneByOne: boolean;
  /** A SELECT of rows from their JSON: an array of objects. Flags are 0 or 1. */
  readonly rowsOfJson: (
    json: string,
    columns: Readonly<Record<string, Pick<LoggedColumn, 'type'>>>,
  ) => Sql;
  /** What follows FROM for the elements of a JSON array: `elements.value`. Also of a column of a table before it. */
  readonly elementsOf: (json: Sql) => Sql;
  /**
   * The condition that an integer is one of many. PostgreSQL hashes the elements of an array, or seeks them by an
   * index: without statistics, it compared each row of a book with each element of a list in JSON.
   */
  readonly isAmong: (integer: Sql, values: readonly number[]) => Sql;
  /** The parts of expressions of JSON. */
  readonly words: JsonWords;
  /** The engine's own integrity checks: rows with `kind` and `detail`. */
  readonly ownChecks: readonly Sql[];
}

export const sqliteDialect: Dialect = {
  bytes: (text) => sql`CAST(${text} AS BLOB)`,
  byBytes: raw,
  // A write transaction locks the whole file.
  lockingRows: empty,
  databaseNowMs: sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  reserveIds: sql`
    UPDATE id_sequences SET next_id = next_id + ${idBlock} WHERE name = 'transactions'
    RETURNING next_id - ${idBlock} AS first`,
  // A table that never had an id has no row there, and names are not unique.
  reserveId: (table) => sql`
    INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
      SELECT max(rowid), ${table}, coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = ${table}
    RETURNING seq AS id`,
  raiseIds: (table, lastId) => [
    sql`UPDATE id_sequences SET next_id = max(next_id, CAST(${lastId} AS INTEGER) + 1) WHERE name = ${table}`,
    sql`UPDATE sqlite_sequence SET seq = max(seq, CAST(${lastId} AS INTEGER)) WHERE name = ${table}`,
    sql`INSERT INTO sqlite_sequence (name, seq) SELECT ${table}, CAST(${lastId} AS INTEGER)
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ${table}
        UNION ALL SELECT 1 FROM id_sequences WHERE name = ${table})`,
  ],
  transactionJson: raw(transactionJson(sqliteWords)),
  withIndex: (name) => raw(`INDEXED BY ${name}`),
  asItIs: empty,
  joinedBytes: (first, second) => raw(`CAST(${first} || ${second} AS BLOB)`),
  hasParts: (column, parts) =>
    join(
      parts.map((part) => sql`AND instr(${raw(column)}, ${part}) > 0`),
      ' ',
    ),
  position: (text, part) => sql`instr(${raw(text)}, ${part})`,
  transactionsOfEach({ of, index, where }) {
    const by = index === null ? empty : raw(`INDEXED BY ${index}`);
    // It keeps the order of a CROSS JOIN.
    return sql`FROM ${of} CROSS JOIN transactions t ${by} WHERE ${where}`;
  },
  valueOfEach: ({ of, value, where }) =>
    sql`SELECT (SELECT ${value} FROM transactions t WHERE ${where}) AS json FROM ${of}`,
  comparesInIndex: true,
  updatesOneByOne: true,
  rowsOfJson(json, columns) {
    const list = Object.keys(columns).map((name) => `object ->> '${name}' AS ${name}`);
    // Otherwise each column would parse the object again.
    return sql`WITH objects AS MATERIALIZED (SELECT value AS object FROM json_each(${json}))
      SELECT ${raw(list.join(', '))} FROM objects`;
  },
  elementsOf: (json) => sql`json_each(${json}) elements`,
  isAmong: (integer, values) =>
    sql`${integer} IN (SELECT elements.value FROM json_each(${JSON.stringify(values)}) elements)`,
  words: sqliteWords,
  ownChecks: [
    sql`SELECT 'integrity' AS kind, integrity_check AS detail FROM pragma_integrity_check
      WHERE integrity_check <> 'ok'`,
    sql`SELECT 'foreign keys' AS kind,
        'Row ' || rowid || ' of ' || "table" || ' refers to a missing row of ' || parent AS detail
      FROM pragma_foreign_key_check`,
  ],
};

/** PostgreSQL always enforces its checks and keys, and has no integrity check that SQL can call. */
export const postgresDialect: Dialect = {
  // Its driver reads every value as text; the type marks those to convert to bytes.
  bytes: (text) => sql`CAST(${text} AS varchar)`,
  byBytes: (column) => raw(`${column} COLLATE "C"`),
  // Not FOR UPDATE, which would block inserts of rows that refer to this one.
  lockingRows: sql`FOR NO KEY UPDATE`,
  databaseNowMs: sql`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`,
  reserveIds: sql`SELECT nextval('transaction_ids') AS first`,
  reserveId: (table) => sql`SELECT nextval(pg_get_serial_sequence(${table}, 'id')) AS id`,
  raiseIds: (table, lastId) => [
    sql`SELECT setval(sequence, greatest(nextval(sequence), CAST(${lastId} AS BIGINT) + 1), false) FROM (
      SELECT CAST(coalesce(pg_get_serial_sequence(${table}, 'id'), 'transaction_ids') AS regclass) AS sequence
    ) sequences`,
  ],
  transactionJson: raw(transactionJson(postgresWords)),
  withIndex: () => empty,
  asItIs: raw('OFFSET 0'),
  joinedBytes: (first, second) => raw(`${first} || ${second}`),
  hasParts(column, parts) {
    const all = parts.map((part) => sql`position(CAST(${part} AS BYTEA) IN parts) > 0`);
    // The server reads a large value again for each function, but that of a subquery once.
    return sql`AND (SELECT ${join(all, ' AND ')} FROM (SELECT ${raw(column)} || '' AS parts OFFSET 0) whole)`;
  },
  position: (text, part) => sql`strpos(${raw(text)}, CAST(${part} AS TEXT))`,
  transactionsOfEach({ of, columns, where }) {
    const list = raw(columns.replaceAll(/\w+/g, 't.$&'));
    // OFFSET keeps the planner from joining in another way, such as reading all transactions for one row.
    return sql`FROM ${of} CROSS JOIN LATERAL (SELECT ${list} FROM transactions t WHERE ${where} OFFSET 0) t`;
  },
  valueOfEach: ({ of, value, where }) =>
    sql`SELECT t.json FROM ${of}
      CROSS JOIN LATERAL (SELECT ${value} AS json FROM transactions t WHERE ${where} OFFSET 0) t`,
  comparesInIndex: false,
  updatesOneByOne: false,
  rowsOfJson(json, columns) {
    const types = { integer: 'BIGINT', text: 'TEXT', flag: 'SMALLINT', bytes: 'BYTEA' };
    const list = Object.entries(columns).map(([name, { type }]) => `${name} ${types[type]}`);
    return sql`SELECT * FROM json_to_recordset(CAST(${json} AS JSON)) AS given (${raw(list.join(', '))})`;
  },
  elementsOf: (json) => sql`json_array_elements_text(CAST(${json} AS JSON)) elements`,
  isAmong: (integer, values) => sql`${integer} = ANY (CAST(${`{${values.join()}}`} AS BIGINT[]))`,
  words: postgresWords,
  ownChecks: [],
};

/** The blanks that payees have: tab, ends of lines, and spaces at which no line breaks, or that are wide or thin. */
const blanks = ['\t', '\n', '\r', '\u00a0', '\u2007', '\u2009', '\u202f', '\u3000'];

/** A space and a character that no text has. */
const pair = ' \u0001';
const turned = '\u0001 ';

/** Returns an expression for the text of a column with one space for all blanks in a row, and none at its ends. */
export function withSingleBlanks(column: string): Sql {
  const spaced = blanks.reduce((so, blank) => sql`replace(${so}, ${blank}, ' ')`, raw(column));
  // Every further space of a row follows one of the added characters, and goes with it.
  return sql`trim(replace(replace(replace(${spaced}, ' ', ${pair}), ${turned}, ''), ${pair}, ' '))`;
}
