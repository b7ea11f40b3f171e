import { integer, text, sortedText, nullable, serverTable } from '../table.ts';
import type { Table } from '../table.ts';

/**
 * The responses to requests with an Idempotency-Key, by access token or user, operation and key. `status` is null while
 * the request is under way; then `claim` names who performs it.
 */
export const idempotencyKeys = serverTable(
  'idempotency_keys',
  {
    book_id: integer,
    /** The id of an access token, or the negative id of a user, whose sessions share keys. */
    token_id: integer,
    operation: sortedText,
    request_key: sortedText,
    fingerprint: text,
    claim: nullable(text),
    status: nullable(integer),
    body: nullable(text),
    expires_at_ms: integer,
  },
  { key: ['book_id', 'token_id', 'operation', 'request_key'] },
);

/** The records of a book about repeated requests. A table comes after those that it refers to. */
export const idempotencyRecords: readonly Table<'book'>[] = [];

/** The other tables about repeated requests, which a move copies. */
export const idempotencyTables: readonly Table<'server'>[] = [idempotencyKeys];
