import {
  integer,
  text,
  sortedText,
  bytes,
  digest,
  id,
  userId,
  oneOf,
  nullable,
  withDefault,
  checked,
  unique,
  serverTable,
  looseBookId,
} from '../table.ts';
import type { Table } from '../table.ts';

/** Browsers that are signed in. A session is valid until `ends_at`, and for 30 days after `seen_at`. */
export const sessions = serverTable('sessions', {
  id,
  /** SHA-256 of the text in the cookie. */
  secret_hash: unique(digest),
  user_id: userId,
  book_id: looseBookId,
  method: oneOf('link', 'password', 'passkey'),
  user_agent: nullable(text),
  /** The id of the database that the session is of. */
  database_id: sortedText,
  created_at: sortedText,
  /** When it was last used, to the minute. */
  seen_at: sortedText,
  ends_at: sortedText,
});

/** Links that sign a user in once. */
export const signInLinks = serverTable('sign_in_links', {
  id,
  /** SHA-256 of the text in the link. */
  secret_hash: unique(digest),
  user_id: userId,
  book_id: looseBookId,
  /** The id of the database that the link is of. */
  database_id: sortedText,
  created_at: text,
  expires_at: sortedText,
});

/** The password of a user as a hash in the PHC string format. */
export const passwords = serverTable(
  'passwords',
  { user_id: userId, phc: text, changed_at: text },
  { key: ['user_id'] },
);

/** Public keys with which users sign in. */
export const passkeys = serverTable('passkeys', {
  id,
  user_id: userId,
  name: text,
  credential_id: unique(checked(bytes, 'length(@) > 0')),
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
  challenge: unique(digest),
  /** The user who creates a passkey; null for one who signs in. */
  user_id: nullable(userId),
  expires_at: sortedText,
});

/** Passwords that were wrong, by the hash of what is slowed: an account, a source, or both. */
export const signInFailures = serverTable('sign_in_failures', {
  id,
  subject: unique(digest),
  failures: withDefault(integer, 0),
  /** Until then no password is tried. */
  blocked_until_ms: withDefault(integer, 0),
  /** When the failures no longer count. */
  forgotten_at: sortedText,
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
