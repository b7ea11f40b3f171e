import {
  integer,
  text,
  sortedText,
  id,
  nullable,
  reference,
  looseReference,
  bookTable,
  serverTable,
  currency,
  anyAmount,
  holding,
} from '../table.ts';
import type { Table } from '../table.ts';

/** What is known of accounts that were deleted, but whose history was kept. */
export const deletedAccounts = bookTable('deleted_accounts', {
  id,
  book_id: integer,
  name: nullable(text),
  institution_name: nullable(text),
  display_name: nullable(text),
  account_type: nullable(text),
  subtype: nullable(text),
  mask: nullable(text),
  symbol: nullable(text),
});

const accounts = [
  'manual_account_id',
  'plaid_account_id',
  'crypto_manual_id',
  'crypto_synced_id',
  'deleted_account_id',
];

const isSet = (column: string): string => `CASE WHEN ${column} IS NULL THEN 0 ELSE 1 END`;

/**
 * The balance of an account at the end of a month, `YYYY-MM`. Exactly one of the five accounts is set; `symbol` only
 * with `crypto_synced_id`. `crypto_balance` is a quantity with 18 decimals.
 */
export const balanceHistory = bookTable(
  'balance_history',
  {
    id,
    book_id: integer,
    manual_account_id: looseReference('manual_accounts'),
    plaid_account_id: looseReference('plaid_accounts'),
    crypto_manual_id: looseReference('crypto_manual_accounts'),
    crypto_synced_id: looseReference('crypto_synced_accounts'),
    symbol: nullable(sortedText),
    deleted_account_id: reference('deleted_accounts'),
    month: holding('month', sortedText),
    balance: anyAmount,
    currency,
    to_base: anyAmount,
    crypto_balance: nullable(holding('quantity', text)),
  },
  {
    noun: 'balance history entry',
    // For a moment an undo leaves a row without an account.
    checks: [`${accounts.map(isSet).join(' + ')} <= 1`],
    uniqueTogether: [
      ['manual_account_id', 'month'],
      ['plaid_account_id', 'month'],
      ['crypto_manual_id', 'month'],
      ['crypto_synced_id', 'symbol', 'month'],
      ['deleted_account_id', 'month'],
    ],
  },
);

/** The last month, `YYYY-MM`, at whose end the balances of a book were recorded. */
export const recordedMonths = serverTable(
  'recorded_months',
  { book_id: integer, month: holding('month', sortedText) },
  { noun: 'last month of book', key: ['book_id'] },
);

/** The records of a book about the history of balances. A table comes after those that it refers to. */
export const historyRecords: readonly Table<'book'>[] = [deletedAccounts, balanceHistory];

/** The other tables about the history of balances, which a move copies. */
export const historyTables: readonly Table<'server'>[] = [recordedMonths];
