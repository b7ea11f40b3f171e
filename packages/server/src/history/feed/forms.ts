import sql, { join, raw } from 'sql-template-tag';
import { padded } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Where } from '../../db/rows.ts';
import type { BookTable, Row } from '../../db/table.ts';
import * as tables from '../../db/tables/tables.ts';
import { ownTransactions } from '../../pages/pages.ts';
import { toWire as manualAccountToWire } from '../../ledger/accounts/rules.ts';
import { toWire as fileToWire } from '../../ledger/transactions/attachments/rules.ts';
import { deletedToWire, entryToWire } from '../../ledger/balance-history/rules.ts';
import { budgetToWire } from '../../ledger/budgets/actions.ts';
import { toWire as categoryToWire } from '../../ledger/categories/rules.ts';
import { toWire as manualCryptoToWire } from '../../sync/crypto-manual/rules.ts';
import { accountToWire, balanceToWire } from '../../sync/crypto/rules.ts';
import { toWire as plaidAccountToWire } from '../../ledger/accounts/plaid-rules.ts';
import { detailsOf } from '../../ledger/recurring/rules.ts';
import { settingsToWire } from '../../ledger/budgets/settings.ts';
import { ruleToWire, toBookRule } from '../../ledger/rules/book-rules.ts';
import { toWire as tagToWire } from '../../ledger/tags/rules.ts';

/** A record with the values of its key, joined by blanks, and its JSON. */
export interface PresentRecord {
  readonly key: string;
  readonly json: string;
}

/** How the records of a table look outside. */
export interface RecordForm {
  readonly table: BookTable;
  /** Returns records by the first column of their keys, at most a block of ids. Missing ones are left out. */
  readonly read: (bookId: number, ids: readonly number[]) => Steps<PresentRecord[]>;
}

/**
 * The forms of records, as in the responses to requests for them. A form depends on the record alone, so that a reader
 * of the feed misses nothing. Only a crypto account has its balances too, which change together with it.
 */
export const recordForms: readonly RecordForm[] = [
  { table: tables.transactions, read: readTransactions },
  { table: tables.cryptoAccounts, read: readCryptoAccounts },
  formOf(tables.cryptoBalances, balanceToWire),
  formOf(tables.manualCryptoAccounts, manualCryptoToWire),
  formOf(tables.manualAccounts, manualAccountToWire),
  formOf(tables.plaidAccounts, plaidAccountToWire),
  formOf(tables.categories, categoryToWire),
  formOf(tables.tags, tagToWire),
  formOf(tables.recurringItems, detailsOf),
  formOf(tables.transactionFiles, (row) => ({
    ...fileToWire(row),
    transaction_id: row.transaction_id,
  })),
  formOf(tables.budgets, budgetToWire),
  formOf(tables.budgetSettings, settingsToWire),
  formOf(tables.rules, (row) => ruleToWire(toBookRule(row), row.position - 1)),
  formOf(tables.deletedAccounts, deletedToWire),
  formOf(tables.balanceHistory, balanceOfMonth),
  formOf(tables.connections, connectionToWire),
];

function formOf<T extends BookTable>(table: T, toWire: (row: Row<T>) => object): RecordForm {
  return {
    table,
    *read(bookId, ids) {
      const found = yield* rowsOf(table, table.key[0]!, bookId, ids);
      return found.map((row) => ({
        key: table.key.map((name) => row[name]).join(' '),
        json: JSON.stringify(toWire(row)),
      }));
    },
  };
}

function* rowsOf<T extends BookTable>(
  table: T,
  column: string,
  bookId: number,
  ids: readonly number[],
): Steps<Row<T>[]> {
  const and = sql`${raw(column)} IN (${join(padded(ids, 0))})`;
  return yield* select(table, { book_id: bookId } as Where<T>, { and });
}

function* readTransactions(bookId: number, ids: readonly number[]): Steps<PresentRecord[]> {
  const found = yield* ownTransactions(bookId, ids);
  return found.map(({ id, json }) => ({ key: String(id), json }));
}

function* readCryptoAccounts(bookId: number, ids: readonly number[]): Steps<PresentRecord[]> {
  const accounts = yield* rowsOf(tables.cryptoAccounts, 'id', bookId, ids);
  const balances = yield* rowsOf(tables.cryptoBalances, 'account_id', bookId, ids);
  const ofAccount = Map.groupBy(balances, ({ account_id }) => account_id);
  return accounts.map((account) => ({
    key: String(account.id),
    json: JSON.stringify(accountToWire(account, ofAccount.get(account.id) ?? [])),
  }));
}

/** The balance of an account at the end of a month, with the account: one of the five ids is set. */
function balanceOfMonth(row: Row<typeof tables.balanceHistory>): object {
  const { manual_account_id, plaid_account_id, crypto_manual_id, crypto_synced_id } = row;
  const { deleted_account_id, symbol } = row;
  return {
    ...entryToWire(row),
    manual_account_id,
    plaid_account_id,
    crypto_manual_id,
    crypto_synced_id,
    deleted_account_id,
    symbol,
  };
}

function connectionToWire(row: Row<typeof tables.connections>): object {
  const { id, provider, status, name, created_by_name, created_at, updated_at, last_read } = row;
  const problems = row.problems === null ? [] : row.problems.split('\n');
  return {
    id,
    provider,
    status,
    name,
    created_by_name,
    created_at,
    updated_at,
    last_read,
    problems,
  };
}
