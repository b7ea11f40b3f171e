import { randomBytes } from 'node:crypto';
import { instantOf, clockSkewMs, msOf } from '@coffer/core/dates';
import sql from 'sql-template-tag';
import { deleteUnlogged, insertUnlogged, updateUnlogged } from '../../book/unlogged.ts';
import { context, type Steps } from '../../db/engine.ts';
import { liveSessions, longestPauseMs } from '../../db/live-sessions.ts';
import { findLocked, find, rowAs, rowsAs, select } from '../../db/rows.ts';
import { integer, nullable, oneOf, text } from '../../db/table.ts';
import { books, databaseIdentity, sessions, signInLinks } from '../../db/tables/tables.ts';
import type { Book, Identity, SessionOfCaller, SignInMethod } from '../../operations/caller.ts';
import { notFound } from '../../operations/problem.ts';
import {
  callerColumns,
  callerShape,
  toBook,
  sha256,
  userAndBook,
  type MintedSecret,
} from '../users/actions.ts';

const dayMs = 86_400_000;
/** Sessions end after this time. */
export const longestSessionMs = 180 * dayMs;
/** Links work for this time. */
export const linkMs = 15 * 60_000;
/** How long after a sign-in passkeys can be added, and after one by a link a new password needs no old one. */
const freshMs = 15 * 60_000;

/**
 * Whether a session began lately, by `how`: then it may do what a stolen one must not. A session that began in the
 * future, before the clock went back, did not begin lately.
 */
export function isFresh(
  { method, createdAt }: { readonly method: string; readonly createdAt: string },
  how: 'link' | 'any method',
  nowMs: number,
): boolean {
  return (how !== 'link' || method === how) && Math.abs(nowMs - msOf(createdAt)) < freshMs;
}

/** After wrong passwords nobody waits longer for the next one. */
export const longestSlowingMs = 15 * 60_000;
/** Wrong passwords no longer count after this time. */
export const forgottenAfterMs = 24 * 60 * 60_000;
/** The bits of the secret in a cookie. */
const sessionBits = 256;
/** The bits of the secret in a link. */
const linkBits = 128;
/** Fewest characters of a password. Source: NIST SP 800-63B-4, 3.1.1.2. */
export const minPasswordLength = 8;
/** Most characters of a password: hashing must not be work that the sender chooses. */
export const maxPasswordLength = 256;
/** Most characters of a browser's name that are stored. */
const maxUserAgentLength = 300;

/**
 * Returns the address of the page that uses a link: the secret is behind the #, which browsers do not send.
 * `address` is that of the server. Loopback addresses become `localhost`, because browsers have no passkeys for IP addresses.
 */
