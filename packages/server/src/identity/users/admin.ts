import sql from 'sql-template-tag';
import { updateUnlogged } from '../../book/unlogged.ts';
import type { Steps } from '../../db/engine.ts';
import { rowAs, rowsAs, select } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import { accessTokens, books, users } from '../../db/tables/tables.ts';
import { bookOf, inLowerCase, insertBook, isRemoved } from './actions.ts';
import { lockedBooksOf, refuseTakenName } from './actions.ts';
import type { BookContents, ListedUser, NewBook } from './identity.ts';
import type { Book, User } from '../../operations/caller.ts';

/*
 * The administration of users, books and tokens, for the command. These rows are not records of a book, so their
 * changes have no version. The ETag of GET /v2/me includes their names.
 */

/** The users with a book. An import of a book can create its user, who is not seen before the book. */
const withBooks = sql`(SELECT user_id FROM books WHERE incomplete_until_ms IS NULL)`;

const listedUser = { id: integer, email: text, name: text, books: integer, createdAt: text };

/** Returns all users by id. */
export function* listUsers(): Steps<ListedUser[]> {
  return yield* rowsAs(
    listedUser,
    sql`SELECT u.id, u.email, u.name, u.created_at AS "createdAt",
        (SELECT count(*) FROM books b WHERE b.user_id = u.id AND b.incomplete_until_ms IS NULL) AS books
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
