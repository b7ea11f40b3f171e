import sql, { type Sql } from 'sql-template-tag';
import { dialectOf, now, withOwn, type Engine, type Steps } from '../db/engine.ts';
import { liveSessions } from '../db/live-sessions.ts';
import { rowAs } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import { endedSession, invalidToken } from './problem.ts';

/** A person who signs in. Times are ISO 8601 in UTC with milliseconds. */
export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
}

/** A budgeting account: `account_id` and `budget_name` in the API. */
export interface Book {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** Lower-case ISO 4217 code. */
  readonly primaryCurrency: string;
  /** Grows by at least one with every committed change of anything in the book. */
  readonly version: number;
}

/** How a user signed in. */
export type SignInMethod = 'link' | 'password' | 'passkey';

/** The access token of a request. */
export interface TokenOfCaller {
  readonly id: number;
  readonly label: string | null;
  readonly lastUsedAt: string | null;
}

/** The session of a request. Times are ISO 8601 in UTC. */
export interface SessionOfCaller {
  readonly id: number;
  readonly method: SignInMethod;
  readonly userAgent: string | null;
  readonly createdAt: string;
  readonly seenAt: string;
  /** Whenever it is used, it is valid until then; without use for 30 days. */
  readonly endsAt: string;
}

/** The caller: the user and the book of an access token or of a session. */
export interface Identity {
  readonly user: User;
  readonly book: Book;
  /** Null for a session. */
  readonly token: TokenOfCaller | null;
  /** Null for an access token. */
  readonly session: SessionOfCaller | null;
  /** Different for every caller: the id of the access token, or the negative id of the session. */
  readonly callerId: number;
  /** Random, and new whenever the database is created, restored or moved: see `database_identity`. */
  readonly databaseId: string;
}

/** Locks a user until the end of the transaction: sessions, the password and passkeys change one after another. */
export function* lockUser(id: number): Steps<void> {
  const { lockingRows } = yield* dialectOf();
  yield* rowAs({ id: integer }, sql`SELECT id FROM users WHERE id = ${id} ${lockingRows}`);
}

/** Returns an engine that writes only while the session of the caller goes on. Otherwise it throws a Problem. */
export function withinSession(engine: Engine, { user, book, session }: Identity): Engine {
  return withOwn(engine, {
    write: (steps, options) =>
      engine.write(function* () {
        yield* lockUser(user.id);
        if (!(yield* isLive(session?.id ?? 0, book.id))) throw endedSession();
        return yield* steps();
      }, options),
  });
}

/**
 * Returns an engine that writes only what is complete while the session or the token of the caller is valid. Otherwise
 * it throws a Problem. It looks last in each transaction: what waited or took long ends with its caller, and who ends a
 * session does not wait. Once `isOver` returns true, for work that goes on after the response, it no longer looks.
 */
export function withValidCaller(
  engine: Engine,
  { book, session, token }: Identity,
  isOver: () => boolean = () => false,
): Engine {
  return withOwn(engine, {
    write: (steps, options) =>
      engine.write(function* () {
        const result = yield* steps();
        if (isOver()) return result;
        if (session !== null && !(yield* isLive(session.id, book.id))) throw endedSession();
        if (token !== null && !(yield* isValidToken(book.id, token.id))) throw invalidToken();
        return result;
      }, options),
  });
}

function* isLive(id: number, bookId: number): Steps<boolean> {
  const found = yield* rowAs(
    { id: integer },
    sql`SELECT s.id FROM sessions s WHERE s.id = ${id} AND s.book_id = ${bookId} AND ${yield* liveSessions()}`,
  );
  return found !== undefined;
}

/** Holds for a token `k` that is neither revoked nor expired. */
export function* validToken(): Steps<Sql> {
  return sql`k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${yield* now()})`;
}

function* isValidToken(bookId: number, id: number): Steps<boolean> {
  const found = yield* rowAs(
    { id: integer },
    sql`SELECT k.id FROM access_tokens k WHERE k.id = ${id} AND k.book_id = ${bookId} AND ${yield* validToken()}`,
  );
  return found !== undefined;
}
