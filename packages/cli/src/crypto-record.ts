import type { CryptoAccount } from '@coffer/server';
import { decimal } from './decimal.ts';

/**
 * A synced crypto account with its balances, as a line of JSON has it: the keys of the wire, `to_base` a decimal string
 * with four places. It holds no credentials.
 */
export function cryptoRecord({ balances, ...account }: CryptoAccount): object {
  return {
    id: account.id,
    provider: account.provider,
    status: account.status,
    created_by_name: account.createdByName,
    created_at: account.createdAtIso,
    updated_at: account.updatedAtIso,
    last_import: account.lastImportIso,
    display_name: account.displayName,
    balances: balances.map((balance) => ({
      name: balance.name,
      balance: balance.quantity,
      symbol: balance.symbol,
      coingecko_id: balance.coingeckoId,
      to_base: balance.toBase === null ? null : decimal(balance.toBase),
      balance_as_of: balance.balanceAsOfIso,
      exchange_rate_as_of: balance.priceAsOfIso,
      updated_at: balance.updatedAtIso,
    })),
  };
}
