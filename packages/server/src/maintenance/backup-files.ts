import { link, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import type { Sql } from 'sql-template-tag';
import { attachedFiles, bookIds, type AttachedFile } from '../db/attached-files.ts';
import type { Steps } from '../db/engine.ts';
import { copyFiles, type CopiedFiles, type ExpectedFile } from '../files/content.ts';
import { createDiskStore } from '../files/disk.ts';
import type { FileStore } from '../files/store.ts';
import { startBackup, type BackupSummary } from './backup.ts';
import { useFile } from './examine-file.ts';

/** Follows the name of a backup in the name of the folder with its attached files. */
const ending = '.files';

/** Returns the folder with the attached files of a backup. */
export function filesFolderOf(backup: string): string {
  return backup + ending;
}

/** A backup with its attached files. */
export interface WholeBackup extends BackupSummary {
  /** How many attached files the database has, with those that an undo can bring back. */
  readonly attached: number;
  /** Null if they were not copied. */
  readonly files: CopiedFiles | null;
}

/**
 * Writes a backup of a database, with its attached files in the folder next to it unless `from` is null. Rejects like
 * {@link startBackup}, and with a FileStoreError if the folder cannot be written; then the old backup remains, if any.
 */
export async function backUpWhole(
  database: string,
  backup: string,
  from: FileStore | null,
  signal?: AbortSignal,
): Promise<WholeBackup> {
  const started = startBackup(database, backup);
  try {
    const all = filesInDatabase(started.path);
    const files = from && (await backUpFiles(all, from, backup, signal));
    const summary = started.finish();
    if (files !== null) await dropOtherFiles(all, backup);
    return { ...summary, attached: all.length, files };
  } finally {
    started.discard();
  }
}

/** Returns the attached files of a database file, and of those an undo can bring back, that no process writes to. */
export function filesInDatabase(path: string): AttachedFile[] {
  return useFile(path, { readonly: true }, (database) => {
    const books = runOn(database, bookIds());
    return books.flatMap((id) => runOn(database, attachedFiles(id)));
  });
}

/** Runs steps that are statements only. */
function runOn<T>(database: Database.Database, steps: Steps<T>): T {
  let next = steps.next();
  while (next.done !== true) {
    const { sql, values } = next.value as Sql;
    next = steps.next(database.prepare(sql).all(...values));
  }
  return next.value;
}

/**
 * Copies the attached files of a backup into the folder next to it, and checks all of them.
 *
 * The folder keeps what it has: files never change, so it is enough to add the new ones. What another backup in the
 * same folder has already is linked, so that it takes no more space. Call it before the backup gets its name, and
 * {@link dropOtherFiles} afterwards: so a backup has its files whenever the process is killed.
 */
export async function backUpFiles(
  files: readonly ExpectedFile[],
  from: FileStore,
  backup: string,
  signal?: AbortSignal,
): Promise<CopiedFiles> {
  if (files.length === 0) return { total: 0, written: 0, faults: new Map() };
  const folder = filesFolderOf(backup);
  const others = (await readdir(dirname(backup))).filter(
    (name) => name.endsWith(ending) && name !== basename(folder),
  );
  // The newest first: backups are named after their time.
  const siblings = others.toSorted().toReversed();
  return copyFiles(files, from, createDiskStore(folder), {
    ...(signal && { signal }),
    link: async (key) => {
      await mkdir(dirname(join(folder, key)), { recursive: true, mode: 0o700 });
      for (const name of siblings)
        if (await linked(join(dirname(backup), name, key), join(folder, key))) return;
    },
  });
}

async function linked(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    // It is not there, or the file system has no links: it is copied.
    () => false,
  );
}

/** Removes the files of a backup's folder that the backup does not need. */
async function dropOtherFiles(files: readonly ExpectedFile[], backup: string): Promise<void> {
  const keys = new Set(files.map(({ key }) => key));
  const store = createDiskStore(filesFolderOf(backup));
  for await (const { key } of store.list()) if (!keys.has(key)) await store.remove(key);
  if (files.length === 0) await rm(filesFolderOf(backup), { recursive: true, force: true });
}

/** The attached files of a backup: in its folder, or else in a folder `files` next to it, as in a bucket. */
export function filesOfBackup(backup: string): FileStore {
  const own = createDiskStore(filesFolderOf(backup));
  const shared = createDiskStore(join(dirname(backup), 'files'));
  return { ...own, read: async (key) => (await own.read(key)) ?? shared.read(key) };
}