export function signInAddress(address: string, secret: string): string {
  const url = new URL(address);
  if (/^(127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(url.hostname)) url.hostname = 'localhost';
  return `${url.href.replace(/\/$/, '')}/start#${secret}`;
}

const sessionShape = {
  id: integer,
  method: oneOf('link', 'password', 'passkey'),
  userAgent: nullable(text),
  createdAt: text,
  seenAt: text,
  endsAt: text,
};

/** The columns of a session `s` by the names of {@link sessionShape}. */
const sessionColumns = sql`s.id, s.method, s.user_agent AS "userAgent", s.created_at AS "createdAt",
  s.seen_at AS "seenAt", s.ends_at AS "endsAt"`;

/** Returns the book of the session with the hash of a secret, or null. The book of a session never changes. */
export function* bookOfSession(secretHash: Uint8Array): Steps<number | null> {
  return (yield* find(sessions, { secret_hash: secretHash }))?.book_id ?? null;
}

/**
 * Returns the identity of the session of a book with the hash of a secret, or null if there is none or it has ended.
 * The statement names the book, so one shard runs it.
 */
export function* identityOfSession(secretHash: Uint8Array, bookId: number): Steps<Identity | null> {
  const found = yield* rowAs(
    { ...sessionShape, ...callerShape, database_id: text },
    sql`SELECT ${sessionColumns}, ${callerColumns}, s.database_id
      FROM sessions s JOIN users u ON u.id = s.user_id JOIN books b ON b.id = ${bookId}
      WHERE s.secret_hash = ${secretHash} AND s.book_id = ${bookId} AND ${yield* liveSessions()}`,
  );
  if (found === undefined) return null;
  const { id, method, userAgent, createdAt, seenAt, endsAt } = found;
  return {
    ...userAndBook(found),
    token: null,
    session: { id, method, userAgent, createdAt, seenAt, endsAt },
    callerId: -id,
    databaseId: found.database_id,
  };
}

/** Stores when a session was used, ISO 8601; ignores an unknown session. */
export function* touchSession(id: number, seen_at: string): Steps<void> {
  yield* updateUnlogged(sessions, { id }, { seen_at });
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
  return yield* rowsAs(
    sessionShape,
    sql`SELECT ${sessionColumns} FROM sessions s
      WHERE s.user_id = ${userId} AND ${yield* liveSessions()} ORDER BY s.seen_at DESC, s.id DESC`,
  );
}

/** Ends a session of a user, at once and on all nodes. Throws a Problem if the user has no such session. */
export function* endSession(userId: number, id: number): Steps<void> {
  const found = yield* find(sessions, { id, user_id: userId });
  if (found === undefined) throw notFound('session', id);
  yield* deleteUnlogged(sessions, { id });
}

/** Ends the sessions of a user except one. */
export function* endOtherSessions(userId: number, current: number): Steps<void> {
  for (const { id } of yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM sessions WHERE user_id = ${userId} AND id <> ${current}`,
  ))
    yield* deleteUnlogged(sessions, { id });
}

/**
 * Makes a link that signs the owner of a book in, once and within 15 minutes. Returns its secret, 22 characters of
 * base64url, which belong behind the # of the address: browsers do not send that part, so it is in no log.
 */
export function* createLink({ id, userId }: Pick<Book, 'id' | 'userId'>): Steps<string> {
  const { nowMs } = yield* context();
  const { text, hash } = newSecret(linkBits);
  yield* insertUnlogged(signInLinks, {
    secret_hash: hash,
    user_id: userId,
    book_id: id,
    database_id: yield* databaseId(),
    created_at: instantOf(nowMs),
    expires_at: instantOf(nowMs + linkMs),
  });
  return text;
}

/**
 * Uses a link up. Returns whose it is, or null if it is unknown, used or expired. One that lasts longer than a link can
 * was made before the clock went back, and has expired too.
 */
export function* takeLink(
  secret: string,
): Steps<{ readonly userId: number; readonly bookId: number } | null> {
  const { nowMs } = yield* context();
  // The lock makes a second request wait, which then finds nothing.
  const link = yield* findLocked(
    signInLinks,
    { secret_hash: sha256(secret), database_id: yield* databaseId() },
    sql`expires_at > ${instantOf(nowMs)} AND expires_at <= ${instantOf(nowMs + linkMs + clockSkewMs)}`,
  );
  if (link === undefined) return null;
  yield* deleteUnlogged(signInLinks, { id: link.id });
  return { userId: link.user_id, bookId: link.book_id };
}

/** Creates a secret of random bits of the system, in base64url. The number of bits is a multiple of 8. */
export function newSecret(bits: number): MintedSecret {
  const text = randomBytes(bits / 8).toString('base64url');
  return { text, hash: sha256(text) };
}

/** Returns when a session ends if it is not used any more: ISO 8601. */
export function endOf({ seenAt, endsAt }: Pick<SessionOfCaller, 'seenAt' | 'endsAt'>): string {
  const paused = instantOf(msOf(seenAt) + longestPauseMs);
  return paused < endsAt ? paused : endsAt;
}

/** Returns the session of a caller. Throws without one, which is a bug: the operation needs a session. */
export function sessionOf({ session }: Identity): SessionOfCaller {
  if (session === null) throw new Error('The operation needs a session');
  return session;
}
