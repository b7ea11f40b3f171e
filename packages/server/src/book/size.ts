import sql from 'sql-template-tag';
import { rowAs } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import type { Steps } from '../db/engine.ts';

/**
 * Returns how much an operation on all of a book reads: the number of its transactions, by their counts, and of the
 * lines of its change log, at most `mostLines`.
 */
export function* bookSize(bookId: number, mostLines: number): Steps<number> {
  const months = sql`book_id = ${bookId} AND granularity = 'month'`;
  const found = yield* rowAs(
    { size: integer },
    sql`SELECT CAST(
        (SELECT coalesce(sum(listed), 0) FROM transaction_counts WHERE ${months})
        + (SELECT coalesce(sum(number), 0) FROM hidden_counts WHERE ${months})
        + (SELECT count(*) FROM (SELECT place FROM changed_records WHERE book_id = ${bookId} LIMIT ${mostLines}) lines)
      AS BIGINT) AS size`,
  );
  return found!.size;
}
