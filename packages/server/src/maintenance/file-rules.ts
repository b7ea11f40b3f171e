import { attachedFiles, bookIds } from '../db/attached-files.ts';
import type { AttachedFile } from '../db/attached-files.ts';
import type { Engine } from '../db/engine.ts';
import { readChecked } from '../files/content.ts';
import { FileStoreError, noFileStore } from '../files/store.ts';
import type { FileStore } from '../files/store.ts';
import { Findings } from './finding.ts';
import type { Finding } from './finding.ts';

/** What the doctor says about attached files. */
export interface FilesReport {
  readonly findings: readonly Finding[];
  /** Sentences about what is not wrong, but that somebody should know. */
  readonly notes: readonly string[];
}

/** After so many files that cannot be read, the rest is not tried. */
const mostFailures = 5;

/**
 * Reads the bytes of every attached file, also of those that an undo can bring back, and compares them with what was
 * stored. One file at a time is in memory, and no transaction is open meanwhile.
 */
export async function checkFiles(engine: Engine, store: FileStore): Promise<FilesReport> {
  const findings = new Findings('files');
  let [unread, unknown, failures] = [0, 0, 0];
  for (const bookId of await engine.read(bookIds))
    for (const file of await engine.read(() => attachedFiles(bookId))) {
      if (file.content === null) unknown += 1;
      if (store === noFileStore || failures === mostFailures) {
        unread += 1;
        continue;
      }
      const found = await readChecked(store, file).catch((error: unknown) => {
        if (!(error instanceof FileStoreError)) throw error;
        failures += 1;
        return `cannot be read: ${error.message}`;
      });
      // It may have been deleted since.
      if (typeof found === 'string' && (await isReferenced(engine, file)))
        findings.add(`${named(file)} ${found}`);
    }
  if (unread > 0 && store !== noFileStore) findings.add(`${unread} further files were not read`);
  return { findings: findings.list(), notes: notes(store === noFileStore ? unread : 0, unknown) };
}

async function isReferenced(engine: Engine, { bookId, key }: AttachedFile): Promise<boolean> {
  const files = await engine.read(() => attachedFiles(bookId));
  return files.some((file) => file.key === key);
}

function named({ bookId, id, name, isRemoved }: AttachedFile): string {
  const deleted = isRemoved ? 'deleted ' : '';
  return `The file of the ${deleted}attachment ${id} in book ${bookId}, ${JSON.stringify(name)},`;
}

function notes(unplaced: number, unknown: number): string[] {
  const found: string[] = [];
  if (unplaced > 0)
    found.push(`Attached files that were not checked, because FILES_URL is not set: ${unplaced}`);
  if (unknown > 0)
    found.push(
      `Attached files without a checksum, which the server adds while it runs: ${unknown}`,
    );
  return found;
}
