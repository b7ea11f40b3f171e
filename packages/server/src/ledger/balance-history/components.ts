import * as schema from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const balanceHistoryComponents = {
  BalanceHistoryListResponse: schema.BalanceHistoryList,
  AccountHistory: schema.AccountHistory,
  ManualSource: schema.ManualSource,
  PlaidSource: schema.PlaidSource,
  ManualCryptoSource: schema.ManualCryptoSource,
  SyncedCryptoSource: schema.SyncedCryptoSource,
  DeletedSource: schema.DeletedSource,
  HistoricalBalance: schema.HistoricalBalance,
  CurrentBalance: schema.CurrentBalance,
  BalanceHistoryUpdate: schema.BalanceHistoryUpdate,
  BalanceHistoryEntryUpdate: schema.BalanceHistoryEntryUpdate,
  DeletedAccountDetails: schema.DeletedAccountDetails,
  DeletedAccountUpdate: schema.DeletedAccountUpdate,
} as const;
