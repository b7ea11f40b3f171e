import sql from 'sql-template-tag';
import type { Job } from '../../changes/job.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import { transactionFiles } from '../../db/tables.ts';
import type { FileStore, StoredFile } from '../../files/store.ts';

const everyMs = 24 * 3_600_000;
/** A file is written before its record, so younger files may be about to get one. */
const graceMs = 24 * 3_600_000;

/** Returns the job that deletes bytes that nothing refers to any more. */
export function unreferencedFilesJob(store: FileStore): Job {
  return {
    name: 'unreferenced files',
    everyMs,
    run: async (engine, nowMs, signal) => {
      await removeUnreferencedFiles(engine, store, { nowMs, signal });
    },
  };
}

/** The time, and a signal that ends the work early. */
export interface RemovalOptions {
  readonly nowMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Deletes the files of a store that neither a record nor the change log refers to, and that are older than a day.
 * Returns how many were deleted.
 *
 * The change log refers to the files of deleted records, which an undo can bring back until it is pruned. The store
 * must belong to this database alone. With a database that has no book nothing is deleted: it may be the wrong one.
 */
export async function removeUnreferencedFiles(
  engine: Engine,
  store: FileStore,
  { nowMs, signal }: RemovalOptions,
): Promise<number> {
  // Listed before the records are read, so that a file cannot get a record in between.
  const old: string[] = [];
  for await (const { key } of olderThan(store, nowMs - graceMs)) old.push(key);
  const ofBook = Map.groupBy(old, (key) => Number(key.split('/', 1)[0]));
  if (!(await engine.read(hasBook))) return 0;
  let removed = 0;
  for (const [bookId, keys] of ofBook) {
    const used = await engine.read(() => referencedKeys(bookId));
    for (const key of keys) {
      if (signal?.aborted === true) return removed;
      if (used.has(key)) continue;
      await store.remove(key);
      removed += 1;
    }
  }
  return removed;
}

async function* olderThan(store: FileStore, ms: number): AsyncGenerator<StoredFile> {
  for await (const file of store.list()) if (file.modifiedAtMs < ms) yield file;
}

function* hasBook(): Steps<boolean> {
  return (yield* rowsAs({ id: integer }, sql`SELECT id FROM books LIMIT 1`)).length > 0;
}

/** Returns the keys of all records of a book, and of those that it removed and can bring back. */
function* referencedKeys(bookId: number): Steps<Set<string>> {
  const present = yield* rowsAs(
    { storage_key: text },
    sql`SELECT storage_key FROM transaction_files
      WHERE book_id = ${bookId} AND storage_key IS NOT NULL`,
  );
  const removed = yield* rowsAs(
    { diff: text },
    sql`SELECT diff FROM changed_records
      WHERE book_id = ${bookId} AND record = ${transactionFiles.name} AND kind = 'removed'
        AND version > (SELECT pruned_version FROM books WHERE id = ${bookId})`,
  );
  const rows = removed.map(({ diff }) => JSON.parse(diff) as { storage_key?: string | null });
  const all = [...present, ...rows].map((row) => row.storage_key ?? '');
  return new Set(all);
}
