import * as schema from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const sessionComponents = {
  SignIn: schema.SignIn,
  SessionState: schema.SessionState,
  Session: schema.Session,
  SessionUser: schema.SessionUser,
  SessionBook: schema.SessionBook,
  SessionListResponse: schema.SessionList,
  PasswordUpdate: schema.PasswordUpdate,
};
