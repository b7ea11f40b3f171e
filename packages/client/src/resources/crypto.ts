import type { components } from '../openapi-types.ts';
import type { CallOptions } from '../options.ts';
import { listShape, objectShape, recordShape } from './resource.ts';
import type { Call } from './resource.ts';

/** An account at an exchange or in a wallet, with its balances. */
export type SyncedCrypto = components['schemas']['SyncedCryptoAccount'];
/** One balance of such an account; quantities are decimal text. */
export type SyncedCryptoBalance = components['schemas']['SyncedCryptoBalance'];

/** Methods of synced crypto. All reject with an error of this library, or with the reason of an aborted signal. */
export interface SyncedCryptos {
  /** All synced accounts. */
  list(options?: CallOptions): Promise<readonly SyncedCrypto[]>;
  /** One account. ApiError 404: it does not exist. */
  get(id: number, options?: CallOptions): Promise<SyncedCrypto>;
  /** The balance of one currency, by its symbol such as `btc`. ApiError 404: it does not exist. */
  balance(id: number, symbol: string, options?: CallOptions): Promise<SyncedCryptoBalance>;
  /**
   * Makes the service fetch the balances from the provider now, and resolves to the account with them.
   *
   * Retried only after 429, because after any other failure the service may have done it. Not for polling.
   */
  refresh(id: number, options?: CallOptions): Promise<SyncedCrypto>;
}

/** Crypto of a client. */
export interface Crypto {
  /** Accounts that the service syncs from their providers. */
  readonly synced: SyncedCryptos;
}

const account = recordShape<SyncedCrypto>('a synced account');
const accounts = listShape<SyncedCrypto>('crypto_synced');
const balance = objectShape<SyncedCryptoBalance>('a balance');

/** The crypto of a client. */
export function makeCrypto(call: Call): Crypto {
  const base = ['crypto', 'synced'];
  return {
    synced: {
      list: (options) => call(accounts, base, options),
      get: (id, options) => call(account, [...base, { id }], options),
      balance: (id, symbol, options) => call(balance, [...base, { id }, symbol], options),
      refresh: (id, options) =>
        call(account, [...base, { id }, 'refresh'], { ...options, method: 'POST' }),
    },
  };
}
