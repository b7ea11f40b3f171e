import * as schema from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const passkeyComponents = {
  PasskeyRequest: schema.PasskeyRequest,
  PasskeyInsert: schema.PasskeyInsert,
  Passkey: schema.Passkey,
  PasskeyListResponse: schema.PasskeyList,
};
