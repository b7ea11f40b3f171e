import sql from 'sql-template-tag';
import { nameKey } from '@coffer/core/text';
import { updateUnlogged } from '../../changes/unlogged.ts';
import { dialectOf } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { rowAs, rowsAs, select } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import { accessTokens, books, users } from '../../db/tables.ts';
import { bodyProblem } from '../../wire/problem.ts';
import { bookOf, inLowerCase, insertBook, isRemoved, toBook } from './actions.ts';
import type { Book, BookContents, ListedUser, NewBook, User } from './identity.ts';

/*
 * The administration of users, books and tokens, for the command. These rows are not records of a book, so their
 * changes have no version. The ETag of GET /v2/me includes their names.
 */

const listedUser = { id: integer, email: text, name: text, books: integer, createdAt: text };

/** Returns all users by id. */
export function* listUsers(): Steps<ListedUser[]> {
  return yield* rowsAs(
    listedUser,
    sql`SELECT u.id, u.email, u.name, u.created_at AS "createdAt",
        (SELECT count(*) FROM books b WHERE b.user_id = u.id) AS books
      FROM users u WHERE NOT ${isRemoved} ORDER BY u.id`,
  );
}

/** Returns the user with that e-mail address in any letter case, or null. */
export function* findUser(email: string): Steps<User | null> {
  const and = sql`lower(email) = ${inLowerCase(email)}`;
  const [found] = yield* select(users, {}, { and });
  return found === undefined ? null : { id: found.id, email: found.email, name: found.name };
}

/** Changes the name of a user. */
export function* renameUser(userId: number, name: string): Steps<void> {
  yield* updateUnlogged(users, { id: userId }, { name });
}

/** Returns the books of a user by id. */
export function* booksOf(userId: number): Steps<Book[]> {
  return (yield* select(books, { user_id: userId })).map(toBook);
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

/** Sets the label of a token of the book. */
export function* renameToken(bookId: number, tokenId: number, label: string | null): Steps<void> {
  yield* updateUnlogged(accessTokens, { id: tokenId, book_id: bookId }, { label });
}

/** Counts the transactions and access tokens of a book, in any state. */
export function* contentsOf(bookId: number): Steps<BookContents> {
  const found = yield* rowAs(
    { transactions: integer, tokens: integer },
    sql`SELECT (SELECT count(*) FROM transactions WHERE book_id = ${bookId}) AS transactions,
      (SELECT count(*) FROM access_tokens WHERE book_id = ${bookId}) AS tokens`,
  );
  return found!;
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

function* refuseTakenName(others: readonly Book[], name: string): Steps<void> {
  const taken = others.find((other) => nameKey(other.name) === nameKey(name));
  if (taken !== undefined)
    throw bodyProblem({ errMsg: `The user already has a book "${taken.name}"` });
}
