import sql, { join } from 'sql-template-tag';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, nullable } from '../../db/table.ts';

/** An undo that is not in the log yet. */
export interface NewUndo {
  readonly version: number;
  readonly undoes: number;
}

/**
 * Returns which of some versions of a book are undone, each with the version that undid it last. An undo that was
 * undone itself no longer counts.
 */
export function* undoneBy(
  bookId: number,
  versions: readonly number[],
  newest?: NewUndo,
): Steps<Map<number, number>> {
  const wanted = new Set(versions);
  const undone = new Map<number, number>();
  // CROSS JOIN: SQLite looks up the undos of each change, instead of comparing all undos of the book.
  for (const block of blocksOf(versions)) {
    const undos = yield* rowsAs(
      { version: integer, undoes: integer },
      sql`WITH RECURSIVE undos (version, undoes) AS (
          SELECT version, undoes FROM changes WHERE book_id = ${bookId} AND undoes IN (${join(block)})
          UNION SELECT changes.version, changes.undoes FROM undos CROSS JOIN changes
            WHERE changes.book_id = ${bookId} AND changes.undoes = undos.version)
        SELECT version, undoes FROM undos ORDER BY version DESC`,
    );
    // An undo comes after what it undoes, so whether it counts is known before.
    for (const { version, undoes } of newest === undefined ? undos : [newest, ...undos])
      if (!undone.has(version) && !undone.has(undoes)) undone.set(undoes, version);
  }
  return new Map([...undone].filter(([version]) => wanted.has(version)));
}

/** A change that is no undo, and how many undos lead from it to a version: 0 for itself, 1 for its undo. */
interface Origin {
  readonly version: number;
  readonly undos: number;
}

/** Returns what a version undoes in the end. Null if the log has no change with that version. */
export function* originOf(bookId: number, version: number): Steps<Origin | null> {
  const chain = yield* rowsAs(
    { version: integer, undoes: nullable(integer) },
    sql`WITH RECURSIVE chain (version, undoes) AS (
        SELECT version, undoes FROM changes WHERE book_id = ${bookId} AND version = ${version}
        UNION SELECT changes.version, changes.undoes FROM chain CROSS JOIN changes
          WHERE changes.book_id = ${bookId} AND changes.version = chain.undoes)
      SELECT version, undoes FROM chain ORDER BY version`,
  );
  const [first] = chain;
  if (first === undefined) return null;
  const { version: oldest, undoes } = first;
  // The log may not have the origin any more.
  if (undoes !== null) return { version: undoes, undos: chain.length };
  return { version: oldest, undos: chain.length - 1 };
}
