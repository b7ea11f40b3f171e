import * as schema from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const accountComponents = {
  ManualAccountListResponse: schema.ManualAccountList,
  ManualAccount: schema.ManualAccount,
  ManualAccountInsert: schema.ManualAccountInsert,
  ManualAccountUpdate: schema.ManualAccountUpdate,
} as const;
