import { setTimeout as wait } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import {
  cryptoLeasesOf,
  forgetLeases,
  mostLeaseMs,
  takeLease,
  webhookLeasesOf,
} from '../book/leases.ts';
import { deleteSomeOf, deleteUnlogged, insertUnlogged, updateUnlogged } from '../book/unlogged.ts';
import { computedTables } from '../db/computed-tables.ts';
import { context, now, type Engine, type Steps } from '../db/engine.ts';
import { isDatabaseError } from '../db/errors.ts';
import { find, rowsAs, select } from '../db/rows.ts';
import { integer, type Table } from '../db/table.ts';
import {
  accessTokens,
  bookTables,
  books,
  connections,
  cryptoAccounts,
  databaseIdentity,
  leases,
  serverTables,
  sessions,
  signInLinks,
  syncRequests,
  users,
  webhooks,
} from '../db/tables/tables.ts';
import type { FileStore } from '../files/store.ts';
import { bodyProblem } from '../operations/problem.ts';
import { bookOf, isRemoved, lockedBooksOf } from '../identity/users/actions.ts';
import { outside, type Operation } from '../operations/operation.ts';
import { noContent, WithCookies, withCookie } from '../operations/responses.ts';
import { object, text } from '../operations/schema.ts';

/*
 * A removal has two parts. First, in one transaction, the books get an owner without a name that no list shows, and
 * everything is deleted by which they can be opened or by which they send something. Then their rows are deleted in
 * small transactions, so that others can write, and what the file still has of them is overwritten. A removal that was
 * interrupted is finished by the next one, or by the server.
 */

/** Rows of one transaction. */
const [leastRows, mostRows] = [50, 1000];
/** How long a transaction should take: a server refuses a write that waits for two seconds. */
const stepMs = 200;
/** In `database_identity` while unused parts of the file may have deleted rows. Its value counts removals. */
const traces = 'traces';

/** What a removal needs besides the database. */
export interface RemovalOptions {
  /** Where the attached files are; null if that is not known. */
  readonly files: FileStore | null;
  readonly signal?: AbortSignal;
}

/** Whether nothing of what was removed is left in the database, and the number of files that were deleted. */
export interface RemovalSummary {
  readonly isErased: boolean;
  readonly files: number;
}

/** Removes a user with all books. */
export async function removeUser(
  engine: Engine,
  userId: number,
  options: RemovalOptions,
): Promise<RemovalSummary> {
  await engine.write(() => detachUser(userId));
  return finishRemovals(engine, options);
}

/** Removes a book with everything in it. Throws a Problem for the only book of a user. */
export async function removeBook(
  engine: Engine,
  bookId: number,
  options: RemovalOptions,
): Promise<RemovalSummary> {
  await engine.write(() => detachBook(bookId));
  return finishRemovals(engine, options);
}

/** Removes a user; the books remain until {@link finishRemovals}, but nobody can open them. */
export function* detachUser(userId: number): Steps<void> {
  yield* lockedBooksOf(userId);
  // Also one that is being imported.
  const all = yield* select(books, { user_id: userId });
  yield* detachBooks(all.map(({ id }) => id));
  yield* deleteUnlogged(users, { id: userId });
}

/** Detaches a book whose name passes a check; with their only book, the user too. */
function* detachOwnBook(bookId: number, check: (name: string) => void): Steps<void> {
  const { userId, name } = yield* bookOf(bookId);
  check(name);
  if ((yield* lockedBooksOf(userId)).length === 1) yield* detachUser(userId);
  else yield* detachBooks([bookId]);
}

/** As {@link detachUser}, for one of the books of a user. */
function* detachBook(bookId: number): Steps<void> {
  const { userId } = yield* bookOf(bookId);
  if ((yield* lockedBooksOf(userId)).length === 1)
    throw bodyProblem({ errMsg: 'The only book of a user cannot be removed' });
  yield* detachBooks([bookId]);
}

/**
 * Removes books whose import nobody works on any more, in the same way, and the users that imports created. Also
 * finishes other removals, unless somebody is at it, and rejects as {@link finishRemovals}.
 */
export async function removeAbandoned(engine: Engine, options: RemovalOptions): Promise<void> {
  for (const { id } of await engine.read(abandonedBooks))
    await engine.write(() => detachIncomplete(id));
  await withLease(engine, async (isOnly) => {
    if (isOnly) await finish(engine, options);
  });
}

