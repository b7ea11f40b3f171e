import sql from 'sql-template-tag';
import { undoneBy } from '../../changes/undone.ts';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer } from '../../db/table.ts';

const pageSize = 100;

/** Returns the versions of the last changes by an actor that are no undos and not undone, the newest first. */
export function* ownChanges(bookId: number, actor: string, most: number): Steps<number[]> {
  const own: number[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; own.length < most;) {
    const page = yield* rowsAs(
      { version: integer },
      sql`SELECT version FROM changes
        WHERE book_id = ${bookId} AND actor = ${actor} AND version < ${before} AND undoes IS NULL
        ORDER BY version DESC LIMIT ${pageSize}`,
    );
    const versions = page.map(({ version }) => version);
    const undone = yield* undoneBy(bookId, versions);
    own.push(...versions.filter((version) => !undone.has(version)));
    const last = versions.at(-1);
    if (last === undefined || versions.length < pageSize) break;
    before = last;
  }
  return own.slice(0, most);
}
