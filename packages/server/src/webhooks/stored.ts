import sql from 'sql-template-tag';
import type { FeedPosition } from '../history/feed/changes.ts';
import { dialectOf } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { find, rowsAs } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import type { Row } from '../db/table.ts';
import { databaseIdentity, webhooks } from '../db/tables/tables.ts';
import { notFound } from '../operations/problem.ts';
import type { Filter } from './rules.ts';
import { webhookLeasesOf } from '../book/leases.ts';

export type WebhookRow = Row<typeof webhooks>;

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

/** Returns the id of the database. */
export function* databaseId(): Steps<string> {
  const row = yield* find(databaseIdentity, { name: 'id' });
  return row!.value;
}

/** The name of the lease that deliveries of a webhook need. */
export function leaseName(bookId: number, id: number): string {
  return `${webhookLeasesOf(bookId)}${id}`;
}
