import { PlaidAccount, PlaidAccountList } from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const plaidAccountComponents = {
  PlaidAccountListResponse: PlaidAccountList,
  PlaidAccount,
} as const;
