/**
 * Returns the SQL expression that converts a row of `transactions` to the API's transaction object. It is used in a
 * generated column.
 *
 * The keys are in the order of the API. A test compares them with the API document, key by key.
 */
export function transactionJson(words: JsonWords): string {
  const { text, optionalText, quoted, nullable, boolean, decimal } = words;
  const wireKeys: readonly (readonly [key: string, ...pieces: string[]])[] = [
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
  const pieces = wireKeys.flatMap(([key, ...values], index) => [
    `'${index === 0 ? '{' : ','}"${key}":'`,
    ...values,
  ]);
  return words.joined([...pieces, `'}'`]);
}

/** The parts of the expression in the SQL of one engine. Each accepts a column and returns one or more pieces. */
interface JsonWords {
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
