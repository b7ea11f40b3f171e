import { PlaidAccount, PlaidAccountList, PlaidAccountUpdate } from './plaid-schema.ts';

/** The schemas of this folder, by their name in the document. */
export const plaidAccountComponents = {
  PlaidAccountListResponse: PlaidAccountList,
  PlaidAccount,
  PlaidAccountUpdate,
} as const;
