import { instantOf } from '@coffer/core/dates';
import { positionText } from '../history/feed/changes.ts';
import type { AttemptRow } from './deliveries.ts';
import { isDelivered, notices } from './rules.ts';
import type { Webhook, WebhookAttempt } from './schema.ts';
import { cursorOf, filterOf } from './stored.ts';
import type { WebhookRow } from './stored.ts';

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
