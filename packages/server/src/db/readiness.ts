import sql from 'sql-template-tag';
import { row, type Engine, type Steps } from './engine.ts';
import { rowAs } from './rows.ts';
import { integer, nullable, text } from './table.ts';

/** What a database can do at the moment. */
export interface Readiness {
  readonly canRead: boolean;
  /** False after a write that the disk refused, until a write succeeds. */
  readonly canWrite: boolean;
}

/**
 * Checks an engine with a small read. Only after a write that the disk refused, it also tries a small write.
 *
 * A lock that another process holds is not a failure: writers wait for it, so the database can be written to.
 */
export async function readiness(engine: Engine): Promise<Readiness> {
  const canRead = await succeeds(() => engine.read(readSomething));
  if (canRead && !engine.canWrite) await succeeds(() => engine.write(writeNothing, { waitMs: 0 }));
  return { canRead, canWrite: canRead && engine.canWrite };
}

/** It asks no book: where books are spread over machines, one that fails does not stop the users of the others. */
function* readSomething(): Steps<unknown> {
  return yield* row(sql`SELECT value FROM database_identity WHERE name = 'id'`);
}

/** While {@link Engine.canWrite} is false, the engine itself adds a write that reaches the disk. */
function* writeNothing(): Steps<void> {
  return undefined;
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

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
