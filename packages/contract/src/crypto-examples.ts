import type {
  SyncedCryptoAccount,
  SyncedCryptoBalance,
  SyncedCryptoListResponse,
} from './crypto.ts';

/** An asset with a price. */
export const bitcoin: SyncedCryptoBalance = {
  name: 'BTC',
  display_name: null,
  balance: '0.031400000000000000',
  symbol: 'btc',
  coingecko_id: 'bitcoin',
  to_base: 2512.25,
  balance_as_of: '2026-03-15T06:30:00.250Z',
  exchange_rate_as_of: '2026-03-15T06:29:12.000Z',
  updated_at: '2026-03-15T06:30:00.250Z',
};

/** An asset that the price source does not know. */
export const unpricedAsset: SyncedCryptoBalance = {
  ...bitcoin,
  name: 'NEWCOIN',
  balance: '1200.000000000000000001',
  symbol: 'newcoin',
  coingecko_id: null,
  to_base: null,
  exchange_rate_as_of: null,
};

/** An account at an exchange. */
export const coinbaseAccount: SyncedCryptoAccount = {
  id: 7,
  provider: 'coinbase',
  status: 'active',
  created_by_name: 'Ada Quill',
  created_at: '2026-01-02T09:00:00.000Z',
  updated_at: '2026-03-15T06:30:00.250Z',
  last_import: '2026-03-15T06:30:00.250Z',
  display_name: 'Savings in coins',
  balances: [bitcoin, unpricedAsset],
};

/** A wallet that was not read yet. */
export const unreadWallet: SyncedCryptoAccount = {
  ...coinbaseAccount,
  id: 8,
  provider: 'ethereum',
  status: 'initializing',
  updated_at: '2026-01-02T09:00:00.000Z',
  last_import: null,
  display_name: null,
  balances: [],
};

/** Both accounts as a list. */
export const syncedList: SyncedCryptoListResponse = {
  crypto_synced: [coinbaseAccount, unreadWallet],
};
