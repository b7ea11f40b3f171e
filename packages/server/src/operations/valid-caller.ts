import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { dialectOf, now, withWrite } from '../db/engine.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { liveSessions } from '../db/live-sessions.ts';
import { rowAs } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import type { Identity } from './caller.ts';
import { endedSession, invalidToken } from './problem.ts';

/** Locks a user until the end of the transaction: sessions, the password and passkeys change one after another. */
export function* lockUser(id: number): Steps<void> {
  const { lockingRows } = yield* dialectOf();
  yield* rowAs({ id: integer }, sql`SELECT id FROM users WHERE id = ${id} ${lockingRows}`);
}

/** Returns an engine that writes only while the session of the caller goes on. Otherwise it throws a Problem. */
export function withinSession(engine: Engine, { user, book, session }: Identity): Engine {
  return withWrite(engine, (steps, options) =>
    engine.write(function* () {
      yield* lockUser(user.id);
      if (!(yield* isLive(session?.id ?? 0, book.id))) throw endedSession();
      return yield* steps();
    }, options),
  );
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
  return withWrite(engine, (steps, options) =>
    engine.write(function* () {
      const result = yield* steps();
      if (isOver()) return result;
      if (session !== null && !(yield* isLive(session.id, book.id))) throw endedSession();
      if (token !== null && !(yield* isValidToken(book.id, token.id))) throw invalidToken();
      return result;
    }, options),
  );
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

/** Returns whether a token of a book is still neither revoked nor expired. */
function* isValidToken(bookId: number, id: number): Steps<boolean> {
  const found = yield* rowAs(
    { id: integer },
    sql`SELECT k.id FROM access_tokens k WHERE k.id = ${id} AND k.book_id = ${bookId} AND ${yield* validToken()}`,
  );
  return found !== undefined;
}
