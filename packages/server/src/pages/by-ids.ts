import sql, { join } from 'sql-template-tag';
import { blocksOf, padded } from '../db/blocks.ts';
import { joined, rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { wholeElement, withMetadataBehind } from './pages.ts';

const comma = Buffer.from(',');

/**
 * Returns the JSON of transactions of a book with everything that can be included, in the order of the ids: elements
 * with commas between them, in pieces. An id may be repeated; all must exist.
 */
export function* getTransactions(bookId: number, ids: readonly number[]): Steps<Buffer[]> {
  const pieces: Buffer[] = [];
  for (const block of blocksOf(ids)) {
    const wanted = padded(block, 0).map(
      (id, place) => sql`(CAST(${place} AS BIGINT), CAST(${id} AS BIGINT))`,
    );
    // A join would read the whole book where PostgreSQL has no statistics yet.
    const json = yield* joined(sql`
      WITH wanted (place, id) AS (VALUES ${join(wanted)})
      SELECT (SELECT ${wholeElement()} FROM transactions t WHERE t.book_id = ${bookId} AND t.id = w.id) AS json
      FROM wanted w WHERE w.place < ${block.length} ORDER BY w.place`);
    pieces.push(...(pieces.length > 0 ? [comma] : []), json);
  }
  return pieces;
}

/**
 * Returns the JSON of transactions of a book with metadata, without files and children: at most a block of ids. Ids
 * that do not exist are left out.
 */
export function* ownTransactions(
  bookId: number,
  ids: readonly number[],
): Steps<{ readonly id: number; readonly json: string }[]> {
  const wanted = padded(ids, 0).map((id) => sql`(CAST(${id} AS BIGINT))`);
  // As above, a list of ids would read the whole book.
  const found = yield* rows<{ readonly id: number; readonly json: string | null }>(sql`
    WITH wanted (id) AS (VALUES ${join(wanted)})
    SELECT w.id AS id, (SELECT ${withMetadataBehind()} FROM transactions t
      WHERE t.book_id = ${bookId} AND t.id = w.id) AS json
    FROM wanted w`);
  return found.flatMap(({ id, json }) => (json === null ? [] : [{ id, json: joinedParts(json) }]));
}

/** Moves the closing brace of the first line behind the second one. JSON of a row has no line breaks of its own. */
function joinedParts(json: string): string {
  const end = json.indexOf('\n');
  return `${json.slice(0, end - 1)}${json.slice(end + 1)}}`;
}
