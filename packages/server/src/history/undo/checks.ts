import sql from 'sql-template-tag';
import { prunedVersion } from '../../book/retention.ts';
import { undoneBy } from '../../book/undone.ts';
import type { Steps } from '../../db/engine.ts';
import { rowAs } from '../../db/rows.ts';
import { integer } from '../../db/table.ts';
import { notFound, Problem, refusePruned } from '../../operations/problem.ts';
import type { ErrorDetail } from '../../operations/problem.ts';

/**
 * Throws a Problem if a version of a book cannot be undone: the log does not have it, or no longer, or it is undone
 * already.
 */
export function* checkUndo(bookId: number, version: number): Steps<void> {
  if (version > 0) refusePruned(version, yield* prunedVersion(bookId));
  const found = yield* rowAs(
    { version: integer },
    sql`SELECT version FROM changes WHERE book_id = ${bookId} AND version = ${version}`,
  );
  if (found === undefined) throw notFound('version', version);
  const undoing = (yield* undoneBy(bookId, [version])).get(version);
  if (undoing === undefined) return;
  const errMsg = `Version ${version} was undone by version ${undoing}`;
  throw undoneProblem({ errMsg, version, undone_by: undoing });
}

/** Returns the problem of a change whose effect is gone already. */
export function undoneProblem(detail: ErrorDetail): Problem {
  return new Problem('undone', { details: [detail] });
}