function* abandonedBooks(): Steps<{ readonly id: number }[]> {
  const { nowMs } = yield* context();
  return yield* select(books, {}, { and: sql`incomplete_until_ms <= ${Math.floor(nowMs)}` });
}

/** Returns whether {@link removeAbandoned} has something to do. */
export function* hasRemovals(): Steps<boolean> {
  if ((yield* find(databaseIdentity, { name: traces })) !== undefined) return true;
  return [...(yield* removedBooks()), ...(yield* abandonedBooks())].length > 0;
}

/** Removes a book whose import has failed, as {@link removeAbandoned}. Others are left alone. */
export async function removeIncomplete(
  engine: Engine,
  bookId: number,
  options: RemovalOptions,
): Promise<RemovalSummary> {
  await engine.write(() => detachIncomplete(bookId));
  return finishRemovals(engine, options);
}

function* detachIncomplete(bookId: number): Steps<void> {
  const book = yield* find(books, { id: bookId });
  if (book === undefined || book.incomplete_until_ms === null) return;
  yield* lockedBooksOf(book.user_id);
  yield* detachBooks([bookId]);
  yield* deleteUserWithoutBook(book.user_id);
}

/** Every user has a book, except those of removed books and of failed imports. */
function* deleteUserWithoutBook(userId: number): Steps<void> {
  if ((yield* select(books, { user_id: userId }, { limit: 1 })).length === 0)
    yield* deleteUnlogged(users, { id: userId });
}

function* detachBooks(ids: readonly number[]): Steps<void> {
  if (ids.length === 0) return;
  const created_at = yield* now();
  const email = `removed ${ids.join(' ')}`;
  const { id: nobody } = yield* insertUnlogged(users, { email, name: '', created_at });
  for (const book_id of ids) {
    for (const table of [accessTokens, sessions, signInLinks, webhooks, syncRequests])
      yield* deleteUnlogged(table as typeof sessions, { book_id });
    for (const table of [connections, cryptoAccounts])
      yield* deleteSomeOf(table, book_id, mostRows);
    yield* forgetLeases(cryptoLeasesOf(book_id));
    yield* forgetLeases(webhookLeasesOf(book_id));
    // Responses that are being sent notice that the version differs, and that there is no history any more.
    const version = (yield* bookOf(book_id)).version + 1;
    const unnamed = { user_id: nobody, name: '', version, pruned_version: version };
    yield* updateUnlogged(books, { id: book_id }, { ...unnamed, incomplete_until_ms: null });
  }
  yield* noteTraces();
}

function* noteTraces(): Steps<void> {
  const noted = yield* find(databaseIdentity, { name: traces });
  if (noted === undefined) yield* insertUnlogged(databaseIdentity, { name: traces, value: '1' });
  else {
    const value = String(Number(noted.value) + 1);
    yield* updateUnlogged(databaseIdentity, { name: traces }, { value });
  }
}

/** Every table with rows of books. A row is deleted before those that it refers to. */
const tablesOfBooks: readonly Table[] = [...bookTables, ...serverTables, ...computedTables]
  .filter(({ columns }) => Object.hasOwn(columns, 'book_id'))
  .toReversed();

/**
 * Deletes what removals have left: rows, files, and their traces in the file. Ends early when the signal is aborted.
 *
 * Rejects with a FileStoreError after all else is done if the files cannot be deleted.
 */
export function finishRemovals(engine: Engine, options: RemovalOptions): Promise<RemovalSummary> {
  return withLease(engine, () => finish(engine, options));
}

/** Runs work while jobs of servers do not finish removals. It gets whether nobody else does either. */
async function withLease<T>(engine: Engine, work: (isOnly: boolean) => Promise<T>): Promise<T> {
  const lease = await engine.write(() => takeLease('removals', randomUUID(), mostLeaseMs));
  try {
    return await work(lease !== null);
  } finally {
    if (lease !== null)
      await engine.write(() => deleteUnlogged(leases, lease)).catch(() => undefined);
  }
}

