import sql from 'sql-template-tag';
import { insertMany, run, type Steps } from '../../packages/server/src/db/engine.ts';

const tokens = 5;
const columns = ['book_id', 'version', 'place', 'record', 'first_id', 'last_id', 'kind', 'diff'];

/** Writes versions that no request has made; the lines of each are the columns from `record` on. */
export function* writeLog(
  bookId: number,
  versions: readonly number[],
  linesOf: (version: number) => readonly (readonly (string | number)[])[],
): Steps<void> {
  const timeOf = (version: number): string => new Date(1.6e12 + version * 60_000).toISOString();
  yield* insertMany(
    'changes',
    ['book_id', 'version', 'at', 'actor', 'operation'],
    versions.map((each) => [bookId, each, timeOf(each), `token ${1 + (each % tokens)}`, 'update']),
  );
  const lines = versions.flatMap((each) =>
    linesOf(each).map((line, place) => [bookId, each, place, ...line]),
  );
  yield* insertMany('changed_records', columns, lines);
  const last = versions.at(-1)!;
  yield* run(
    sql`UPDATE books SET version = ${last}, changed_at = ${timeOf(last)} WHERE id = ${bookId}`,
  );
}
