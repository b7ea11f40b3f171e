import sql from 'sql-template-tag';
import { instantOf } from '@coffer/core/dates';
import { deleteUnlogged, insertUnlogged, updateUnlogged } from '../../book/unlogged.ts';
import { context, now } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { liveSessions } from '../../db/live-sessions.ts';
import { find, rowAs, rowsAs, select } from '../../db/rows.ts';
import { integer, nullable, oneOf, text } from '../../db/table.ts';
import { books, databaseIdentity, sessions } from '../../db/tables/tables.ts';
import { notFound } from '../../operations/problem.ts';
import { toBook, userAndBook } from '../users/actions.ts';
import type { Book, Identity, SessionOfCaller, SignInMethod } from '../../operations/caller.ts';
import { longestSessionMs, maxUserAgentLength, sessionBits } from './rules.ts';
import { newSecret } from './secret.ts';
import type { MintedSecret } from './secret.ts';

const sessionShape = {
  session_id: integer,
  method: oneOf('link', 'password', 'passkey'),
  user_agent: nullable(text),
  created_at: text,
  seen_at: text,
  ends_at: text,
};

const identityShape = {
  ...sessionShape,
  user_id: integer,
  email: text,
  user_name: text,
  book_id: integer,
  book_name: text,
  primary_currency: text,
  version: integer,
  database_id: text,
};

/** The columns of a session by the names of {@link sessionShape}. */
const sessionColumns = sql`s.id AS session_id, s.method, s.user_agent, s.created_at, s.seen_at, s.ends_at`;

/** Returns the identity of the session with the hash of a secret, or null if there is none or it has ended. */
export function* identityOfSession(secretHash: Uint8Array): Steps<Identity | null> {
  const found = yield* rowAs(
    identityShape,
    sql`SELECT ${sessionColumns}, s.database_id, u.id AS user_id, u.email, u.name AS user_name, b.id AS book_id,
        b.name AS book_name, b.primary_currency, b.version
      FROM sessions s JOIN users u ON u.id = s.user_id JOIN books b ON b.id = s.book_id
      WHERE s.secret_hash = ${secretHash} AND ${yield* liveSessions()}`,
  );
  if (found === undefined) return null;
  return {
    ...userAndBook(found),
    token: null,
    session: toSession(found),
    callerId: -found.session_id,
    databaseId: found.database_id,
  };
}

function toSession(row: {
  readonly session_id: number;
  readonly method: SignInMethod;
  readonly user_agent: string | null;
  readonly created_at: string;
  readonly seen_at: string;
  readonly ends_at: string;
}): SessionOfCaller {
  return {
    id: row.session_id,
    method: row.method,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    endsAt: row.ends_at,
  };
}

/** Stores that a session was used now; ignores an unknown session. */
export function* touchSession(id: number): Steps<void> {
  yield* updateUnlogged(sessions, { id }, { seen_at: yield* now() });
}

/** A session to begin. */
export interface NewSession {
  readonly userId: number;
  readonly bookId: number;
  readonly method: SignInMethod;
  readonly userAgent: string | null;
  /** The hash in the cookie that the browser has already: that session ends. */
  readonly replaces: Uint8Array | null;
}

/** Begins a session and returns the secret for its cookie, and its hash. */
export function* createSession(session: NewSession): Steps<MintedSecret> {
  const { userId, bookId, method, userAgent, replaces } = session;
  const { nowMs } = yield* context();
  const at = instantOf(nowMs);
  const secret = newSecret(sessionBits);
  if (replaces !== null) yield* deleteUnlogged(sessions, { secret_hash: replaces });
  yield* insertUnlogged(sessions, {
    secret_hash: secret.hash,
    user_id: userId,
    book_id: bookId,
    method,
    user_agent: userAgent?.slice(0, maxUserAgentLength).toWellFormed() ?? null,
    database_id: yield* databaseId(),
    created_at: at,
    seen_at: at,
    ends_at: instantOf(nowMs + longestSessionMs),
  });
  return secret;
}

/** Returns the id of this database. */
export function* databaseId(): Steps<string> {
  return (yield* find(databaseIdentity, { name: 'id' }))!.value;
}

/** Returns the book that a user sees first: the oldest. Every user has one. */
export function* firstBookOf(userId: number): Steps<Book> {
  const [first] = yield* select(
    books,
    { user_id: userId, incomplete_until_ms: null },
    { limit: 1 },
  );
  return toBook(first!);
}

/** Returns the sessions of a user that have not ended, the last used first. */
export function* listSessions(userId: number): Steps<SessionOfCaller[]> {
  const found = yield* rowsAs(
    sessionShape,
    sql`SELECT ${sessionColumns} FROM sessions s
      WHERE s.user_id = ${userId} AND ${yield* liveSessions()} ORDER BY s.seen_at DESC, s.id DESC`,
  );
  return found.map(toSession);
}

/** Ends a session of a user, at once and on all nodes. Throws a Problem if the user has no such session. */
export function* endSession(userId: number, id: number): Steps<void> {
  const found = yield* find(sessions, { id, user_id: userId });
  if (found === undefined) throw notFound('session', id);
  yield* deleteUnlogged(sessions, { id });
}

/** Ends the sessions of a user except one. */
export function* endOtherSessions(userId: number, kept: number): Steps<void> {
  for (const { id } of yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM sessions WHERE user_id = ${userId} AND id <> ${kept}`,
  ))
    yield* deleteUnlogged(sessions, { id });
}
