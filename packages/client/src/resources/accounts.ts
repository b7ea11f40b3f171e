import type { CallOptions } from '../sending/options.ts';
import { listShape, nothing, recordMethods, recordShape } from './resource.ts';
import type { Call, QueryOf, RecordMethods, Schema } from './resource.ts';

/** An account whose balance is kept by hand. Money is text with four decimals. */
export type Account = Schema<'ManualAccount'>;
/** A new account. */
export type AccountInsert = Schema<'ManualAccountInsert'>;
/** New values for properties of an account; a complete record is accepted too. */
export type AccountUpdate = Schema<'ManualAccountUpdate'>;
/** Query parameters of a deletion; both are false by default. */
export type AccountDeletion = QueryOf<'deleteManualAccount'>;
/** An account that the service reads from a bank. */
export type SyncedAccount = Schema<'PlaidAccount'>;
/** Which accounts and days to fetch. */
export type AccountFetch = QueryOf<'triggerPlaidAccountFetch'>;

/** Methods of manual accounts. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Accounts extends RecordMethods<
  Account,
  AccountInsert,
  AccountUpdate,
  AccountDeletion
> {
  /** All manual accounts, in one request. */
  list(options?: CallOptions): Promise<readonly Account[]>;
}

/** Methods of synced accounts. All reject with an error of this library, or with the reason of an aborted signal. */
export interface SyncedAccounts {
  /** All synced accounts, in one request. */
  list(options?: CallOptions): Promise<readonly SyncedAccount[]>;
  /** One synced account. ApiError 404: it does not exist. */
  get(id: number, options?: CallOptions): Promise<SyncedAccount>;
  /**
   * Makes the service fetch new transactions from the banks; resolves when it has begun. ApiError 425: the last fetch
   * was less than a minute ago.
   */
  fetch(query?: AccountFetch, options?: CallOptions): Promise<void>;
}

const account = recordShape<Account>('a manual account');
const accounts = listShape<Account>('manual_accounts');
const syncedAccount = recordShape<SyncedAccount>('a synced account');
const syncedAccounts = listShape<SyncedAccount>('plaid_accounts');

/** The manual accounts of a client. */
export function makeAccounts(call: Call): Accounts {
  return {
    ...recordMethods(call, ['manual_accounts'], account),
    list: (options) => call(accounts, ['manual_accounts'], options),
  };
}

/** The synced accounts of a client. */
export function makeSyncedAccounts(call: Call): SyncedAccounts {
  const base = 'plaid_accounts';
  return {
    list: (options) => call(syncedAccounts, [base], options),
    get: (id, options) => call(syncedAccount, [base, { id }], options),
    fetch: (query, options) =>
      call(nothing, [base, 'fetch'], { ...options, method: 'POST', query }),
  };
}
