import sql from 'sql-template-tag';
import { context, dialectOf, insertMany } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { rowAs } from '../db/rows.ts';
import { integer, text } from '../db/table.ts';
import { books } from '../db/tables.ts';
import { updateRows } from '../db/writes.ts';
import { Change } from './change.ts';

/** Who changes which book, by what. */
export interface Cause {
  readonly bookId: number;
  /** Such as `token 12`, `command` or `connector kraken`. */
  readonly actor: string;
  /** The id of the operation, or the name of the command. */
  readonly operation: string;
  /** The version that the change takes back. */
  readonly undoes?: number;
}

/** There is no such book (any more). */
export class NoSuchBookError extends Error {
  override name = 'NoSuchBookError';
  constructor(bookId: number) {
    super(`There is no book ${bookId}`);
  }
}

/**
 * Changes the records of one book, and writes the change to its log: one version, however much is written.
 *
 * The book's row is locked first, so that changes of one book come one after another. Only then the time is taken, and
 * it is at least a millisecond after the change before, whatever the clocks of other nodes say: who has seen a change
 * finds every later one by a later time. Work that writes nothing leaves version and log as they were.
 *
 * The steps belong in one write transaction of the engine. Throws {@link NoSuchBookError}.
 */
export function* changing<T>(cause: Cause, work: (change: Change) => Steps<T>): Steps<T> {
  const { bookId, actor, operation, undoes = null } = cause;
  const dialect = yield* dialectOf();
  const book = yield* rowAs(
    { version: integer, changed_at: text },
    sql`SELECT version, changed_at FROM books WHERE id = ${bookId} ${dialect.lockingRows}`,
  );
  if (book === undefined) throw new NoSuchBookError(bookId);
  // Not before the lock is held: a change that waits must not be older than the one that it waits for.
  const { nowMs } = yield* context();
  const at = laterOf(nowMs, book.changed_at);
  const change = new Change(bookId, book.version + 1, at);
  const result = yield* work(change);
  if (change.isEmpty) return result;
  yield* change.finish();
  const { version } = change;
  yield* updateRows(books, { id: bookId }, { version, changed_at: at });
  yield* insertMany(
    'changes',
    ['book_id', 'version', 'at', 'actor', 'operation', 'undoes'],
    [[bookId, version, at, actor, operation, undoes]],
  );
  return result;
}

/** The time now, or a millisecond after a change that has a later one: ISO 8601 in UTC. */
function laterOf(nowMs: number, changedAt: string): string {
  return new Date(Math.max(Math.floor(nowMs), Date.parse(changedAt) + 1)).toISOString();
}
