import type { CallOptions } from '../../sending/options.ts';
import type { BudgetSettings } from '../budgets.ts';
import type { SyncedAccount } from '../accounts.ts';
import type { Category } from '../categories.ts';
import { objectShape, recordShape } from '../resource.ts';
import type { Call, QueryOf, Schema, Shape } from '../resource.ts';
import { makeEarlierTransactions } from './earlier-transactions.ts';
import type { EarlierTransactions } from './earlier-transactions.ts';
import { makeHistory } from './history.ts';
import type { History } from './history.ts';
import { readChanges } from './changes.ts';
import type { ChangePage, ChangeQuery } from './changes.ts';
import { makeImports } from './imports.ts';
import type { Imports } from './imports.ts';
import { makeRecurringDefinitions } from './recurring-definitions.ts';
import type { RecurringDefinitions } from './recurring-definitions.ts';
import { makeRules } from './rules.ts';
import type { Rules } from './rules.ts';
import { makeWebhooks } from './webhooks.ts';
import type { Webhooks } from './webhooks.ts';

/** New values for settings of budgets. */
export type BudgetSettingsUpdate = Schema<'BudgetSettingsUpdate'>;
/** Which account to merge into: one of the two ids. */
export type AccountMerge = Schema<'AccountMerge'>;
/** The account that is left of a merge, and how many transactions moved to it. */
export type MergedAccount = Schema<'MergedAccount'>;
/** In which format to export the book, and as it was when. */
export type ExportQuery = QueryOf<'exportBook'>;

/** Sums of transactions. */
export type TransactionSums = Schema<'TransactionSums'>;
/** Which months to sum, and what the sums are divided by. */
export type SumsQuery = QueryOf<'getTransactionSums'>;
/** Payees of transactions. */
export type PayeeList = Schema<'PayeeList'>;
/** Which payees to list. */
export type PayeesQuery = QueryOf<'getPayees'>;

/** Coffer's own API, under `/coffer/`. Other services respond with 404. */
export interface CofferApi {
  /** Rules that change transactions. */
  readonly rules: Rules;
  /** Recurring items: create, change, delete. */
  readonly recurringItems: RecurringDefinitions;
  /** Imports of files: list, undo, redo. */
  readonly imports: Imports;
  /** What happened in the book: changes, and records before and after. */
  readonly history: History;
  /** Searches of transactions, and transactions as they were at a version or a time. */
  readonly transactions: EarlierTransactions;
  /** Webhooks: create, change, test, deliver again. */
  readonly webhooks: Webhooks;
  /** One page of changes of the book; `client.changes()` follows them. */
  changes(query?: ChangeQuery, options?: CallOptions): Promise<ChangePage>;
  /**
   * The whole book as a file, as of one version: CSV by default. A file that is not whole is an error. The time limits
   * of the call include the download.
   */
  export(query?: ExportQuery, options?: CallOptions): Promise<File>;
  /** Sums of transactions by month, category and account. */
  sums(query?: SumsQuery, options?: CallOptions): Promise<TransactionSums>;
  /** Payees of transactions: those that begin with the words first, then the most used. */
  payees(query?: PayeesQuery, options?: CallOptions): Promise<PayeeList>;
  /** Settings of budgets. */
  readonly budgetSettings: {
    /** The settings; `budgets.settings` reads the same. */
    get(options?: CallOptions): Promise<BudgetSettings>;
    /** Changes the given settings and resolves to all. */
    update(changes: BudgetSettingsUpdate, options?: CallOptions): Promise<BudgetSettings>;
  };
  /** Moves all records of a category to the one with `into_id`, deletes it, and resolves to the other. */
  mergeCategory(
    id: number,
    merge: Schema<'CategoryMerge'>,
    options?: CallOptions,
  ): Promise<Category>;
  /** Locks or unlocks a synced account: whether its transactions may be changed. */
  updateSyncedAccount(
    id: number,
    changes: Schema<'PlaidAccountUpdate'>,
    options?: CallOptions,
  ): Promise<SyncedAccount>;
  /** Moves all records of a manual account to another account, and deletes it. */
  mergeAccount(id: number, merge: AccountMerge, options?: CallOptions): Promise<MergedAccount>;
}

const settings = objectShape<BudgetSettings>('the settings of budgets');
const category = recordShape<Category>('a category');
const syncedAccount = recordShape<SyncedAccount>('a synced account');
const file: Shape<File> = {
  name: 'a file',
  read: (body) => (body instanceof File ? body : null),
};
const sums = objectShape<TransactionSums>('sums of transactions');
const payees = objectShape<PayeeList>('payees');
const mergedAccount = objectShape<MergedAccount>('a merged account');

/** Coffer's own API of a client; `call` is that of this API. */
export function makeCofferApi(call: Call): CofferApi {
  return {
    rules: makeRules(call),
    recurringItems: makeRecurringDefinitions(call),
    imports: makeImports(call),
    history: makeHistory(call),
    transactions: makeEarlierTransactions(call),
    webhooks: makeWebhooks(call),
    changes: (query, options) => readChanges(call, query, options),
    export: (query, options) => call(file, ['export'], { ...options, query, isFile: true }),
    sums: (query, options) => call(sums, ['sums'], { ...options, query }),
    payees: (query, options) => call(payees, ['payees'], { ...options, query }),
    budgetSettings: {
      get: (options) => call(settings, ['budget_settings'], options),
      update: (body, options) =>
        call(settings, ['budget_settings'], { ...options, method: 'PUT', body }),
    },
    updateSyncedAccount: (id, body, options) =>
      call(syncedAccount, ['plaid_accounts', { id }], { ...options, method: 'PUT', body }),
    mergeCategory: (id, body, options) =>
      call(category, ['categories', { id }, 'merge'], { ...options, method: 'POST', body }),
    mergeAccount: (id, body, options) => {
      const path = ['manual_accounts', { id }, 'merge'];
      return call(mergedAccount, path, { ...options, method: 'POST', body });
    },
  };
}
