import sql, { raw } from 'sql-template-tag';
import { lockUser, validToken } from '../../operations/caller.ts';
import type { Book, Identity, User } from '../../operations/caller.ts';
import { sha256 as sha256Here } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { nameKey } from '@coffer/core/text';
import { NoSuchBookError } from '../../book/change.ts';
import { insertUnlessTaken, insertUnlogged, updateUnlogged } from '../../book/unlogged.ts';
import { now, type Steps } from '../../db/engine.ts';
import { findLocked, find, rowAs, rowsAs, select, type Shaped } from '../../db/rows.ts';
import { integer, nullable, text, type Row } from '../../db/table.ts';
import { accessTokens, books, bookSettings, bookTables, users } from '../../db/tables/tables.ts';
import { bodyProblem, Problem } from '../../operations/problem.ts';
import { hash, randomBytes } from 'node:crypto';

const prefix = 'coffer_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 32;
/** Base-62 digits for 256 bits. */
const secretDigits = 43;
/** Base-62 digits for 32 bits. */
const checksumDigits = 6;
const tokenPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretDigits + checksumDigits}}$`);

/** Finds access tokens inside any text, such as a line of the log. */
export const tokensInText = new RegExp(`${prefix}[0-9A-Za-z]+`, 'g');

/** A new secret: the text is only for its owner, the hash is stored. */
export interface MintedSecret {
  readonly text: string;
  /** SHA-256 of the whole text (UTF-8), 32 bytes. */
  readonly hash: Uint8Array;
}

/**
 * Creates an access token from 256 random bits of the system.
 *
 * The text is `coffer_`, 43 base-62 digits of secret and 6 of checksum: 56 characters, all of them safe in headers,
 * URLs and shells. The prefix lets scanners find leaked tokens. The checksum (CRC-32 of all characters before it) lets
 * scanners and the service detect a token without a look-up.
 */
export function newToken(): MintedSecret {
  const secret = BigInt(`0x${randomBytes(secretBytes).toString('hex')}`);
  const unchecked = prefix + base62(secret, secretDigits);
  const text = unchecked + checksumOf(unchecked);
  return { text, hash: sha256(text) };
}

/** To hash so many texts in JavaScript takes less time than to load OpenSSL. */
const mostHere = 500;

let hashed = 0;

/**
 * Returns the SHA-256 of a text (UTF-8): 32 bytes.
 *
 * The first texts are hashed without OpenSSL, which takes a twentieth of a start to load. It is faster for the others.
 */
export function sha256(text: string): Buffer {
  hashed += 1;
  return hashed > mostHere
    ? hash('sha256', text, 'buffer')
    : Buffer.from(sha256Here(utf8ToBytes(text)));
}

/** Returns whether a text has the form of a token: prefix, length, digits and checksum. */
export function isWellFormedToken(text: string): boolean {
  if (!tokenPattern.test(text)) return false;
  return text.endsWith(checksumOf(text.slice(0, -checksumDigits)));
}

function checksumOf(text: string): string {
  return base62(BigInt(crc32(text)), checksumDigits);
}

/** The checksum of an ASCII text that zlib computes too, which takes longer to load than to do without. */
function crc32(text: string): number {
  let crc = -1;
  for (let at = 0; at < text.length; at += 1) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) {
    text = digits.charAt(Number(rest % 62n)) + text;
  }
  return text;
}

/** The columns of the user and the book of a caller, for {@link userAndBook}. */
export const callerShape = {
  user_id: integer,
  email: text,
  user_name: text,
  book_id: integer,
  book_name: text,
  primary_currency: text,
  version: integer,
};

/** The columns of {@link callerShape}, of a user `u` and a book `b`. */
export const callerColumns = sql`u.id AS user_id, u.email, u.name AS user_name, b.id AS book_id, b.name AS book_name,
  b.primary_currency, b.version`;

const tokenShape = {
  token_id: integer,
  label: nullable(text),
  last_used_at: nullable(text),
  database_id: text,
};

/**
 * Returns the book of a token hash (SHA-256, 32 bytes), or null when it is unknown. The book of a token never changes.
 *
 * It is one look-up in a unique index, so an attacker cannot time a comparison.
 */
export function* bookOfToken(hash: Uint8Array): Steps<number | null> {
  return (yield* find(accessTokens, { token_hash: hash }))?.book_id ?? null;
}

/**
 * Returns the identity of a token hash of a book, or null when it is unknown, revoked or expired. The statement names
 * the book, so one shard runs it.
 */
export function* identityOfToken(hash: Uint8Array, bookId: number): Steps<Identity | null> {
  const found = yield* rowAs(
    { ...callerShape, ...tokenShape },
    sql`SELECT ${callerColumns}, k.id AS token_id, k.label, k.last_used_at,
        (SELECT value FROM database_identity WHERE name = 'id') AS database_id
      FROM access_tokens k JOIN users u ON u.id = k.user_id JOIN books b ON b.id = ${bookId}
      WHERE k.token_hash = ${hash} AND k.book_id = ${bookId} AND ${yield* validToken()}`,
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

/** Stores when a token was used, ISO 8601; ignores an unknown token. */
export function* touchToken(tokenId: number, last_used_at: string): Steps<void> {
  yield* updateUnlogged(accessTokens, { id: tokenId }, { last_used_at });
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
function* insertBook({ userId, name, primaryCurrency }: NewBook): Steps<Book> {
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

/** Stores a token by its hash and returns its id. Throws {@link NoSuchBookError}. */
export function* createToken({ userId, bookId, hash, label, expiresAt }: NewToken): Steps<number> {
  // The database keeps no reference to the book, which another shard may have.
  yield* bookOf(bookId);
  yield* insertUnlogged(accessTokens, {
    user_id: userId,
    book_id: bookId,
    token_hash: hash,
    label,
    created_at: yield* now(),
    expires_at: expiresAt,
  });
  // A pending row gets its id in a trigger: see WriteOptions.
  return (yield* find(accessTokens, { book_id: bookId, token_hash: hash }))!.id;
}

const tokenRecord = {
  id: integer,
  label: nullable(text),
  created_at: text,
  last_used_at: nullable(text),
  expires_at: nullable(text),
  revoked_at: nullable(text),
};

/** A stored token as its owner may see it; times are ISO 8601 in UTC, null for never. */
export type TokenRecord = Shaped<typeof tokenRecord>;

/** Returns every token of a book by id, also revoked and expired ones. */
export function* listTokens(bookId: number): Steps<TokenRecord[]> {
  return yield* rowsAs(
    tokenRecord,
    sql`SELECT id, label, created_at, last_used_at, expires_at, revoked_at
      FROM access_tokens WHERE book_id = ${bookId} ORDER BY id`,
  );
}

/** Revokes a token of the book; false when the book has no such token or it is revoked already. */
export function* revokeToken(bookId: number, tokenId: number): Steps<boolean> {
  const valid = { id: tokenId, book_id: bookId, revoked_at: null };
  if ((yield* findLocked(accessTokens, valid)) === undefined) return false;
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
export function userAndBook(found: Shaped<typeof callerShape>): Pick<Identity, 'user' | 'book'> {
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
  yield* lockUser(userId);
  return yield* booksOf(userId);
}

/** Throws a Problem if one of the books has the name. */
function* refuseTakenName(others: readonly Book[], name: string): Steps<void> {
  const taken = withName(others, name);
  if (taken !== undefined)
    throw bodyProblem({ errMsg: `The user already has a book "${taken.name}"` });
}

/** Returns the book that has a name, in any letter case. */
export function withName(all: readonly Book[], name: string): Book | undefined {
  return all.find((each) => nameKey(each.name) === nameKey(name));
}

/** A book to be created; the currency is a lower-case ISO 4217 code. */
export type NewBook = Pick<Book, 'userId' | 'name' | 'primaryCurrency'>;

/** A user and a first book to create; the currency is a lower-case ISO 4217 code. */
interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly bookName: string;
  readonly primaryCurrency: string;
}

/** A token to store: only its hash, not its text. */
export interface NewToken {
  readonly userId: number;
  readonly bookId: number;
  /** SHA-256 of the whole token text, 32 bytes. */
  readonly hash: Uint8Array;
  readonly label: string | null;
  /** The first instant at which the token is expired; null for never. */
  readonly expiresAt: string | null;
}

/** The e-mail address already belongs to a user. */
class EmailTakenError extends Error {
  override name = 'EmailTakenError';
  constructor(email: string) {
    super(`A user with the e-mail address "${email}" exists already`);
  }
}

/*
 * The administration of users, books and tokens, for the command. These rows are not records of a book, so their
 * changes have no version. The ETag of GET /v2/me includes their names.
 */

/** The users with a book. An import of a book can create its user, who is not seen before the book. */
const withBooks = sql`(SELECT user_id FROM books WHERE incomplete_until_ms IS NULL)`;

const listedUser = { id: integer, email: text, name: text, books: integer, created_at: text };

/** Returns all users by id. */
export function* listUsers(): Steps<Shaped<typeof listedUser>[]> {
  return yield* rowsAs(
    listedUser,
    sql`SELECT u.id, u.email, u.name,
        (SELECT count(*) FROM books b WHERE b.user_id = u.id AND b.incomplete_until_ms IS NULL) AS books, u.created_at
      FROM users u WHERE u.id IN ${withBooks} AND NOT ${isRemoved} ORDER BY u.id`,
  );
}

/** Returns the user with that e-mail address in any letter case, or null. */
export function* findUser(email: string): Steps<User | null> {
  const and = sql`lower(email) = ${inLowerCase(email)} AND id IN ${withBooks}`;
  const [found] = yield* select(users, {}, { and });
  return found === undefined ? null : { id: found.id, email: found.email, name: found.name };
}

/** Changes the name of a user. */
export function* renameUser(userId: number, name: string): Steps<void> {
  yield* updateUnlogged(users, { id: userId }, { name });
}

/** Creates an empty book. Throws a Problem if another book of the user has the name. */
export function* createBook(book: NewBook): Steps<Book> {
  yield* refuseTakenName(yield* lockedBooksOf(book.userId), book.name);
  return yield* insertBook(book);
}

/** Renames a book. Throws a Problem if another book of the user has the name. */
export function* renameBook(bookId: number, name: string): Steps<void> {
  const { userId } = yield* bookOf(bookId);
  const others = (yield* lockedBooksOf(userId)).filter(({ id }) => id !== bookId);
  yield* refuseTakenName(others, name);
  yield* updateUnlogged(books, { id: bookId }, { name });
}

/**
 * Sets the primary currency of a book without amounts: a lower-case ISO 4217 code. Throws a Problem with 409 if the
 * book has amounts, or if its history could bring some back: their values are in the present currency.
 */
export function* setPrimaryCurrency(bookId: number, currency: string): Steps<void> {
  // A change of the book locks it too, so no amount is added meanwhile.
  const book = yield* findLocked(books, { id: bookId });
  if (book === undefined) throw new NoSuchBookError(bookId);
  if (book.primary_currency === currency) return;
  const settled = bookTables.filter(
    (table) => table === bookSettings || 'to_base' in table.columns,
  );
  for (const { name } of settled) {
    const found = yield* rowAs(
      { book_id: integer },
      sql`SELECT book_id FROM ${raw(name)} WHERE book_id = ${bookId}
        UNION ALL SELECT book_id FROM changed_records WHERE book_id = ${bookId} AND record = ${name} LIMIT 1`,
    );
    if (found !== undefined) throw hasAmounts(currency, book.primary_currency, name);
  }
  yield* updateUnlogged(books, { id: bookId }, { primary_currency: currency });
}

function hasAmounts(to: string, from: string, table: string): Problem {
  const records = table.replaceAll('_', ' ');
  const errMsg =
    `The primary currency cannot become "${to}" at once: the book has ${records} with values in "${from}", ` +
    'or its history has some. Change it in the settings of the book in a browser, with POST /coffer/book/currency, or ' +
    'with "coffer book currency --budgets"';
  const place = { instancePath: '/body/primary_currency', invalid_property: 'primary_currency' };
  return new Problem('hasAmounts', { details: [{ errMsg, ...place }] });
}

/** Sets the label of a token of the book. */
export function* renameToken(bookId: number, tokenId: number, label: string | null): Steps<void> {
  yield* updateUnlogged(accessTokens, { id: tokenId, book_id: bookId }, { label });
}

/** Counts the transactions and access tokens of a book, in any state. */
export function* contentsOf(
  bookId: number,
): Steps<Readonly<Record<'transactions' | 'tokens', number>>> {
  const found = yield* rowAs(
    { transactions: integer, tokens: integer },
    sql`SELECT (SELECT count(*) FROM transactions WHERE book_id = ${bookId}) AS transactions,
      (SELECT count(*) FROM access_tokens WHERE book_id = ${bookId}) AS tokens`,
  );
  return found!;
}
