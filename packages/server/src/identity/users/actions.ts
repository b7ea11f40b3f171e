import sql from 'sql-template-tag';
import { NoSuchBookError } from '../../book/change.ts';
import { nameKey } from '@coffer/core/text';
import { insertUnlessTaken, insertUnlogged, updateUnlogged } from '../../book/unlogged.ts';
import { context, dialectOf, now } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { find, rowAs, rowsAs, select } from '../../db/rows.ts';
import { integer, nullable, text } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { accessTokens, books, users } from '../../db/tables/tables.ts';
import { bodyProblem } from '../../operations/problem.ts';
import { EmailTakenError } from './identity.ts';
import type { NewBook, NewToken, NewUser, TokenRecord } from './identity.ts';
import type { Book, Identity } from '../../operations/caller.ts';
import { validToken } from '../../operations/valid-caller.ts';

const identityShape = {
  user_id: integer,
  email: text,
  user_name: text,
  book_id: integer,
  book_name: text,
  primary_currency: text,
  version: integer,
  token_id: integer,
  label: nullable(text),
  last_used_at: nullable(text),
  database_id: text,
};

/**
 * Returns the identity of a token hash (SHA-256, 32 bytes), or null when it is unknown, revoked or expired.
 *
 * It is one look-up in a unique index, so an attacker cannot time a comparison.
 */
export function* authenticate(hash: Uint8Array): Steps<Identity | null> {
  const found = yield* rowAs(
    identityShape,
    sql`SELECT u.id AS user_id, u.email, u.name AS user_name, b.id AS book_id, b.name AS book_name,
        b.primary_currency, b.version, k.id AS token_id, k.label, k.last_used_at,
        (SELECT value FROM database_identity WHERE name = 'id') AS database_id
      FROM access_tokens k JOIN users u ON u.id = k.user_id JOIN books b ON b.id = k.book_id
      WHERE k.token_hash = ${hash} AND ${yield* validToken()}`,
  );
  if (found === undefined) return null;
  return {
    ...userAndBook(found),
    token: { id: found.token_id, label: found.label, lastUsedAt: found.last_used_at },
    session: null,
    callerId: found.token_id,
    databaseId: found.database_id,
  };
}

/** Stores that a token was used now; ignores an unknown token. */
export function* touchToken(tokenId: number): Steps<void> {
  yield* updateUnlogged(accessTokens, { id: tokenId }, { last_used_at: yield* now() });
}

/** Creates a user and the first book. Throws {@link EmailTakenError}; letter case is ignored. */
export function* createUser({ email, name, bookName, primaryCurrency }: NewUser): Steps<Book> {
  const created_at = yield* now();
  const user = yield* insertUnlessTaken(users, { email, name, created_at });
  if (user === undefined) throw new EmailTakenError(email);
  return yield* insertBook({ userId: user.id, name: bookName, primaryCurrency });
}

/** How long an import of a book may be without progress before it is abandoned: longer than any file takes to store. */
export const importWorkMs = 600_000;

/** Creates an empty book. */
export function* insertBook({ userId, name, primaryCurrency }: NewBook): Steps<Book> {
  const created_at = yield* now();
  const times = { created_at, changed_at: created_at };
  const columns = { user_id: userId, name, primary_currency: primaryCurrency, ...times };
  return toBook(yield* insertUnlogged(books, columns));
}

/** Returns the books of the user with this e-mail address in any letter case, oldest first; empty when unknown. */
export function* findBooks(email: string): Steps<Book[]> {
  const ofUser = sql`user_id = (SELECT id FROM users WHERE lower(email) = ${inLowerCase(email)})`;
  return (yield* select(books, { incomplete_until_ms: null }, { and: ofUser })).map(toBook);
}

/** Returns the book with this id. Throws {@link NoSuchBookError}. */
export function* bookOf(id: number): Steps<Book> {
  const found = yield* find(books, { id });
  if (found === undefined) throw new NoSuchBookError(id);
  return toBook(found);
}

