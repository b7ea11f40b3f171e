import sql from 'sql-template-tag';
import { EmailTakenError } from '../records/identity.ts';
import type { Book, Identity, NewToken, NewUser, TokenRecord } from '../records/identity.ts';
import { row, rows, run } from './engine.ts';
import type { Operation } from './engine.ts';

interface IdentityRow {
  readonly user_id: number;
  readonly email: string;
  readonly user_name: string;
  readonly book_id: number;
  readonly book_name: string;
  readonly primary_currency: string;
  readonly version: number;
  readonly token_id: number;
  readonly label: string | null;
  readonly last_used_at: string | null;
}

/** Who a live token stands for; one look-up in a unique index, so that there is no comparison left to time. */
export function* authenticate(hash: Uint8Array, nowIso: string): Operation<Identity | null> {
  const found = yield* row<IdentityRow>(sql`
    SELECT u.id AS user_id, u.email, u.name AS user_name, b.id AS book_id, b.name AS book_name,
      b.primary_currency, b.version, k.id AS token_id, k.label, k.last_used_at
    FROM access_tokens k JOIN users u ON u.id = k.user_id JOIN books b ON b.id = k.book_id
    WHERE k.token_hash = ${hash} AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > ${nowIso})`);
  return found === undefined ? null : toIdentity(found);
}

function toIdentity(found: IdentityRow): Identity {
  return {
    user: { id: found.user_id, email: found.email, name: found.user_name },
    book: {
      id: found.book_id,
      userId: found.user_id,
      name: found.book_name,
      primaryCurrency: found.primary_currency,
      version: found.version,
    },
    token: { id: found.token_id, label: found.label, lastUsedAt: found.last_used_at },
  };
}

/** Notes when a token was last used; an unknown token is passed over. */
export function* touchToken(tokenId: number, nowIso: string): Operation<void> {
  yield* run(sql`UPDATE access_tokens SET last_used_at = ${nowIso} WHERE id = ${tokenId}`);
}

/** Makes a user and the first book. Throws an EmailTakenError when the address is taken in any letter case. */
export function* createUser(user: NewUser): Operation<Book> {
  const taken = yield* findBooks(user.email);
  if (taken.length > 0) throw new EmailTakenError(user.email);
  const made = yield* row<{ id: number }>(sql`
    INSERT INTO users (email, name, created_at)
    VALUES (${user.email}, ${user.name}, ${user.nowIso}) ON CONFLICT DO NOTHING RETURNING id`);
  // Taken between the two statements, where the engine lets two writers in at once.
  if (made === undefined) throw new EmailTakenError(user.email);
  const userId = made.id;
  const book = yield* row<{ id: number; version: number }>(sql`
    INSERT INTO books (user_id, name, primary_currency, created_at)
    VALUES (${userId}, ${user.bookName}, ${user.primaryCurrency}, ${user.nowIso})
    RETURNING id, version`);
  const { id, version } = book ?? { id: 0, version: 0 };
  return { id, userId, name: user.bookName, primaryCurrency: user.primaryCurrency, version };
}

/** The books of the user with that e-mail address in any letter case, oldest first; empty when unknown. */
export function* findBooks(email: string): Operation<Book[]> {
  return yield* rows<Book>(sql`
    SELECT b.id, b.user_id AS "userId", b.name, b.primary_currency AS "primaryCurrency", b.version
    FROM books b JOIN users u ON u.id = b.user_id WHERE lower(u.email) = ${inLowerCase(email)} ORDER BY b.id`);
}

/** As `lower` makes it of a column in the order of bytes: a parameter would have the collation of the database. */
function inLowerCase(email: string): string {
  return email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** True when there is no user yet. */
export function* isEmpty(): Operation<boolean> {
  return (yield* row(sql`SELECT id FROM users LIMIT 1`)) === undefined;
}

/** Stores a token by its hash and returns its id. */
export function* createToken(token: NewToken): Operation<number> {
  const made = yield* row<{ id: number }>(sql`
    INSERT INTO access_tokens (user_id, book_id, token_hash, label, created_at, expires_at)
    VALUES (${token.userId}, ${token.bookId}, ${token.hash}, ${token.label}, ${token.nowIso}, ${token.expiresAt})
    RETURNING id`);
  return made?.id ?? 0;
}

/** Every token of a book by id, revoked and expired ones too. */
export function* listTokens(bookId: number): Operation<TokenRecord[]> {
  return yield* rows<TokenRecord>(sql`
    SELECT id, label, created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt",
      revoked_at AS "revokedAt"
    FROM access_tokens WHERE book_id = ${bookId} ORDER BY id`);
}

/** Revokes a live token of the book; false when the book has no such token or it is revoked already. */
export function* revokeToken(bookId: number, tokenId: number, nowIso: string): Operation<boolean> {
  const revoked = yield* row(sql`
    UPDATE access_tokens SET revoked_at = ${nowIso}
    WHERE id = ${tokenId} AND book_id = ${bookId} AND revoked_at IS NULL RETURNING id`);
  return revoked !== undefined;
}
