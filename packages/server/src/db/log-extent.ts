import sql from 'sql-template-tag';
import { rowAs } from './rows.ts';
import type { Steps } from './engine.ts';
import { integer, nullable, text } from './table.ts';

/** How far back the change logs of all books go. */
export interface LogExtent {
  readonly versions: number;
  /** ISO 8601 in UTC; null if there is no change. */
  readonly oldest_at: string | null;
}

/** Reads the extent of the change log by one statement, without reading the log. */
export function* logExtent(): Steps<LogExtent | null> {
  // A book begins with version 1, which has no entry.
  const found = yield* rowAs(
    { versions: integer, oldest_at: nullable(text) },
    sql`SELECT CAST(coalesce(sum(version - CASE pruned_version WHEN 0 THEN 1 ELSE pruned_version END), 0) AS BIGINT)
        AS versions, min((SELECT min(at) FROM changes WHERE book_id = books.id)) AS oldest_at FROM books`,
  );
  return found ?? null;
}
