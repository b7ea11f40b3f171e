import { deleteUnlogged } from '../../../book/unlogged.ts';
import { attachedFiles, bookIds, type AttachedFile } from '../../../db/attached-files.ts';
import type { Engine } from '../../../db/engine.ts';
import { storedFiles } from '../../../db/tables/tables.ts';
import { FileStoreError, noFileStore } from '../../../files/store.ts';
import type { FileStore, StoredFile } from '../../../files/store.ts';
import type { Job, Log } from '../../../jobs/scheduler.ts';
import { contentOf, readChecked } from '../../../files/content.ts';
import { noteContent } from './actions.ts';
import { typeOf } from './rules.ts';

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

const everyMs = 4 * 3_600_000;
/** A store that fails so often is tried again later. */
const mostFailures = 5;

/** Returns the job that notes what the bytes of files must be that were attached before this was stored. */
export function contentsJob(store: FileStore, log: Pick<Log, 'error'>): Job {
  return {
    name: 'contents of files',
    everyMs,
    run: async (engine, _nowMs, signal) => {
      if (store !== noFileStore) await noteContents(engine, store, log, signal);
    },
  };
}

/**
 * Reads the files whose SHA-256 is not known, one after another, and notes it. Returns how many were noted.
 *
 * A file that is missing, or whose size or type is not that of its record, is logged and not noted: its bytes are not
 * those that were attached. Throws a FileStoreError at the end if some could not be read.
 */
async function noteContents(
  engine: Engine,
  store: FileStore,
  log: Pick<Log, 'error'>,
  signal?: AbortSignal,
): Promise<number> {
  const failures: FileStoreError[] = [];
  let noted = 0;
  for (const bookId of await engine.read(bookIds))
    for (const file of await engine.read(() => attachedFiles(bookId))) {
      if (file.content !== null) continue;
      if (signal?.aborted === true || failures.length === mostFailures) break;
      const found = await readWhole(store, file).catch((error: unknown) => {
        if (!(error instanceof FileStoreError)) throw error;
        failures.push(error);
        return null;
      });
      if (found === null) continue;
      if (typeof found === 'string')
        log.error({ book: bookId, attachment: file.id, fault: found }, 'An attached file is lost');
      else {
        await engine.write(() => noteContent(bookId, file.key, contentOf(found)));
        noted += 1;
      }
    }
  if (failures[0] !== undefined) throw failures[0];
  return noted;
}

/** Returns the bytes of a file if they can be those of its record, or else what is wrong with them. */
async function readWhole(store: FileStore, file: AttachedFile): Promise<Uint8Array | string> {
  const found = await readChecked(store, file);
  if (typeof found === 'string' || typeOf(found) === file.type) return found;
  return `is not of the type ${file.type}`;
}
