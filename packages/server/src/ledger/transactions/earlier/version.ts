import { isCalendarDate, toInstant } from '@coffer/core/dates';
import sql from 'sql-template-tag';
import { prunedVersion } from '../../../book/log.ts';
import type { Steps } from '../../../db/engine.ts';
import { rowAs } from '../../../db/rows.ts';
import { integer, text } from '../../../db/table.ts';
import { Problem, refusePrunedState } from '../../../operations/problem.ts';

/** A version of a book, and its present one. */
export interface AsOf {
  readonly version: number;
  readonly current: number;
}

const versionPattern = /^(0|[1-9]\d{0,15})$/;

/** Whether a text is a version, a date or a date-time. */
export function isAsOf(text: string): boolean {
  return versionPattern.test(text) || toInstant(text) !== null;
}

/**
 * Returns the version that `asOf` names: a version, or the one that the book had at a time. Without it, and for a time
 * that has not come yet, the present version.
 *
 * A date means the end of that day in UTC. Before its first change a book was empty. Throws a Problem with 400 for a
 * version that the book does not have yet, and with 410 for one whose later changes the log no longer has.
 */
export function* versionAsOf(bookId: number, asOf: string | undefined): Steps<AsOf> {
  const book = yield* rowAs(
    { version: integer, changed_at: text },
    sql`SELECT version, changed_at FROM books WHERE id = ${bookId}`,
  );
  const { version: current, changed_at: changedAt } = book!;
  if (asOf === undefined) return { version: current, current };
  const pruned = yield* prunedVersion(bookId);
  if (!versionPattern.test(asOf)) {
    const last = lastInstant(asOf);
    if (last >= changedAt) return { version: current, current };
    return { version: yield* versionAt(bookId, last, asOf, pruned), current };
  }
  const version = Number(asOf);
  if (version > current) throw unknownVersion(asOf, current);
  refusePrunedState(version, pruned);
  return { version, current };
}

/** The last instant that `asOf` includes; times have milliseconds. It passes {@link isAsOf}. */
function lastInstant(asOf: string): string {
  return isCalendarDate(asOf) ? `${asOf}T23:59:59.999Z` : toInstant(asOf)!;
}

function* versionAt(bookId: number, at: string, asOf: string, pruned: number): Steps<number> {
  const found = yield* rowAs(
    { version: integer },
    sql`SELECT version FROM changes WHERE book_id = ${bookId} AND at <= ${at} ORDER BY at DESC LIMIT 1`,
  );
  const version = found?.version ?? 0;
  if (version >= pruned) return version;
  const errMsg = `The history at ${asOf} was pruned: the oldest is version ${pruned}`;
  throw new Problem('pruned', { details: [{ errMsg, as_of: asOf, oldest_version: pruned }] });
}

function unknownVersion(asOf: string, current: number): Problem {
  const errMsg = `The book has no version ${asOf} yet: the present one is ${current}`;
  return new Problem('validation', {
    details: [{ errMsg, instancePath: '/query/as_of', current_version: current }],
  });
}
