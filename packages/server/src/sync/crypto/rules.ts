import type { Row } from '../../db/table.ts';
import type { cryptoAccounts, cryptoBalances } from '../../db/tables/tables.ts';
import { wireNumber } from '../../operations/schema.ts';
import type { CryptoRefreshReason } from '../../outside/provider-error.ts';
import type { AssetPrice, CryptoBalance } from '../prices/worth.ts';
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

/** The result of one refresh. It replaces all balances of the account at once. */
export interface CryptoReading {
  /** When the provider responded, ISO 8601 in UTC. */
  readonly readAtIso: string;
  readonly balances: readonly CryptoBalance[];
  /** The prices that were read, in the primary currency of the book. */
  readonly prices?: readonly AssetPrice[];
}

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
    balances: balances.map(({ display_name: _, ...balance }) => ({
      ...balance,
      // Its JSON has all digits.
      to_base: balance.to_base === null ? null : JSON.stringify(balance.to_base),
    })),
  };
}
