import type { MigrationWords } from '../words.ts';

const accounts = [
  'manual_account_id',
  'plaid_account_id',
  'crypto_manual_id',
  'crypto_synced_id',
  'deleted_account_id',
];

/**
 * Tables for the history of balances. An entry refers to one account, without a foreign key to accounts that exist:
 * their removal moves the entries to a row of `deleted_accounts`, or removes them. For a moment an undo leaves an entry
 * without an account, so the check allows that.
 */
export function history(words: MigrationWords): string {
  const { id, bookKey, integer, text, sortedText, endOfTable, endOfKeyedTable } = words;
  const isSet = (column: string) => `CASE WHEN ${column} IS NULL THEN 0 ELSE 1 END`;
  return `
CREATE TABLE deleted_accounts (
  id ${id},
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  name ${text},
  institution_name ${text},
  display_name ${text},
  account_type ${text},
  subtype ${text},
  mask ${text},
  symbol ${text},
  ${bookKey}
)${endOfTable};

CREATE TABLE balance_history (
  id ${id},
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  manual_account_id ${integer},
  plaid_account_id ${integer},
  crypto_manual_id ${integer},
  crypto_synced_id ${integer},
  symbol ${sortedText},
  deleted_account_id ${integer},
  month ${sortedText} NOT NULL,
  balance ${integer} NOT NULL,
  currency ${text} NOT NULL,
  to_base ${integer} NOT NULL,
  crypto_balance ${text},
  ${bookKey},
  CHECK (${accounts.map(isSet).join(' + ')} <= 1),
  FOREIGN KEY (book_id, deleted_account_id) REFERENCES deleted_accounts (book_id, id)
)${endOfTable};
${accounts.map(uniqueMonths).join('\n')}

CREATE TABLE recorded_months (
  book_id ${integer} PRIMARY KEY REFERENCES books (id) ON DELETE CASCADE,
  month ${sortedText} NOT NULL
)${endOfKeyedTable};
`;
}

function uniqueMonths(column: string): string {
  const stream = column === 'crypto_synced_id' ? `${column}, symbol` : column;
  return `CREATE UNIQUE INDEX balance_history_by_${column.replace('_id', '')}
  ON balance_history (book_id, ${stream}, month) WHERE ${column} IS NOT NULL;`;
}
