import {
  integer,
  text,
  sortedText,
  bytes,
  sealed,
  id,
  oneOf,
  nullable,
  withDefault,
  partOf,
  sorted,
  serverTable,
} from '../table.ts';
import type { Table } from '../table.ts';

const count = withDefault(integer, 0);

/** Where the changes of books are sent. They are no records: an undo does not change them. */
export const webhooks = serverTable(
  'webhooks',
  {
    id,
    book_id: integer,
    url: text,
    description: nullable(text),
    /** The tables whose changes are sent, as a JSON array; null for all. */
    records: nullable(text),
    /** The kinds of changes that are sent, as a JSON array; null for all. */
    kinds: nullable(text),
    sealed_secret: sealed,
    /** Also signs until `old_secret_until_ms`. */
    sealed_old_secret: nullable(bytes),
    old_secret_until_ms: nullable(integer),
    /** Null while it is enabled. */
    disabled_reason: sorted(nullable(oneOf('request', 'failing', 'gone', 'pruned', 'moved'))),
    disabled_at: nullable(text),
    /** The id of the database that the cursor is of. */
    database_id: sortedText,
    /** The first change that was not delivered. */
    cursor_version: integer,
    cursor_place: integer,
    cursor_id: integer,
    /** Since the last delivery. */
    failures: count,
    failing_since_ms: nullable(integer),
    next_attempt_ms: count,
    /** The number of the last attempt. */
    attempts: count,
    delivered_at: nullable(text),
    created_by: text,
    created_at: text,
    updated_at: text,
  },
  { key: ['book_id', 'id'] },
);

/** The last attempts of each webhook. */
export const webhookAttempts = serverTable(
  'webhook_attempts',
  {
    book_id: integer,
    webhook_id: partOf('webhooks'),
    number: integer,
    kind: oneOf('event', 'redelivery', 'ping'),
    message_id: text,
    at: text,
    duration_ms: integer,
    /** Null if there was no response. */
    status: nullable(integer),
    error: nullable(text),
    /** How many changes it had. */
    changes: integer,
    /** The cursor before the event; null for a ping. */
    from_version: nullable(integer),
    from_place: nullable(integer),
    from_id: nullable(integer),
  },
  { key: ['book_id', 'webhook_id', 'number'] },
);

/** The tables of webhooks, which a move copies. */
export const webhooksTables: readonly Table<'server'>[] = [webhooks, webhookAttempts];
