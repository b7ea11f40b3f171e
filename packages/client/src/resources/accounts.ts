import type { CallOptions } from '../sending/options.ts';
import {
  listShape,
  nothing,
  recordMethods,
  recordShape,
  arrayShape,
  objectShape,
  type Call,
  type QueryOf,
  type RecordMethods,
  type Schema,
  type Path,
} from './resource.ts';

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

const history = objectShape<AccountHistory>('a balance history');
const histories = arrayShape<AccountHistory>('balance_history');
const details = objectShape<DeletedAccountDetails>('details of an account');

/** The balance history of a client. */
export function makeBalanceHistory(call: Call): BalanceHistory {
  const base = ['balance_history'];
  const pathOf = (account: HistoryAccount): Path => {
    const path = [...base, account.type, { id: account.id }];
    return account.type === 'crypto_synced' ? [...path, account.symbol] : path;
  };
  return {
    list: (query, options) => call(histories, base, { ...options, query }),
    get: (account, query, options) => call(histories, pathOf(account), { ...options, query }),
    set: (account, balances, options) =>
      call(history, pathOf(account), { ...options, method: 'PUT', body: { balances } }),
    delete: (account, options) => call(nothing, pathOf(account), { ...options, method: 'DELETE' }),
    deleteEntry: (id, options) =>
      call(nothing, [...base, 'entries', { id }], { ...options, method: 'DELETE' }),
    updateDeleted: (id, body, options) =>
      call(details, [...base, 'deleted', { id }, 'details'], { ...options, method: 'PUT', body }),
  };
}

/** An account at an exchange or in a wallet, with its balances. */
export type SyncedCrypto = Schema<'SyncedCryptoAccount'>;
/** One balance of such an account; quantities are decimal text. */
export type SyncedCryptoBalance = Schema<'SyncedCryptoBalance'>;
/** An account with a quantity of one asset that is kept by hand; quantities are decimal text. */
export type ManualCrypto = Schema<'ManualCryptoAccount'>;
/** A new manual crypto account. */
export type ManualCryptoInsert = Schema<'ManualCryptoInsert'>;
/** New values for properties of a manual crypto account; a complete record is accepted too. */
export type ManualCryptoUpdate = Schema<'ManualCryptoUpdate'>;
/** Query parameters of a deletion. */
export type ManualCryptoDeletion = QueryOf<'deleteCryptoManual'>;
/** An asset with a price. */
export type Cryptocurrency = Schema<'Cryptocurrency'>;

/** Methods of synced crypto. All reject with an error of this library, or with the reason of an aborted signal. */
export interface SyncedCryptos {
  /** All synced accounts. */
  list(options?: CallOptions): Promise<readonly SyncedCrypto[]>;
  /** One account. ApiError 404: it does not exist. */
  get(id: number, options?: CallOptions): Promise<SyncedCrypto>;
  /** The balance of one currency, by its symbol such as `btc`. ApiError 404: it does not exist. */
  balance(id: number, symbol: string, options?: CallOptions): Promise<SyncedCryptoBalance>;
  /**
   * Makes the service fetch the balances from the provider now, and resolves to the account with them. Not for polling.
   * ApiError 502 and 504: the provider failed or did not respond, also after the retries.
   */
  refresh(id: number, options?: CallOptions): Promise<SyncedCrypto>;
}

/** Methods of manual crypto accounts. `delete` needs `keep_history` when there is one: ApiError 422 without it. */
export interface ManualCryptos extends RecordMethods<
  ManualCrypto,
  ManualCryptoInsert,
  ManualCryptoUpdate,
  ManualCryptoDeletion
> {
  /** All manual crypto accounts, in one request. */
  list(options?: CallOptions): Promise<readonly ManualCrypto[]>;
}

/** Crypto of a client. */
export interface Crypto {
  /** Accounts that the service syncs from their providers. */
  readonly synced: SyncedCryptos;
  /** Accounts that are kept by hand. */
  readonly manual: ManualCryptos;
}

/** Methods of cryptocurrencies. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Cryptocurrencies {
  /** All assets that manual crypto accounts can have. */
  list(options?: CallOptions): Promise<readonly Cryptocurrency[]>;
  /** Adds an asset by its page at CoinGecko. ApiError 422: there is no such asset, or it exists already. */
  create(insert: Schema<'CryptocurrencyInsert'>, options?: CallOptions): Promise<Cryptocurrency>;
}

const syncedCrypto = recordShape<SyncedCrypto>('a synced account');
const syncedCryptos = listShape<SyncedCrypto>('crypto_synced');
const balance = objectShape<SyncedCryptoBalance>('a balance');
const manualCrypto = recordShape<ManualCrypto>('a manual crypto account');
const manualCryptos = listShape<ManualCrypto>('crypto_manual');
const currency = recordShape<Cryptocurrency>('a cryptocurrency');
const currencies = listShape<Cryptocurrency>('cryptocurrencies');

/** The crypto of a client. */
export function makeCrypto(call: Call): Crypto {
  const base = ['crypto', 'synced'];
  const manual = ['crypto', 'manual'];
  return {
    synced: {
      list: (options) => call(syncedCryptos, base, options),
      get: (id, options) => call(syncedCrypto, [...base, { id }], options),
      balance: (id, symbol, options) => call(balance, [...base, { id }, symbol], options),
      refresh: (id, options) =>
        call(syncedCrypto, [...base, { id }, 'refresh'], { ...options, method: 'POST' }),
    },
    manual: {
      ...recordMethods(call, manual, manualCrypto),
      list: (options) => call(manualCryptos, manual, options),
    },
  };
}

/** The cryptocurrencies of a client. */
export function makeCryptocurrencies(call: Call): Cryptocurrencies {
  const path = ['cryptocurrencies'];
  return {
    list: (options) => call(currencies, path, options),
    create: (body, options) => call(currency, path, { ...options, method: 'POST', body }),
  };
}
