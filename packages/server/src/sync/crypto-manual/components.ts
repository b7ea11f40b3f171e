import {
  ManualCryptoAccount,
  ManualCryptoInsert,
  ManualCryptoList,
  ManualCryptoUpdate,
} from './schema.ts';

/** Components of the document about manual crypto accounts, by name. */
export const manualCryptoComponents = {
  ManualCryptoAccountListResponse: ManualCryptoList,
  ManualCryptoAccount,
  ManualCryptoInsert,
  ManualCryptoUpdate,
} as const;
