import type { SyncedCryptoAccount } from '@coffer/server';

/**
 * Returns a synced crypto account with its balances, for JSON. It has the keys of the API, but `to_base` is a decimal
 * string with four places. It has no credentials.
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
