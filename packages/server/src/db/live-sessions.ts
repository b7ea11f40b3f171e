import sql, { type Sql } from 'sql-template-tag';
import { instantOf } from '@coffer/core/dates';
import { context, type Steps } from './engine.ts';

/** Sessions that are not used end after this time: 30 days. */
export const longestPauseMs = 30 * 86_400_000;

/** Returns the time before which the last use must be for a session to have ended by then: ISO 8601. */
export function pausedSince(nowMs: number): string {
  return instantOf(nowMs - longestPauseMs);
}

/**
 * Returns the condition for sessions `s` that have not ended; those of another database, of which this one is a copy,
 * are not valid here.
 */
export function* liveSessions(): Steps<Sql> {
  const { nowMs } = yield* context();
  return sql`s.ends_at > ${instantOf(nowMs)} AND s.seen_at > ${pausedSince(nowMs)}
    AND s.database_id = (SELECT value FROM database_identity WHERE name = 'id')`;
}