/** Returns a row of `books` as a book. */
export function toBook({ id, user_id, name, primary_currency, version }: Row<typeof books>): Book {
  return { id, userId: user_id, name, primaryCurrency: primary_currency, version };
}

/** As `lower` of a column with the collation of bytes: a parameter would have the collation of the database. */
export function inLowerCase(email: string): string {
  return email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Holds for a user `u` who owns books that are being removed: the address is none that a user can have. */
export const isRemoved = sql`u.email LIKE 'removed %'`;

/** Stores a token by its hash and returns its id. */
export function* createToken({ userId, bookId, hash, label, expiresAt }: NewToken): Steps<number> {
  const made = yield* insertUnlogged(accessTokens, {
    user_id: userId,
    book_id: bookId,
    token_hash: hash,
    label,
    created_at: yield* now(),
    expires_at: expiresAt,
  });
  return made.id;
}

/** Returns every token of a book by id, also revoked and expired ones. */
export function* listTokens(bookId: number): Steps<TokenRecord[]> {
  return yield* rowsAs(
    {
      id: integer,
      label: nullable(text),
      createdAt: text,
      lastUsedAt: nullable(text),
      expiresAt: nullable(text),
      revokedAt: nullable(text),
    },
    sql`SELECT id, label, created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt",
        revoked_at AS "revokedAt"
      FROM access_tokens WHERE book_id = ${bookId} ORDER BY id`,
  );
}

/** Revokes a token of the book; false when the book has no such token or it is revoked already. */
export function* revokeToken(bookId: number, tokenId: number): Steps<boolean> {
  const { dialect } = yield* context();
  const live = yield* rowAs(
    { id: integer },
    sql`SELECT id FROM access_tokens
      WHERE id = ${tokenId} AND book_id = ${bookId} AND revoked_at IS NULL ${dialect.lockingRows}`,
  );
  if (live === undefined) return false;
  yield* updateUnlogged(accessTokens, { id: tokenId }, { revoked_at: yield* now() });
  return true;
}

/** Returns the name of the user that owns a book. */
export function* ownerOf(bookId: number): Steps<string> {
  const owner = yield* rowAs(
    { name: text },
    sql`SELECT u.name FROM books b JOIN users u ON u.id = b.user_id WHERE b.id = ${bookId}`,
  );
  if (owner === undefined) throw new NoSuchBookError(bookId);
  return owner.name;
}

/** Returns the user and the book of a row that has the columns of both. */
export function userAndBook(found: {
  readonly user_id: number;
  readonly email: string;
  readonly user_name: string;
  readonly book_id: number;
  readonly book_name: string;
  readonly primary_currency: string;
  readonly version: number;
}): Pick<Identity, 'user' | 'book'> {
  return {
    user: { id: found.user_id, email: found.email, name: found.user_name },
    book: {
      id: found.book_id,
      userId: found.user_id,
      name: found.book_name,
      primaryCurrency: found.primary_currency,
      version: found.version,
    },
  };
}

/** Returns the books of a user by id, without one that is being imported. */
export function* booksOf(userId: number): Steps<Book[]> {
  return (yield* select(books, { user_id: userId, incomplete_until_ms: null })).map(toBook);
}

/** Returns the books of a user, and locks the user: other transactions cannot create or remove books until the end. */
export function* lockedBooksOf(userId: number): Steps<Book[]> {
  const dialect = yield* dialectOf();
  yield* rowAs(
    { id: integer },
    sql`SELECT id FROM users WHERE id = ${userId} ${dialect.lockingRows}`,
  );
  return yield* booksOf(userId);
}

/** Throws a Problem if one of the books has the name. */
export function* refuseTakenName(others: readonly Book[], name: string): Steps<void> {
  const taken = withName(others, name);
  if (taken !== undefined)
    throw bodyProblem({ errMsg: `The user already has a book "${taken.name}"` });
}

/** Returns the book that has a name, in any letter case. */
export function withName(all: readonly Book[], name: string): Book | undefined {
  return all.find((each) => nameKey(each.name) === nameKey(name));
}
