import type { MigrationWords } from './words.ts';

/**
 * The seventh schema: signing in with a browser.
 *
 * Secrets are stored as hashes. Sessions and links are of the database with the id `database_id`, so that a restored or
 * moved copy of the database accepts none of them: it may have sessions that were ended since.
 */
export function sessions(words: MigrationWords): string {
  const { id, serverKey, integer, text, sortedText, bytes, endOfTable, endOfKeyedTable } = words;
  const user = `user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE`;
  const book = `book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE`;
  const secretHash = `secret_hash ${bytes} NOT NULL UNIQUE CHECK (length(secret_hash) = 32)`;
  return `
CREATE TABLE sessions (
  id ${id},
  ${secretHash},
  ${user},
  ${book},
  method ${text} NOT NULL CHECK (method IN ('link', 'password', 'passkey')),
  user_agent ${text},
  database_id ${sortedText} NOT NULL,
  created_at ${sortedText} NOT NULL,
  seen_at ${sortedText} NOT NULL,
  ends_at ${sortedText} NOT NULL,
  ${serverKey}
)${endOfTable};
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_book ON sessions (book_id);

CREATE TABLE sign_in_links (
  id ${id},
  ${secretHash},
  ${user},
  ${book},
  database_id ${sortedText} NOT NULL,
  created_at ${text} NOT NULL,
  expires_at ${sortedText} NOT NULL,
  ${serverKey}
)${endOfTable};
CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id);
CREATE INDEX sign_in_links_by_book ON sign_in_links (book_id);

CREATE TABLE passwords (
  user_id ${integer} NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  phc ${text} NOT NULL,
  changed_at ${text} NOT NULL
)${endOfKeyedTable};

CREATE TABLE passkeys (
  id ${id},
  ${user},
  name ${text} NOT NULL,
  credential_id ${bytes} NOT NULL UNIQUE CHECK (length(credential_id) > 0),
  public_key ${bytes} NOT NULL,
  counter ${integer} NOT NULL,
  transports ${text} NOT NULL,
  host ${text} NOT NULL,
  created_at ${text} NOT NULL,
  used_at ${text},
  ${serverKey}
)${endOfTable};
CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE TABLE passkey_challenges (
  id ${id},
  challenge ${bytes} NOT NULL UNIQUE CHECK (length(challenge) = 32),
  user_id ${integer} REFERENCES users (id) ON DELETE CASCADE,
  expires_at ${sortedText} NOT NULL,
  ${serverKey}
)${endOfTable};
CREATE INDEX passkey_challenges_by_user ON passkey_challenges (user_id);

CREATE TABLE sign_in_failures (
  id ${id},
  subject ${bytes} NOT NULL UNIQUE CHECK (length(subject) = 32),
  failures ${integer} NOT NULL DEFAULT 0,
  blocked_until_ms ${integer} NOT NULL DEFAULT 0,
  forgotten_at ${sortedText} NOT NULL,
  ${serverKey}
)${endOfTable};
`;
}