async function finish(engine: Engine, { files, signal }: RemovalOptions): Promise<RemovalSummary> {
  const left = await engine.read(removedBooks);
  for (const id of left)
    await deleteRows(engine, id, signal).catch((error: unknown) => {
      if (!isDatabaseError(error, 'refused')) throw error;
      // A request that had begun before wrote a row that refers to one of these.
      return deleteRows(engine, id, signal);
    });
  if (signal?.aborted === true) return { isErased: false, files: 0 };
  const isErased = await eraseTraces(engine, signal);
  return { isErased, files: files === null ? 0 : await deleteFiles(files, new Set(left)) };
}

function* removedBooks(): Steps<number[]> {
  const found = yield* rowsAs(
    { id: integer },
    sql`SELECT b.id FROM books b JOIN users u ON u.id = b.user_id WHERE ${isRemoved} ORDER BY b.id`,
  );
  return found.map(({ id }) => id);
}

async function deleteRows(engine: Engine, bookId: number, signal?: AbortSignal): Promise<void> {
  let rows = leastRows;
  for (const table of tablesOfBooks) {
    let isMore = true;
    while (isMore && signal?.aborted !== true) {
      const startedMs = performance.now();
      isMore = await engine.write(() => deleteSomeOf(table, bookId, rows));
      const tookMs = performance.now() - startedMs;
      const fitting = Math.floor((rows * stepMs) / tookMs);
      rows = Math.min(Math.max(fitting, leastRows), 2 * rows, mostRows);
      // Other work gets at least as much time.
      if (isMore) await wait(tookMs, undefined, { signal }).catch(() => undefined);
    }
  }
  if (signal?.aborted === true) return;
  await engine.write(function* () {
    const book = yield* find(books, { id: bookId });
    // The database does not delete these with the book, and a request that had begun before wrote one.
    for (const table of [accessTokens, sessions, signInLinks])
      yield* deleteUnlogged(table as typeof sessions, { book_id: bookId });
    yield* deleteUnlogged(books, { id: bookId });
    if (book !== undefined) yield* deleteUserWithoutBook(book.user_id);
  });
}

/**
 * Overwrites what removed books have left in unused parts of the database file, if they have left any. Returns false if
 * that must wait, also for another removal, which may leave something until its end.
 */
async function eraseTraces(engine: Engine, signal?: AbortSignal): Promise<boolean> {
  const [noted, others] = await engine.read(function* () {
    return [yield* find(databaseIdentity, { name: traces }), yield* removedBooks()];
  });
  if (noted === undefined) return true;
  if (others.length > 0 || !(await engine.eraseDeleted({ signal }))) return false;
  return engine.write(function* () {
    yield* deleteUnlogged(databaseIdentity, noted);
    return (yield* find(databaseIdentity, { name: traces })) === undefined;
  });
}

async function deleteFiles(store: FileStore, bookIds: ReadonlySet<number>): Promise<number> {
  if (bookIds.size === 0) return 0;
  let deleted = 0;
  for await (const { key } of store.list()) {
    if (!bookIds.has(Number(key.split('/', 1)[0]))) continue;
    await store.remove(key);
    deleted += 1;
  }
  return deleted;
}

const BookDeletion = object(
  'BookDeletion',
  'Which book is deleted.',
  { name: text('The whole name of the book, as it is.') },
  { example: { name: 'Household' } },
);

/** The operation that deletes the book of a user who is signed in. */
export const bookRemovalRoutes: readonly Operation[] = [
  outside(
    'DELETE',
    {
      id: 'deleteBook',
      path: '/coffer/book',
      tag: 'tokens',
      needsSession: true,
      summary: 'Delete the book',
      description:
        'Deletes the book of the session with everything in it, and with its access tokens, webhooks, connections and ' +
        'sessions. With their only book, the user is deleted too. It cannot be undone. Nobody can open the book from ' +
        'now on; within minutes, the service deletes its rows and attached files, and overwrites what they leave in the ' +
        'file of the database. Backups keep it.',
      body: BookDeletion,
      response: withCookie(noContent('The book is deleted, and the session has ended.')),
    },
    async ({ bookId, body }, engine) => {
      await engine.write(() => detachOwnBook(bookId, (name) => refuseOther(name, body.name)));
      return new WithCookies(undefined, { session: null });
    },
  ),
];

function refuseOther(name: string, typed: string): void {
  if (typed === name) return;
  throw bodyProblem({
    errMsg: `name must be that of the book, "${name}", not "${typed}"`,
    instancePath: '/body/name',
    invalid_property: 'name',
  });
}
