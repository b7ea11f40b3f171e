import sql from 'sql-template-tag';
import { logBounds, positionAfter, readPosition, refuseGone } from '../history/feed/changes.ts';
import type { FeedPosition } from '../history/feed/changes.ts';
import { forgetLease, forgetLeases } from '../book/leases.ts';
import { deleteUnlogged, insertUnlogged, updateUnlogged } from '../book/unlogged.ts';
import { context, dialectOf, now } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { columnList, rowsAs, select } from '../db/rows.ts';
import { given, integer } from '../db/table.ts';
import { webhookAttempts, webhooks } from '../db/tables/tables.ts';
import { bodyProblem } from '../operations/problem.ts';
import type { AttemptRow } from './deliveries.ts';
import { maxWebhooks } from './rules.ts';
import type { Filter } from './rules.ts';
import {
  cursorColumns,
  cursorOf,
  databaseId,
  leaseName,
  lockedWebhook,
  webhookOf,
} from './stored.ts';
import type { WebhookRow } from './stored.ts';

/** A webhook to create. */
export interface NewWebhookRow extends Filter {
  readonly url: string;
  readonly description: string | null;
  readonly sealedSecret: Uint8Array;
  readonly actor: string;
  /** The position of the first change to send; null for the changes from now on. */
  readonly from: FeedPosition | null;
}

/** Returns the webhooks of a book by id. */
export function* listWebhooks(bookId: number): Steps<WebhookRow[]> {
  return yield* select(webhooks, { book_id: bookId });
}

/** Creates a webhook. Throws a Problem if the book has {@link maxWebhooks}, or a position that is not in the log. */
export function* addWebhook(bookId: number, webhook: NewWebhookRow): Steps<WebhookRow> {
  const dialect = yield* dialectOf();
  // No other request can create one meanwhile.
  yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM books WHERE id = ${bookId} ${dialect.lockingRows}`,
  );
  if ((yield* listWebhooks(bookId)).length >= maxWebhooks)
    throw bodyProblem({ errMsg: `A book can have ${maxWebhooks} webhooks` });
  const { url, description, sealedSecret: sealed_secret, actor } = webhook;
  const from = webhook.from ?? positionAfter((yield* logBounds(bookId)).version);
  yield* refuseLost(bookId, from);
  const at = yield* now();
  return yield* insertUnlogged(webhooks, {
    book_id: bookId,
    url,
    description,
    ...filterColumns(webhook),
    sealed_secret,
    database_id: yield* databaseId(),
    ...cursorColumns(from),
    created_by: actor,
    created_at: at,
    updated_at: at,
  });
}

/** Properties of a webhook to change. */
export interface WebhookChanges extends Partial<Filter> {
  readonly url?: string;
  readonly description?: string | null;
  readonly enabled?: boolean;
}

/**
 * Changes properties of a webhook. With a new URL, what failed is tried again at once.
 *
 * Throws a Problem if it does not exist, or if it is enabled although the log no longer has the changes after its
 * position.
 */
export function* updateWebhook(
  bookId: number,
  id: number,
  { enabled, url, description, records, kinds }: WebhookChanges,
): Steps<WebhookRow> {
  const row = yield* lockedOrThrow(bookId, id);
  const isEnabled = row.disabled_reason === null;
  const at = yield* now();
  if (enabled === true) yield* refuseLost(bookId, cursorOf(row));
  yield* updateUnlogged(
    webhooks,
    { book_id: bookId, id },
    {
      ...given({ url, description }),
      ...filterColumns(given({ records, kinds })),
      ...(enabled === true && !isEnabled && (yield* enabledColumns())),
      ...(enabled === false && isEnabled && { disabled_reason: 'request', disabled_at: at }),
      ...(url !== undefined && url !== row.url && freshColumns),
      updated_at: at,
    },
  );
  return yield* webhookOf(bookId, id);
}

const freshColumns = { failures: 0, failing_since_ms: null, next_attempt_ms: 0 } as const;

function* enabledColumns() {
  const database_id = yield* databaseId();
  return { disabled_reason: null, disabled_at: null, database_id, ...freshColumns };
}

/** Deletes a webhook with its log. */
export function* removeWebhook(bookId: number, id: number): Steps<void> {
  yield* lockedOrThrow(bookId, id);
  yield* deleteUnlogged(webhooks, { book_id: bookId, id });
  yield* forgetLease(leaseName(bookId, id));
}

/** Replaces the secret of a webhook. The old one also signs for a time, 0 for none. */
export function* rotateSecret(
  bookId: number,
  id: number,
  sealed: Uint8Array,
  keepMs: number,
): Steps<WebhookRow> {
  const { sealed_secret } = yield* lockedOrThrow(bookId, id);
  const { nowMs } = yield* context();
  const isKept = keepMs > 0;
  yield* updateUnlogged(
    webhooks,
    { book_id: bookId, id },
    {
      sealed_secret: sealed,
      sealed_old_secret: isKept ? sealed_secret : null,
      old_secret_until_ms: isKept ? nowMs + keepMs : null,
      updated_at: yield* now(),
    },
  );
  return yield* webhookOf(bookId, id);
}

/** Continues with the changes from a position on, null for those from now on. */
export function* moveCursor(
  bookId: number,
  id: number,
  from: FeedPosition | null,
): Steps<WebhookRow> {
  yield* lockedOrThrow(bookId, id);
  const to = from ?? positionAfter((yield* logBounds(bookId)).version);
  yield* refuseLost(bookId, to);
  const columns = { ...cursorColumns(to), ...freshColumns, updated_at: yield* now() };
  yield* updateUnlogged(webhooks, { book_id: bookId, id }, columns);
  return yield* webhookOf(bookId, id);
}

/** Releases the webhooks that a server was serving. Only for a database that no other server uses. */
export function* releaseWebhooks(): Steps<void> {
  yield* forgetLeases('webhook ');
}

/** Returns the position that a text means, null for `latest`. Throws a Problem if it is not in the log. */
export function* positionIn(bookId: number, text: string): Steps<FeedPosition | null> {
  const sent = readPosition(text, 'after');
  if (sent === null) return null;
  const place = { databaseId: yield* databaseId(), book: { id: bookId } };
  refuseGone(sent, place, yield* logBounds(bookId));
  return sent.position;
}

/** Returns attempts of a webhook, the latest first. */
export function* listAttempts(
  bookId: number,
  id: number,
  { limit, before = Number.MAX_SAFE_INTEGER }: { readonly limit: number; readonly before?: number },
): Steps<AttemptRow[]> {
  yield* webhookOf(bookId, id);
  return yield* rowsAs(
    webhookAttempts.columns,
    sql`SELECT ${columnList(webhookAttempts)} FROM webhook_attempts
      WHERE book_id = ${bookId} AND webhook_id = ${id} AND number < ${before}
      ORDER BY book_id DESC, webhook_id DESC, number DESC LIMIT ${limit}`,
  );
}

function* lockedOrThrow(bookId: number, id: number): Steps<WebhookRow> {
  return (yield* lockedWebhook(bookId, id)) ?? (yield* webhookOf(bookId, id));
}

/** Throws a Problem if the log no longer has the changes from a position on. */
function* refuseLost(bookId: number, position: FeedPosition): Steps<void> {
  const place = { databaseId: '', book: { id: bookId } };
  refuseGone({ position, of: null }, place, yield* logBounds(bookId));
}

function filterColumns({ records, kinds }: Partial<Filter>) {
  const json = (words: readonly string[] | null | undefined) => words && JSON.stringify(words);
  return given({ records: json(records), kinds: json(kinds) });
}
