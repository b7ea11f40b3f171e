import { Problem } from '../../operations/problem.ts';
import { wireNumber } from '../../operations/schema.ts';
import type { Row } from '../../db/table.ts';
import type { cryptoAccounts, cryptoBalances } from '../../db/tables/tables.ts';
import type { SyncedCryptoAccount, SyncedCryptoBalance } from './schema.ts';

/** The providers of synced crypto balances, in the order of the API document. */
export const cryptoProviders = ['kraken', 'coinbase', 'ethereum'] as const;
export type CryptoProvider = (typeof cryptoProviders)[number];

/**
 * The state of the connection to a provider.
 *
 * `initializing`: not read yet. `active`: the last reading succeeded or failed temporarily. `relink`: the provider
 * refused the key. `unsupported`: the provider does not offer this account's balances, or its responses were invalid
 * several times in a row. A reading that succeeds always makes the account `active` again.
 */
export type CryptoStatus = 'active' | 'unsupported' | 'relink' | 'initializing';

/** Credentials for a provider; stored encrypted and never shown again. */
export type CryptoCredentials =
  | { readonly provider: 'ethereum'; readonly address: string }
  | { readonly provider: 'kraken'; readonly apiKey: string; readonly privateKey: string }
  | { readonly provider: 'coinbase'; readonly keyName: string; readonly privateKey: string };

/** The quantity of one asset in an account. */
export interface CryptoHolding {
  /** Lower-case letters and digits, 1 to 25 characters, unique within a reading: `btc`. */
  readonly symbol: string;
  /** The name in responses, 1 to 45 characters: `BTC`. */
  readonly name: string;
  /** A decimal text with exactly 18 decimals, such as `0.100020003000400050`. */
  readonly quantity: string;
  /** The id of the asset at the price source; null when unknown. */
  readonly coingeckoId: string | null;
}

/** A holding with its value. */
export interface CryptoBalance extends CryptoHolding {
  /** Ten-thousandths of the book's primary currency, an integer within ±(2^53 − 1); null without a price. */
  readonly toBase: number | null;
  /** The time of the price, ISO 8601 in UTC; null without a price. */
  readonly priceAsOfIso: string | null;
}

/** The price of one unit of an asset in a currency that the context names. */
export interface AssetPrice {
  readonly coingeckoId: string;
  /** A number literal such as `65000.12` or `12e-9`. */
  readonly price: string;
  /** The time of the price, ISO 8601 in UTC. */
  readonly asOfIso: string;
}

/** The result of one refresh. It replaces all balances of the account at once. */
export interface CryptoReading {
  /** When the provider responded, ISO 8601 in UTC. */
  readonly readAtIso: string;
  readonly balances: readonly CryptoBalance[];
  /** The prices that were read, in the primary currency of the book. */
  readonly prices?: readonly AssetPrice[];
}

/**
 * Why a reading failed.
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

/** A proxy or a maintenance page may send nonsense once or twice while the account is fine. */
const nonsenseLimit = 3;

/**
 * Returns the status of an account after a reading failed; null when it does not change.
 *
 * `refused` -> `relink`; `unsupported` -> `unsupported`; `nonsense` -> `unsupported` from the third reading in a row.
 * All other reasons are temporary.
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

/** A provider failed; the account keeps its balances. The message is for the caller, without secrets. */
export class CryptoRefreshError extends Error {
  override name = 'CryptoRefreshError';
  readonly reason: CryptoRefreshReason;
  /** Whole seconds to wait, as the provider requested; null when it did not. */
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

/** Returns the response to a request for which a provider failed, not this service; the caller gets the reason. */
export function providerProblem(cause: CryptoRefreshError): Problem {
  const { reason, message, retryAfterSeconds } = cause;
  const seconds = String(Math.max(1, retryAfterSeconds ?? 0));
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': seconds };
  const kind = reason === 'timeout' ? 'gatewayTimeout' : 'badGateway';
  return new Problem(kind, { headers, details: [{ errMsg: message, reason }], cause });
}

/** Returns an account with its balances by symbol, as in a response. */
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

/** Returns a balance as in a response. All its times are those of the reading. */
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

/**
 * Returns a synced crypto account for a file: with the keys of the API, but `to_base` is a decimal string with four
 * places. It has no credentials.
 */
export function cryptoRecord({ balances, ...account }: SyncedCryptoAccount): object {
  return {
    ...account,
    balances: balances.map(({ display_name: _, to_base, ...balance }) => ({
      name: balance.name,
      balance: balance.balance,
      symbol: balance.symbol,
      coingecko_id: balance.coingecko_id,
      // Its JSON has all digits.
      to_base: to_base === null ? null : JSON.stringify(to_base),
      balance_as_of: balance.balance_as_of,
      exchange_rate_as_of: balance.exchange_rate_as_of,
      updated_at: balance.updated_at,
    })),
  };
}
