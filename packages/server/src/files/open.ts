import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDiskStore } from './disk.ts';
import { noFileStore, type FilesLocation, type FileStore } from './store.ts';

/** An open store. */
export interface OpenedFiles {
  readonly store: FileStore;
  /** Deletes a temporary folder. */
  readonly close: () => Promise<void>;
}

const nothing = () => Promise.resolve();

/**
 * Opens the place of files. Without a location it is a folder next to the file of the database, a temporary one for a
 * database in memory, and none for a database on a server (`databasePath` is null).
 */
export async function openFiles(
  location: FilesLocation | null,
  databasePath: string | null,
): Promise<OpenedFiles> {
  if (location?.kind === 's3') {
    const { createS3Store } = await import('./s3.ts');
    return { store: createS3Store(location), close: nothing };
  }
  if (location !== null) return { store: createDiskStore(location.path), close: nothing };
  if (databasePath === null) return { store: noFileStore, close: nothing };
  if (databasePath !== ':memory:')
    return { store: createDiskStore(`${databasePath}-files`), close: nothing };
  return openTemporary();
}

async function openTemporary(): Promise<OpenedFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-files-'));
  return {
    store: createDiskStore(folder),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
