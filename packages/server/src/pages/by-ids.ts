import sql, { join } from 'sql-template-tag';
import { blocksOf, padded } from '../db/blocks.ts';
import { joined } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { wholeElement } from './pages.ts';

const comma = Buffer.from(',');

/**
 * Returns the JSON of transactions with everything that can be included, in the order of the ids: elements with commas
 * between them, in pieces. An id may be repeated; ids of other books are left out.
 */
export function* getTransactions(bookId: number, ids: readonly number[]): Steps<Buffer[]> {
  const pieces: Buffer[] = [];
  for (const block of blocksOf(ids)) {
    const places = padded(block, 0).map(
      (id, place) => sql`(CAST(${place} AS BIGINT), CAST(${id} AS BIGINT))`,
    );
    const json = yield* joined(sql`
      WITH wanted (place, id) AS (VALUES ${join(places)})
      SELECT ${wholeElement()} AS json FROM wanted w JOIN transactions t ON t.book_id = ${bookId} AND t.id = w.id
      ORDER BY w.place`);
    if (json.length > 0) pieces.push(...(pieces.length > 0 ? [comma] : []), json);
  }
  return pieces;
}
