import type { components } from './openapi-types.ts';
import type { CallOptions } from './options.ts';
import { idPart } from './requests.ts';
import type { Requests } from './requests.ts';
import { hasId, holdsRecords, isObject } from './shapes.ts';

/** An account at an exchange or in a wallet, with its balances. */
export type SyncedCrypto = components['schemas']['SyncedCryptoAccount'];
/** One balance of such an account; quantities are decimal text. */
export type SyncedCryptoBalance = components['schemas']['SyncedCryptoBalance'];

/** Reads synced crypto. Everything rejects with an error of this library, or with the reason of an aborted signal. */
export interface SyncedCryptos {
  /** All synced accounts. */
  list(options?: CallOptions): Promise<readonly SyncedCrypto[]>;
  /** One account. ApiError 404: there is none. */
  get(id: number, options?: CallOptions): Promise<SyncedCrypto>;
  /** The balance of one currency, by its symbol such as `btc`. ApiError 404: there is none. */
  balance(id: number, symbol: string, options?: CallOptions): Promise<SyncedCryptoBalance>;
  /**
   * Has the service ask the provider for the balances now, and resolves to the account with them.
   *
   * Sent again after 429 alone: after any other failure it may have been done, and the error says what happened. Not
   * for polling.
   */
  refresh(id: number, options?: CallOptions): Promise<SyncedCrypto>;
}

/** Crypto of a client. */
export interface Crypto {
  /** Accounts that the service reads from their providers. */
  readonly synced: SyncedCryptos;
}

/** The crypto of a client. */
export function makeCrypto(requests: Requests): Crypto {
  const path = (id: number): string => `/crypto/synced/${idPart('id', id)}`;
  return {
    synced: {
      list: async (options = {}) => {
        const request = { ...options, path: '/crypto/synced' };
        const body = await requests.ask(request, isList, '{ crypto_synced }');
        return body.crypto_synced;
      },
      get: async (id, options = {}) =>
        await requests.ask({ ...options, path: path(id) }, isAccount, 'a synced account'),
      balance: async (id, symbol, options = {}) => {
        const request = { ...options, path: `${path(id)}/${encodeURIComponent(symbol)}` };
        return await requests.ask(request, isBalance, 'a balance');
      },
      refresh: async (id, options = {}) => {
        const request = { ...options, path: `${path(id)}/refresh`, method: 'POST' } as const;
        return await requests.ask(request, isAccount, 'a synced account');
      },
    },
  };
}

function isList(value: unknown): value is { readonly crypto_synced: readonly SyncedCrypto[] } {
  return holdsRecords(value, 'crypto_synced');
}

function isAccount(value: unknown): value is SyncedCrypto {
  return hasId(value);
}

function isBalance(value: unknown): value is SyncedCryptoBalance {
  return isObject(value);
}
