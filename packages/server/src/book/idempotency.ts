import { hasToWait } from '@coffer/core/dates';
import sql from 'sql-template-tag';
import { dialectOf, rows, run, type Engine, type Steps } from '../db/engine.ts';
import { columnList, rowAs } from '../db/rows.ts';
import { integer, type Row } from '../db/table.ts';
import { idempotencyKeys } from '../db/tables/tables.ts';
import { deleteUnlogged } from './unlogged.ts';

/** Which request a key belongs to. */
export interface RequestKey {
  readonly bookId: number;
  /** The id of an access token, or the negative id of a user for a session. */
  readonly callerId: number;
  /** The id of the operation. */
  readonly operation: string;
  /** The key that the client chose. */
  readonly key: string;
  /** Equal for equal requests. */
  readonly fingerprint: string;
}

/** A response that is kept for repetitions of its request. */
export interface KeptResponse {
  readonly status: number;
  /** The text of the body; null if there is none, or if it is not kept. */
  readonly body: string | null;
}

/** What an earlier request with the same key left: its response, or why there is none. */
export type EarlierRequest =
  | { readonly is: 'done'; readonly response: KeptResponse }
  | { readonly is: 'different' }
  | { readonly is: 'under way' };

const dayMs = 24 * 60 * 60 * 1000;
/** How long the response to a request of an access token is kept for its repetitions. */
const keptResponseMs = dayMs;
/** The same for a session: what was typed in a browser without a connection may wait there for weeks. */
export const keptTypedMs = 90 * dayMs;
/** Longer than any request takes; a process that stops in the middle of one leaves its claim behind for this time. */
const claimMs = 60_000;
const prunedAtOnce = 500;

/**
 * Returns what an earlier request with the key left, or null if there is none, or if it has expired.
 *
 * Call it while the book is locked, so that equal requests run one after the other.
 */
export function* earlierRequest(request: RequestKey): Steps<EarlierRequest | null> {
  const { databaseNowMs } = yield* dialectOf();
  const { bookId, callerId, operation, key, fingerprint } = request;
  const found = yield* rowAs(
    { ...idempotencyKeys.columns, now_ms: integer },
    sql`SELECT ${columnList(idempotencyKeys)}, ${databaseNowMs} AS now_ms FROM idempotency_keys
      WHERE book_id = ${bookId} AND token_id = ${callerId} AND operation = ${operation} AND request_key = ${key}`,
  );
  if (found === undefined || found.expires_at_ms <= found.now_ms) return null;
  if (found.fingerprint !== fingerprint) return { is: 'different' };
  const { status, body } = found;
  // A claim that lasts longer was made before the clock went back.
  if (status === null && !hasToWait(found.expires_at_ms, found.now_ms, claimMs)) return null;
  return status === null ? { is: 'under way' } : { is: 'done', response: { status, body } };
}

/** How long the response to a request is kept. */
function keptMs({ callerId }: RequestKey): number {
  return callerId < 0 ? keptTypedMs : keptResponseMs;
}

/** Keeps a response for 24 hours, or for 90 days if a session sent the request, in the transaction of the write. */
export function* keepResponse(request: RequestKey, response: KeptResponse): Steps<void> {
  yield* replace(request, { claim: null, ...response }, keptMs(request));
}

/**
 * Claims a key for a request that needs more than one transaction. Returns null if the caller has the claim now,
 * otherwise what an earlier request left. `claim` is random text.
 */
export function* claimKey(request: RequestKey, claim: string): Steps<EarlierRequest | null> {
  const { lockingRows } = yield* dialectOf();
  yield* run(sql`SELECT id FROM books WHERE id = ${request.bookId} ${lockingRows}`);
  const earlier = yield* earlierRequest(request);
  if (earlier === null) yield* replace(request, { claim, status: null, body: null }, claimMs);
  return earlier;
}

/** Keeps the response of the request with the claim, unless the claim was lost. */
export function* finishClaim(
  request: RequestKey,
  claim: string,
  { status, body }: KeptResponse,
): Steps<void> {
  const { databaseNowMs } = yield* dialectOf();
  const { bookId, callerId, operation, key } = request;
  yield* run(sql`
    UPDATE idempotency_keys
    SET claim = NULL, status = ${status}, body = ${body},
      expires_at_ms = ${databaseNowMs} + ${keptMs(request)}
    WHERE book_id = ${bookId} AND token_id = ${callerId} AND operation = ${operation} AND request_key = ${key}
      AND claim = ${claim}`);
}

/** Gives a claim back after a request that failed, so that it can be repeated. */
export function* releaseClaim(request: RequestKey, claim: string): Steps<void> {
  yield* deleteUnlogged(idempotencyKeys, { ...keyOf(request), claim });
}

/** Deletes expired keys, a few in each transaction, until none is left or the signal is aborted. */
export async function pruneKeys(engine: Engine, signal: AbortSignal): Promise<void> {
  let deleted = prunedAtOnce;
  while (deleted === prunedAtOnce && !signal.aborted) deleted = await engine.write(pruneSome);
}

function* pruneSome(): Steps<number> {
  const { databaseNowMs } = yield* dialectOf();
  const key = sql`book_id, token_id, operation, request_key`;
  const deleted = yield* rows<object>(sql`
    DELETE FROM idempotency_keys WHERE (${key}) IN (
      SELECT ${key} FROM idempotency_keys WHERE expires_at_ms <= ${databaseNowMs} LIMIT ${prunedAtOnce})
    RETURNING book_id`);
  return deleted.length;
}

function* replace(
  request: RequestKey,
  { claim, status, body }: Pick<Row<typeof idempotencyKeys>, 'claim' | 'status' | 'body'>,
  forMs: number,
): Steps<void> {
  const { databaseNowMs } = yield* dialectOf();
  const { bookId, callerId, operation, key, fingerprint } = request;
  yield* deleteUnlogged(idempotencyKeys, keyOf(request));
  yield* run(sql`
    INSERT INTO idempotency_keys
      (book_id, token_id, operation, request_key, fingerprint, claim, status, body, expires_at_ms)
    VALUES (${bookId}, ${callerId}, ${operation}, ${key}, ${fingerprint}, ${claim}, ${status}, ${body},
      ${databaseNowMs} + ${forMs})`);
}

function keyOf({ bookId, callerId, operation, key }: RequestKey) {
  return { book_id: bookId, token_id: callerId, operation, request_key: key };
}
