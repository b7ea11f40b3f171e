import sql from 'sql-template-tag';
import { context, dialectOf, insertMany } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { rowAs } from '../db/rows.ts';
import { integer, nullable, text } from '../db/table.ts';
import { books } from '../db/tables/tables.ts';
import { updateRows } from '../db/writes.ts';
import { Change } from './change.ts';

/** Who changes which book, and by which operation. */
export interface Cause {
  readonly bookId: number;
  /** Such as `token 12`, `command` or `connector kraken`. */
  readonly actor: string;
  /** The id of the operation, or the name of the command. */
  readonly operation: string;
  /** The version that the change undoes. */
  readonly undoes?: number;
}

/** The book does not exist, or no longer, or its import is under way. */
export class NoSuchBookError extends Error {
  override name = 'NoSuchBookError';
  constructor(bookId: number) {
    super(`There is no book ${bookId}`);
  }
}

const lockedBook = {
  ...{ version: integer, changed_at: text },
  ...{ derived_version: integer, hidden_counts_version: integer, texts_version: integer },
  incomplete_until_ms: nullable(integer),
};

/**
 * Changes the records of one book as one version, and writes the change log.
 *
 * It locks the book's row first, so that changes of one book run one after another. Then it takes the time, which is at
 * least a millisecond after the previous change, whatever the clocks of other nodes say. So a client that has seen a
 * change finds every later change by its later time. Work that writes nothing leaves the version and the log unchanged.
 *
 * Must run in one write transaction of the engine. Throws {@link NoSuchBookError}.
 */
export function* changing<T>(cause: Cause, work: (change: Change) => Steps<T>): Steps<T> {
  const { bookId, actor, operation, undoes = null } = cause;
  const dialect = yield* dialectOf();
  const book = yield* rowAs(
    lockedBook,
    sql`SELECT version, changed_at, derived_version, hidden_counts_version, texts_version, incomplete_until_ms
      FROM books WHERE id = ${bookId} ${dialect.lockingRows}`,
  );
  const isWhole = book?.incomplete_until_ms === null;
  if (!isWhole) throw new NoSuchBookError(bookId);
  // Only after the lock is held: a change must not be older than the one that it waited for.
  const { nowMs } = yield* context();
  const at = laterOf(nowMs, book.changed_at);
  const change = new Change(bookId, book.version + 1, at);
  const result = yield* work(change);
  if (change.isEmpty) return result;
  yield* change.finish();
  const { version } = change;
  // If an older node has changed the book, the derived tables lack its change until they are filled again.
  const kept = (stored: number) => (stored === book.version ? version : stored);
  const derived = {
    derived_version: kept(book.derived_version),
    hidden_counts_version: kept(book.hidden_counts_version),
    texts_version: kept(book.texts_version),
  };
  yield* updateRows(books, { id: bookId }, { version, changed_at: at, ...derived });
  yield* insertMany(
    'changes',
    ['book_id', 'version', 'at', 'actor', 'operation', 'undoes'],
    [[bookId, version, at, actor, operation, undoes]],
  );
  return result;
}

/** The current time, but at least a millisecond after the previous change: ISO 8601 in UTC. */
function laterOf(nowMs: number, changedAt: string): string {
  return new Date(Math.max(Math.floor(nowMs), Date.parse(changedAt) + 1)).toISOString();
}
