import { bytes, integer, nullable, oneOf, serverTable, text, withDefault } from '../table.ts';
import type { Table } from '../table.ts';

const id = withDefault(integer);

/** Browsers that are signed in. A session is valid until `ends_at`, and for 30 days after `seen_at`. */
export const sessions = serverTable('sessions', {
  id,
  /** SHA-256 of the text in the cookie. */
  secret_hash: bytes,
  user_id: integer,
  book_id: integer,
  method: oneOf('link', 'password', 'passkey'),
  user_agent: nullable(text),
  /** The id of the database that the session is of. */
  database_id: text,
  created_at: text,
  /** When it was last used, to the minute. */
  seen_at: text,
  ends_at: text,
});

/** Links that sign a user in once. */
export const signInLinks = serverTable('sign_in_links', {
  id,
  /** SHA-256 of the text in the link. */
  secret_hash: bytes,
  user_id: integer,
  book_id: integer,
  /** The id of the database that the link is of. */
  database_id: text,
  created_at: text,
  expires_at: text,
});

/** The password of a user as a hash in the PHC string format. */
export const passwords = serverTable(
  'passwords',
  { user_id: integer, phc: text, changed_at: text },
  { key: ['user_id'] },
);

/** Public keys with which users sign in. */
export const passkeys = serverTable('passkeys', {
  id,
  user_id: integer,
  name: text,
  credential_id: bytes,
  /** A COSE key. */
  public_key: bytes,
  /** How often it was used, as the authenticator counts; 0 if it does not count. */
  counter: integer,
  /** How a browser reaches it, as a JSON array. */
  transports: text,
  /** The name of the host that it is for. */
  host: text,
  created_at: text,
  used_at: nullable(text),
});

/** What a passkey must sign, once. */
export const passkeyChallenges = serverTable('passkey_challenges', {
  id,
  challenge: bytes,
  /** The user who creates a passkey; null for one who signs in. */
  user_id: nullable(integer),
  expires_at: text,
});

/** Passwords that were wrong, by the hash of what is slowed: an account, a source, or both. */
export const signInFailures = serverTable('sign_in_failures', {
  id,
  subject: bytes,
  failures: withDefault(integer),
  /** Until then no password is tried. */
  blocked_until_ms: withDefault(integer),
  /** When the failures no longer count. */
  forgotten_at: text,
});

/** The tables of signing in, which a move copies. */
export const sessionsTables: readonly Table<'server'>[] = [
  sessions,
  signInLinks,
  passwords,
  passkeys,
  passkeyChallenges,
  signInFailures,
];
