import sql from 'sql-template-tag';
import { undoneBy } from '../../book/undone.ts';
import { dialectOf } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, nullable } from '../../db/table.ts';

const pageSize = 100;

/** Returns the versions of the last changes by an actor that are no undos and not undone, the newest first. */
export function* ownChanges(bookId: number, actor: string, most: number): Steps<number[]> {
  const { byBytes } = yield* dialectOf();
  const own: number[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; own.length < most;) {
    const page = yield* rowsAs(
      { version: integer, undoes: nullable(integer) },
      // The index has no other column, so that SQLite uses it.
      sql`SELECT own.version, changes.undoes FROM (
          SELECT version FROM changes
          WHERE book_id = ${bookId} AND ${byBytes('actor')} = ${actor} AND version < ${before}
          ORDER BY version DESC LIMIT ${pageSize}
        ) own CROSS JOIN changes WHERE changes.book_id = ${bookId} AND changes.version = own.version
        ORDER BY own.version DESC`,
    );
    const versions = page.filter(({ undoes }) => undoes === null).map(({ version }) => version);
    const undone = yield* undoneBy(bookId, versions);
    own.push(...versions.filter((version) => !undone.has(version)));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    before = last.version;
  }
  return own.slice(0, most);
}
