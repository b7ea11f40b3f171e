import { setTimeout as wait } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { rows, run, type Engine, type Steps } from '../db/engine.ts';
import { prunedVersion } from './log.ts';
import { rowAs, rowsAs } from '../db/rows.ts';
import { flag, integer } from '../db/table.ts';

/** Limits of one transaction, so that other writers wait at most a few hundredths of a second. */
const versionsAtOnce = 1000;
const linesAtOnce = 1000;
/** Books that are examined in one statement. */
const booksAtOnce = 500;

/**
 * Removes all changes before a time from the logs of all books, in small transactions. `before` is ISO 8601 in UTC.
 *
 * Ends early when the signal is aborted. A run that is interrupted leaves no part of a version: first a book's
 * `pruned_version` is raised and the entries of its changes are deleted, in one transaction, then their lines.
 */
export async function pruneHistory(
  engine: Engine,
  before: string,
  signal: AbortSignal,
): Promise<void> {
  let last: number | undefined = 0;
  while (last !== undefined && !signal.aborted) {
    const after: number = last;
    const found = await engine.read(() => examineBooks(after, before));
    for (const { id, is_due } of found) if (is_due) await pruneBook(engine, id, before, signal);
    last = found.at(-1)?.id;
  }
}

async function pruneBook(
  engine: Engine,
  bookId: number,
  before: string,
  signal: AbortSignal,
): Promise<void> {
  let isMore = true;
  while (isMore && !signal.aborted) {
    const startedMs = performance.now();
    isMore = await engine.write(function* () {
      const pruned = yield* prunedVersion(bookId);
      return (yield* deleteLines(bookId, pruned)) || (yield* pruneVersions(bookId, pruned, before));
    });
    // Other work gets at least as much time.
    await wait(performance.now() - startedMs, undefined, { signal }).catch(() => undefined);
  }
}

function* deleteLines(bookId: number, pruned: number): Steps<boolean> {
  const next = yield* rowAs(
    { version: integer, place: integer },
    sql`SELECT version, place FROM changed_records WHERE book_id = ${bookId} AND version <= ${pruned}
      ORDER BY version, place LIMIT 1 OFFSET ${linesAtOnce}`,
  );
  const { version, place } = next ?? { version: pruned + 1, place: 0 };
  const deleted = yield* rows<object>(sql`
    DELETE FROM changed_records
    WHERE book_id = ${bookId} AND version <= ${version} AND (version, place) < (${version}, ${place})
    RETURNING place`);
  return deleted.length > 0;
}

function* pruneVersions(bookId: number, pruned: number, before: string): Steps<boolean> {
  const old = yield* rowAs(
    { version: integer },
    sql`SELECT version FROM changes WHERE book_id = ${bookId} AND at < ${before} AND version > ${pruned}
      ORDER BY at DESC LIMIT 1`,
  );
  if (old === undefined) return false;
  const last = Math.min(old.version, pruned + versionsAtOnce);
  // Never lower: another node may have taken over. It also locks the book, so that no undo loses what it reads.
  yield* run(
    sql`UPDATE books SET pruned_version = ${last} WHERE id = ${bookId} AND pruned_version < ${last}`,
  );
  yield* run(sql`DELETE FROM changes WHERE book_id = ${bookId} AND version <= ${last}`);
  return true;
}

/** Returns the next books by id, and whether there is something to prune. */
function* examineBooks(after: number, before: string) {
  return yield* rowsAs(
    { id: integer, is_due: flag },
    sql`SELECT id, CASE
        WHEN EXISTS (SELECT 1 FROM changes c
          WHERE c.book_id = b.id AND c.at < ${before} AND c.version > b.pruned_version) THEN 1
        WHEN EXISTS (SELECT 1 FROM changed_records r
          WHERE r.book_id = b.id AND r.version <= b.pruned_version) THEN 1
        ELSE 0 END AS is_due
      FROM books b WHERE id > ${after} ORDER BY id LIMIT ${booksAtOnce}`,
  );
}
