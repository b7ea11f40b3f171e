import sql from 'sql-template-tag';
import { positionText, type FeedPosition } from '../history/feed/changes.ts';
import { dialectOf, type Steps } from '../db/engine.ts';
import { find, rowsAs } from '../db/rows.ts';
import { integer, type Row } from '../db/table.ts';
import { webhooks, type webhookAttempts } from '../db/tables/tables.ts';
import { notFound } from '../operations/problem.ts';
import { isDelivered, notices, type Filter } from './rules.ts';
import { forgetLeases, webhookLeasesOf } from '../book/leases.ts';
import { instantOf } from '@coffer/core/dates';
import type { Webhook, WebhookAttempt } from './schema.ts';

export type WebhookRow = Row<typeof webhooks>;
export type AttemptRow = Row<typeof webhookAttempts>;

/** The position of the next change of a webhook. */
export function cursorOf(row: WebhookRow): FeedPosition {
  return { version: row.cursor_version, place: row.cursor_place, id: row.cursor_id };
}

/** The columns of a cursor. */
export function cursorColumns({
  version,
  place,
  id,
}: FeedPosition): Pick<WebhookRow, 'cursor_version' | 'cursor_place' | 'cursor_id'> {
  return { cursor_version: version, cursor_place: place, cursor_id: id };
}

/** Which changes a webhook is for. */
export function filterOf({ records, kinds }: WebhookRow): Filter {
  return {
    records: records === null ? null : (JSON.parse(records) as string[]),
    kinds: kinds === null ? null : (JSON.parse(kinds) as NonNullable<Filter['kinds']>),
  };
}

/** Returns the sealed secrets that sign the messages of a webhook at a time, the current one first. */
export function secretsOf(row: WebhookRow, nowMs: number): Uint8Array[] {
  const { sealed_secret, sealed_old_secret: old, old_secret_until_ms: untilMs } = row;
  return old !== null && (untilMs ?? 0) > nowMs ? [sealed_secret, old] : [sealed_secret];
}

/** Returns a webhook of a book. Throws a Problem if there is none. */
export function* webhookOf(bookId: number, id: number): Steps<WebhookRow> {
  const row = yield* find(webhooks, { book_id: bookId, id });
  if (row === undefined) throw notFound('webhook', id);
  return row;
}

/** Returns a webhook that no other transaction can change until this one ends, or undefined. */
export function* lockedWebhook(bookId: number, id: number): Steps<WebhookRow | undefined> {
  const dialect = yield* dialectOf();
  yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM webhooks WHERE book_id = ${bookId} AND id = ${id} ${dialect.lockingRows}`,
  );
  return yield* find(webhooks, { book_id: bookId, id });
}

/** Releases the webhooks that a server was serving. Only for a database that no other server uses. */
export function* releaseWebhooks(): Steps<void> {
  yield* forgetLeases('webhook ');
}

/** The name of the lease that deliveries of a webhook need. */
export function leaseName(bookId: number, id: number): string {
  return `${webhookLeasesOf(bookId)}${id}`;
}

/** Returns a webhook as in a response. */
export function webhookToWire(row: WebhookRow, nowMs: number): Webhook {
  const { id, book_id, url, description, failures, created_by, created_at, updated_at } = row;
  const { disabled_reason: reason, disabled_at: at, old_secret_until_ms: untilMs } = row;
  const { records, kinds } = filterOf(row);
  const isFailing = reason === null && failures > 0;
  const place = { databaseId: row.database_id, book: { id: book_id } };
  return {
    id,
    url,
    description,
    records: records === null ? null : [...records],
    kinds: kinds === null ? null : [...kinds],
    status: reason !== null ? 'disabled' : isFailing ? 'failing' : 'enabled',
    disabled: reason === null ? null : { reason, at: at!, message: notices[reason] },
    position: positionText(place, cursorOf(row)),
    failures,
    next_attempt_at: isFailing ? instantOf(row.next_attempt_ms) : null,
    delivered_at: row.delivered_at,
    old_secret_until: untilMs !== null && untilMs > nowMs ? instantOf(untilMs) : null,
    created_by,
    created_at,
    updated_at,
  };
}

/** Returns an attempt as in a response. */
export function attemptToWire(row: AttemptRow): WebhookAttempt {
  const { number, kind, message_id, at, duration_ms, status, error, changes } = row;
  const delivered = isDelivered(row);
  return { number, kind, message_id, at, duration_ms, delivered, status, error, changes };
}
