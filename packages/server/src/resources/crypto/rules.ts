import { wireNumber } from '../../wire/schema.ts';
import type { Row } from '../../db/table.ts';
import type { cryptoAccounts, cryptoBalances } from '../../db/tables.ts';
import type { SyncedCryptoAccount, SyncedCryptoBalance } from './schema.ts';

/** Where synced crypto balances come from, in the order of the wire's own list. */
export const cryptoProviders = ['kraken', 'coinbase', 'ethereum'] as const;
export type CryptoProvider = (typeof cryptoProviders)[number];

/**
 * How the connection to a provider stands.
 *
 * `initializing`: never read yet. `active`: the last reading succeeded, or failed in a way that passes. `relink`: the
 * provider refused the key. `unsupported`: the provider does not offer this account's balances, or its responses were
 * invalid several times in a row. A reading that succeeds always makes the account `active` again.
 */
export type CryptoStatus = 'active' | 'unsupported' | 'relink' | 'initializing';

/** What a provider has to be told; kept encrypted, and shown to nobody once it is stored. */
export type CryptoCredentials =
  | { readonly provider: 'ethereum'; readonly address: string }
  | { readonly provider: 'kraken'; readonly apiKey: string; readonly privateKey: string }
  | { readonly provider: 'coinbase'; readonly keyName: string; readonly privateKey: string };

/** How much of one asset an account holds. */
export interface CryptoHolding {
  /** Lower-case letters and digits, 1 to 25 characters, unique within a reading: `btc`. */
  readonly symbol: string;
  /** What the wire shows as the name, 1 to 45 characters: `BTC`. */
  readonly name: string;
  /** A decimal text with exactly 18 places, such as `0.100020003000400050`. */
  readonly quantity: string;
  /** The price source's id of the asset; null when it is not known. */
  readonly coingeckoId: string | null;
}

/** A holding with its worth. */
export interface CryptoBalance extends CryptoHolding {
  /** Ten-thousandths of the book's primary currency, an integer within ±(2^53 − 1); null without a price. */
  readonly toBase: number | null;
  /** When the price was made, ISO 8601 in UTC; null without a price. */
  readonly priceAsOfIso: string | null;
}

/** Everything that one refresh learnt. It replaces all balances of the account at once. */
export interface CryptoReading {
  /** When the provider answered, ISO 8601 in UTC. */
  readonly readAtIso: string;
  readonly balances: readonly CryptoBalance[];
}

/**
 * Why a provider could not be read.
 *
 * `unreachable`: no connection, status 3xx, 404 or 5xx, or an HTML page. `timeout`: no whole response within 5 s.
 * `rateLimited`: it limits requests, or refused a nonce. `refused`: it refused the key. `unsupported`: it says, in its
 * own protocol, that it does not offer this account's balances. `nonsense`: a response outside its protocol.
 * `unconfigured`: this service lacks a setting.
 */
export type CryptoRefreshReason =
  | 'unreachable'
  | 'timeout'
  | 'rateLimited'
  | 'refused'
  | 'unsupported'
  | 'nonsense'
  | 'unconfigured';

/** A proxy or a maintenance page may send nonsense once or twice without anything being wrong with the account. */
const nonsenseLimit = 3;

/**
 * The status of an account after a reading failed; null when it stays as it is.
 *
 * `refused` -> `relink`; `unsupported` -> `unsupported`; `nonsense` -> `unsupported` from the third reading in a row on.
 * All other reasons pass by themselves.
 */
export function statusAfter(reason: CryptoRefreshReason, nonsenseInARow = 1): CryptoStatus | null {
  switch (reason) {
    case 'refused':
      return 'relink';
    case 'unsupported':
      return 'unsupported';
    case 'nonsense':
      return nonsenseInARow >= nonsenseLimit ? 'unsupported' : null;
    case 'unreachable':
    case 'timeout':
    case 'rateLimited':
    case 'unconfigured':
      return null;
  }
}

/** A provider could not be read; the account keeps its balances. The message is for the caller, without secrets. */
export class CryptoRefreshError extends Error {
  override name = 'CryptoRefreshError';
  readonly reason: CryptoRefreshReason;
  /** Whole seconds that the provider asks to wait; null when it says nothing. */
  readonly retryAfterSeconds: number | null;

  constructor(
    reason: CryptoRefreshReason,
    message: string,
    retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** An account with its balances by symbol, as the wire has it. */
export function accountToWire(
  account: Row<typeof cryptoAccounts>,
  balances: readonly Row<typeof cryptoBalances>[],
): SyncedCryptoAccount {
  return {
    id: account.id,
    provider: account.provider,
    status: account.status,
    created_by_name: account.created_by_name,
    created_at: account.created_at,
    updated_at: account.updated_at,
    last_import: account.last_import,
    display_name: account.display_name,
    balances: balances.map(balanceToWire),
  };
}

/** A balance is stored when it is read, whole, so it is as old as the reading. */
export function balanceToWire(balance: Row<typeof cryptoBalances>): SyncedCryptoBalance {
  return {
    name: balance.name,
    display_name: null,
    balance: balance.quantity,
    symbol: balance.symbol,
    coingecko_id: balance.coingecko_id,
    to_base: balance.to_base === null ? null : wireNumber(balance.to_base),
    balance_as_of: balance.read_at,
    exchange_rate_as_of: balance.price_as_of,
    updated_at: balance.read_at,
  };
}
