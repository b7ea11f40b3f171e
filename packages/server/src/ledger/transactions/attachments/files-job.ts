import { deleteUnlogged } from '../../../book/unlogged.ts';
import { attachedFiles, bookIds } from '../../../db/attached-files.ts';
import type { Engine } from '../../../db/engine.ts';
import { storedFiles } from '../../../db/tables/tables.ts';
import type { FileStore, StoredFile } from '../../../files/store.ts';

/** A file is written before its record, so younger files may be about to get one. */
const graceMs = 24 * 3_600_000;

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
  const ofBook = Map.groupBy(old, bookOf);
  if ((await engine.read(bookIds)).length === 0) return 0;
  let removed = 0;
  for (const [bookId, keys] of ofBook) {
    const files = await engine.read(() => attachedFiles(bookId));
    const used = new Set(files.map(({ key }) => key));
    for (const key of keys) {
      if (signal?.aborted === true) return removed;
      if (used.has(key)) continue;
      await engine.write(() => deleteUnlogged(storedFiles, { book_id: bookId, storage_key: key }));
      await store.remove(key);
      removed += 1;
    }
  }
  return removed;
}

async function* olderThan(store: FileStore, ms: number): AsyncGenerator<StoredFile> {
  for await (const file of store.list()) if (file.modifiedAtMs < ms) yield file;
}

function bookOf(key: string): number {
  return Number(key.split('/', 1)[0]);
}
