import * as schema from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const tokenComponents = {
  AccessToken: schema.AccessToken,
  NewAccessToken: schema.NewAccessToken,
  AccessTokenInsert: schema.TokenInsert,
  AccessTokenListResponse: schema.TokenList,
};
