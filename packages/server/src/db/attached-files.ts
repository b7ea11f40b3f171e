import sql from 'sql-template-tag';
import { rows, type Steps } from './engine.ts';

/** An attached file whose bytes are in the file store, and what they must be. */
export interface AttachedFile {
  readonly bookId: number;
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly key: string;
  /** The size of its record, rounded up. */
  readonly kilobytes: number;
  /** Null until it is known. */
  readonly content: { readonly bytes: number; readonly sha256: string } | null;
  /** Whether its record was removed, and an undo can bring it back. */
  readonly isRemoved: boolean;
}

interface FileColumns {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly storage_key: string;
}

/**
 * Returns the attached files of a book, and then those that it removed and an undo can bring back. Files whose bytes
 * were never stored here are not among them.
 *
 * Only statements, so that every connection can run them.
 */
export function* attachedFiles(bookId: number): Steps<AttachedFile[]> {
  const present = yield* rows<FileColumns>(sql`
    SELECT id, name, type, size, storage_key FROM transaction_files
    WHERE book_id = ${bookId} AND storage_key IS NOT NULL ORDER BY id`);
  const removed = yield* removedFiles(bookId);
  const keys = new Set(present.map((row) => row.storage_key));
  const contents = yield* contentsOf(bookId);
  const toFile = (isRemoved: boolean) => (row: FileColumns) => ({
    bookId,
    id: row.id,
    name: row.name,
    type: row.type,
    key: row.storage_key,
    kilobytes: row.size,
    content: contents.get(row.storage_key) ?? null,
    isRemoved,
  });
  const gone = removed.filter((row) => !keys.has(row.storage_key));
  return [...present.map(toFile(false)), ...gone.map(toFile(true))];
}

/**
 * Returns the rows of files in the log that a change removed, each key once.
 *
 * SQLite would read the whole log of the book: for it, a range of versions is the better condition. So that one cannot
 * use an index, and there is one on the ids.
 */
function* removedFiles(bookId: number): Steps<FileColumns[]> {
  const found = yield* rows<{ diff: string }>(sql`
    SELECT diff FROM changed_records
    WHERE book_id = ${bookId} AND record = 'transaction_files' AND first_id > 0 AND kind = 'removed'
      AND +version > (SELECT pruned_version FROM books WHERE id = ${bookId})`);
  const all = found.map(({ diff }) => JSON.parse(diff) as FileColumns & { storage_key?: string });
  const stored = all.filter((row) => typeof row.storage_key === 'string');
  return [...new Map(stored.map((row) => [row.storage_key, row])).values()];
}

function* contentsOf(bookId: number): Steps<Map<string, NonNullable<AttachedFile['content']>>> {
  const found = yield* rows<{ storage_key: string; bytes: number; sha256: string }>(
    sql`SELECT storage_key, bytes, sha256 FROM stored_files WHERE book_id = ${bookId}`,
  );
  return new Map(found.map(({ storage_key: key, bytes, sha256 }) => [key, { bytes, sha256 }]));
}

/** Returns the ids of all books. */
export function* bookIds(): Steps<number[]> {
  return (yield* rows<{ id: number }>(sql`SELECT id FROM books ORDER BY id`)).map(({ id }) => id);
}
