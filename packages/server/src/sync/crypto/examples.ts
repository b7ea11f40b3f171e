import type {
  SyncedCryptoAccount,
  SyncedCryptoBalance,
  SyncedCryptoListResponse,
} from './schema.ts';

/** An asset with a price. */
const bitcoin: SyncedCryptoBalance = {
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

/** An asset without a price. */
const unpricedAsset: SyncedCryptoBalance = {
  ...bitcoin,
  name: 'NEWCOIN',
  balance: '1200.000000000000000001',
  symbol: 'newcoin',
  coingecko_id: null,
  to_base: null,
  exchange_rate_as_of: null,
};

/** An account at an exchange. */
const coinbaseAccount: SyncedCryptoAccount = {
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

/** A new wallet. */
const unreadWallet: SyncedCryptoAccount = {
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
const syncedList: SyncedCryptoListResponse = {
  crypto_synced: [coinbaseAccount, unreadWallet],
};

/** Example bodies of synced crypto accounts; tests check each against its schema. */
export const cryptoExamples = {
  list: { accounts: { summary: 'An exchange and a new wallet', value: syncedList } },
  syncedCryptoAccount: {
    coinbase: { summary: 'An account at an exchange', value: coinbaseAccount },
    wallet: { summary: 'A new wallet', value: unreadWallet },
  },
  one: {
    coinbase: { summary: 'An account at an exchange', value: coinbaseAccount },
    wallet: { summary: 'A new wallet', value: unreadWallet },
  },
  balance: {
    bitcoin: { summary: 'A balance with a price', value: bitcoin },
    unpriced: { summary: 'An asset without a price', value: unpricedAsset },
  },
};
