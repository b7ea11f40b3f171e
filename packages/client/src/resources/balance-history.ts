import type { CallOptions } from '../sending/options.ts';
import { arrayShape, nothing, objectShape } from './resource.ts';
import type { Call, Path, QueryOf, Schema } from './resource.ts';

/** An account and its balances at the ends of months. */
export type AccountHistory = Schema<'AccountHistory'>;
/** The balance of a past month. */
export type BalanceUpdate = Schema<'BalanceHistoryEntryUpdate'>;
/** The first and the last month, `YYYY-MM`: both or none. */
export type BalanceHistoryQuery = QueryOf<'getBalanceHistory'>;
/** How a deleted account is shown. */
export type DeletedAccountDetails = Schema<'DeletedAccountDetails'>;
/** New values for properties of a deleted account. */
export type DeletedAccountUpdate = Schema<'DeletedAccountUpdate'>;

/** The account of a history. A synced crypto account has one for each symbol. */
export type HistoryAccount =
  | { readonly type: 'manual' | 'plaid' | 'crypto_manual' | 'deleted'; readonly id: number }
  | { readonly type: 'crypto_synced'; readonly id: number; readonly symbol: string };

/** Methods of balance history. All reject with an error of this library, or with the reason of an aborted signal. */
export interface BalanceHistory {
  /** The histories of all accounts. */
  list(query?: BalanceHistoryQuery, options?: CallOptions): Promise<readonly AccountHistory[]>;
  /** The history of one account, in a list. ApiError 404: it does not exist. */
  get(
    account: HistoryAccount,
    query?: BalanceHistoryQuery,
    options?: CallOptions,
  ): Promise<readonly AccountHistory[]>;
  /** Sets balances of past months, and resolves to their entries. Other months remain. */
  set(
    account: HistoryAccount,
    balances: readonly BalanceUpdate[],
    options?: CallOptions,
  ): Promise<AccountHistory>;
  /** Deletes the history of one account. ApiError 404: the account does not exist. */
  delete(account: HistoryAccount, options?: CallOptions): Promise<void>;
  /** Deletes the balance of one month, by the id of its entry. ApiError 404: it does not exist. */
  deleteEntry(id: number, options?: CallOptions): Promise<void>;
  /** Changes how a deleted account is shown; `id` is its `deleted_account_id`. */
  updateDeleted(
    id: number,
    changes: DeletedAccountUpdate,
    options?: CallOptions,
  ): Promise<DeletedAccountDetails>;
}

const base = 'balance_history';
const history = objectShape<AccountHistory>('a balance history');
const histories = arrayShape<AccountHistory>(base);
const details = objectShape<DeletedAccountDetails>('details of an account');

/** The balance history of a client. */
export function makeBalanceHistory(call: Call): BalanceHistory {
  return {
    list: (query, options) => call(histories, [base], { ...options, query }),
    get: (account, query, options) => call(histories, pathOf(account), { ...options, query }),
    set: (account, balances, options) =>
      call(history, pathOf(account), { ...options, method: 'PUT', body: { balances } }),
    delete: (account, options) => call(nothing, pathOf(account), { ...options, method: 'DELETE' }),
    deleteEntry: (id, options) =>
      call(nothing, [base, 'entries', { id }], { ...options, method: 'DELETE' }),
    updateDeleted: (id, body, options) =>
      call(details, [base, 'deleted', { id }, 'details'], { ...options, method: 'PUT', body }),
  };
}

function pathOf(account: HistoryAccount): Path {
  const path = [base, account.type, { id: account.id }];
  return account.type === 'crypto_synced' ? [...path, account.symbol] : path;
}
