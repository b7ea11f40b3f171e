/**
 * How a row of `transactions` becomes the wire's transaction object, in SQL that SQLite takes in a generated column.
 *
 * The keys stand in the order of the wire. A test holds them to the contract, key by key.
 */
const wireKeys: readonly (readonly [key: string, ...pieces: string[]])[] = [
  ['id', 'id'],
  ['date', text('date')],
  ['amount', `'"'`, decimal('amount'), `'"'`],
  ['currency', text('currency')],
  ['to_base', decimal('to_base')],
  ['recurring_id', nullable('recurring_id')],
  ['payee', 'json_quote(payee)'],
  ['original_name', 'json_quote(original_name)'],
  ['category_id', nullable('category_id')],
  ['plaid_account_id', nullable('plaid_account_id')],
  ['manual_account_id', nullable('manual_account_id')],
  ['external_id', 'json_quote(external_id)'],
  ['tag_ids', 'tag_ids'],
  ['notes', 'json_quote(notes)'],
  ['status', text('status')],
  ['is_pending', boolean('is_pending')],
  ['created_at', text('created_at')],
  ['updated_at', text('updated_at')],
  ['is_split_parent', boolean('is_split_parent')],
  ['split_parent_id', nullable('split_parent_id')],
  ['is_group_parent', boolean('is_group_parent')],
  ['group_parent_id', nullable('group_parent_id')],
  ['source', optionalText('source')],
];

/** The expression of the stored column `json`: one call, which costs half of what forty `||` do. */
export const transactionJson = `concat(${wireKeys
  .map(([key, ...values], index) => `'${index === 0 ? '{' : ','}"${key}":', ${values.join(', ')}`)
  .join(', ')}, '}')`;

/** Text of which a CHECK or the contract guarantees that it needs no escaping. */
function text(column: string): string {
  return `'"', ${column}, '"'`;
}

function optionalText(column: string): string {
  return `iif(${column} IS NULL, 'null', '"' || ${column} || '"')`;
}

function nullable(column: string): string {
  return `ifnull(${column}, 'null')`;
}

function boolean(column: string): string {
  return `iif(${column}, 'true', 'false')`;
}

/** Ten-thousandths as a decimal with four places; integer arithmetic alone, so every digit is exact. */
function decimal(column: string): string {
  return `iif(${column} < 0, '-', ''), abs(${column}) / 10000, '.', substr(abs(${column}) % 10000 + 10000, 2)`;
}
