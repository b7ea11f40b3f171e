import type { CallOptions } from '../sending/options.ts';
import { listShape, objectShape, recordMethods, recordShape } from './resource.ts';
import type { Call, QueryOf, RecordMethods, Schema } from './resource.ts';

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

const account = recordShape<SyncedCrypto>('a synced account');
const accounts = listShape<SyncedCrypto>('crypto_synced');
const balance = objectShape<SyncedCryptoBalance>('a balance');
const manualAccount = recordShape<ManualCrypto>('a manual crypto account');
const manualAccounts = listShape<ManualCrypto>('crypto_manual');
const currency = recordShape<Cryptocurrency>('a cryptocurrency');
const currencies = listShape<Cryptocurrency>('cryptocurrencies');

/** The crypto of a client. */
export function makeCrypto(call: Call): Crypto {
  const base = ['crypto', 'synced'];
  const manual = ['crypto', 'manual'];
  return {
    synced: {
      list: (options) => call(accounts, base, options),
      get: (id, options) => call(account, [...base, { id }], options),
      balance: (id, symbol, options) => call(balance, [...base, { id }, symbol], options),
      refresh: (id, options) =>
        call(account, [...base, { id }, 'refresh'], { ...options, method: 'POST' }),
    },
    manual: {
      ...recordMethods(call, manual, manualAccount),
      list: (options) => call(manualAccounts, manual, options),
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
