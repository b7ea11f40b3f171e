import type { MigrationWords } from '../words.ts';

/**
 * Webhooks of books, and the log of their attempts.
 *
 * The cursor is the first change that was not delivered: a version, a place in it, and an id. `database_id` is the
 * database that the cursor is of, so that a copy of the database delivers nothing.
 */
export function webhooks(words: MigrationWords): string {
  const { id, bookKey, integer, text, sortedText, bytes, endOfTable, endOfKeyedTable } = words;
  return `
CREATE TABLE webhooks (
  id ${id},
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  url ${text} NOT NULL,
  description ${text},
  records ${text},
  kinds ${text},
  sealed_secret ${bytes} NOT NULL CHECK (length(sealed_secret) > 0),
  sealed_old_secret ${bytes},
  old_secret_until_ms ${integer},
  disabled_reason ${sortedText}
    CHECK (disabled_reason IN ('request', 'failing', 'gone', 'pruned', 'moved')),
  disabled_at ${text},
  database_id ${sortedText} NOT NULL,
  cursor_version ${integer} NOT NULL,
  cursor_place ${integer} NOT NULL,
  cursor_id ${integer} NOT NULL,
  failures ${integer} NOT NULL DEFAULT 0,
  failing_since_ms ${integer},
  next_attempt_ms ${integer} NOT NULL DEFAULT 0,
  attempts ${integer} NOT NULL DEFAULT 0,
  delivered_at ${text},
  created_by ${text} NOT NULL,
  created_at ${text} NOT NULL,
  updated_at ${text} NOT NULL,
  ${bookKey}
)${endOfTable};
CREATE INDEX enabled_webhooks ON webhooks (next_attempt_ms) WHERE disabled_reason IS NULL;

CREATE TABLE webhook_attempts (
  book_id ${integer} NOT NULL,
  webhook_id ${integer} NOT NULL,
  number ${integer} NOT NULL,
  kind ${text} NOT NULL CHECK (kind IN ('event', 'redelivery', 'ping')),
  message_id ${text} NOT NULL,
  at ${text} NOT NULL,
  duration_ms ${integer} NOT NULL,
  status ${integer},
  error ${text},
  changes ${integer} NOT NULL,
  from_version ${integer},
  from_place ${integer},
  from_id ${integer},
  PRIMARY KEY (book_id, webhook_id, number),
  FOREIGN KEY (book_id, webhook_id) REFERENCES webhooks (book_id, id) ON DELETE CASCADE
)${endOfKeyedTable};
`;
}
