import type { Steps } from '../db/engine.ts';
import { rowAs } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import sql from 'sql-template-tag';

/**
 * Returns the last version of a book that the change log no longer has; 0 if nothing was pruned. Every later version is
 * complete.
 */
export function* prunedVersion(bookId: number): Steps<number> {
  const book = yield* rowAs(
    { pruned_version: integer },
    sql`SELECT pruned_version FROM books WHERE id = ${bookId}`,
  );
  return book?.pruned_version ?? 0;
}
